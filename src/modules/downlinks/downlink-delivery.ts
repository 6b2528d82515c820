import { detail } from "../../lib/core/domain-error.ts";
import { backOffMs } from "../../lib/network/retry-policy.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { DeliveryTarget, Load } from "../../platform/delivery-queue/delivery-lanes.ts";
import {
  DeliveryQueue,
  defaultInFlight,
  type Settled,
} from "../../platform/delivery-queue/delivery-queue.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { EventLog } from "../integrations/events/event-log.ts";
import type { DownlinkAttempt, NetworkResponse, ReadyIntegration } from "./downlink-attempt.ts";
import { type CarriedCommands, DownlinkLifecycle } from "./downlink-lifecycle.ts";
import type { DownlinksRepository } from "./downlinks.repository.ts";
import { type Downlink, devEuiOf } from "./downlinks.types.ts";

/** Interval at which a switched-off integration is checked again, unless it is started earlier. */
const PAUSED_MS = 60_000;
/** Max. duration of an attempt, in ms; longer than the timeouts of codec and network server. */
const ATTEMPT_MS_MAX = 60_000;
const KEPT_MS = 30 * 86_400_000;
const PRUNED_PER_STEP = 1_000;

type SettledDownlink = Settled<DeliveryTarget, Downlink, NetworkResponse>;

const nameOf = ({ deviceKey, fPort }: Downlink) =>
  `${devEuiOf(deviceKey) ?? deviceKey.slice("id:".length)}${fPort === null ? "" : `, fPort ${fPort}`}`;

/** Returns a function that adds downlinks to the events of their integration. */
const createDownlinkEvents =
  (eventLog: Pick<EventLog, "add">) =>
  (
    downlink: Downlink,
    code: "downlink_sent" | "downlink_retried" | "downlink_failed",
    reason: Text | null,
  ): void => {
    const { integrationId, downlinkId, deviceId, fPort, confirmed, payload, commandRpcId, createdBy } =
      downlink;
    const params = { device: nameOf(downlink), ...(reason && { reason }) };
    const { written } = eventLog.add({
      integrationId,
      direction: "OUT",
      status: code === "downlink_sent" ? "OK" : "ERROR",
      stage: "downlink",
      text: { code: `integration_event.${code}`, params },
      payload: Buffer.from(JSON.stringify(payload)),
      origin: null,
      result: JSON.stringify({ downlinkId, deviceId, fPort, confirmed, commandRpcId, createdBy }),
      isReplayable: false,
    });
    written.catch(() => undefined); // the downlink itself has its own row
  };

const expired = (reason: Text | null): Text =>
  reason === null ? detail("downlink_error.expired") : detail("downlink_error.expired_because", { reason });

/** Returns the target of a downlink: its integration, which has one network server. Downlinks to a device are sent in order. */
export const targetOf = ({
  integrationId,
  tenantId,
}: Pick<Downlink, "integrationId" | "tenantId">): DeliveryTarget => ({ targetId: integrationId, tenantId });

/** Creates the delivery queue of downlinks. Rows are kept after delivery, because the network server reports later states. */
export function createDownlinkDelivery(deps: {
  repository: DownlinksRepository;
  attempt: Pick<DownlinkAttempt, "run">;
  commands: CarriedCommands;
  transact: (work: () => void) => void;
  eventLog: Pick<EventLog, "add">;
  /** Returns `undefined` if the integration was deleted. */
  readyOf: (integrationId: string) => ReadyIntegration | undefined;
  clock: Clock;
  /** Returns monotonic epoch ms. */
  now: () => number;
  /** Returns the time against which the age of settled downlinks is measured, in epoch ms. */
  retentionTime: () => number;
  random: () => number;
  log: Logger;
}) {
  const { repository, now } = deps;
  const addEvent = createDownlinkEvents(deps.eventLog);
  const lifecycle = new DownlinkLifecycle({
    ...deps,
    onFailed: (downlink, error) => addEvent(downlink, "downlink_failed", error),
  });

  const skipped = (error: Text | null) =>
    ({ verdict: { retry: "target" }, error, isSkipped: true, retryAfterMs: PAUSED_MS }) as const;

  async function attempt(downlink: Downlink, { targetId }: DeliveryTarget, signal: AbortSignal) {
    const ready = deps.readyOf(targetId);
    if (ready === undefined) return skipped(downlink.error);
    if (ready.integration.status === "paused") return skipped(detail("downlink_error.paused"));
    const { retries = Number.POSITIVE_INFINITY } = ready.settings.downlink ?? {};
    return { ...(await deps.attempt.run(ready, downlink, signal)), isLast: downlink.attempts >= retries };
  }

  function write(results: readonly SettledDownlink[]): void {
    for (const { row, state, attempts, dueAt, attempt } of results) {
      const { response, error } = attempt;
      if (state === "delivered") lifecycle.sent(row, response?.networkId);
      else if (state === "waiting") lifecycle.postponed(row, { error, dueAt, attempts });
      else lifecycle.failed(row, error ?? detail("downlink_error.not_sent"));
    }
  }

  const queue = new DeliveryQueue<DeliveryTarget, Downlink, NetworkResponse>(
    {
      store: repository,
      limits: { inFlight: defaultInFlight, attemptMs: ATTEMPT_MS_MAX },
      now,
      writeAfterMs: 0,
      isStrict: true,
      attempt,
      backOffMs: (failures) => backOffMs(failures, deps.random),
      onSettled({ row, state, attempt }) {
        if (state === "delivered") addEvent(row, "downlink_sent", null);
        // Only the first failure; the outcome has its own event.
        else if (state === "waiting" && !attempt.isSkipped && row.attempts === 0)
          addEvent(row, "downlink_retried", attempt.error);
      },
      write,
      giveUp(targets, options) {
        const gone = new Map<string, Load>();
        for (const { targetId } of targets) {
          const rows = repository.listOf(repository.oldest(targetId, options));
          lifecycle.failAll(rows, ({ error }) => expired(error));
          const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
          if (rows.length > 0) gone.set(targetId, { rows: rows.length, bytes });
        }
        return gone;
      },
      upkeep: () => void repository.deleteSettled(deps.retentionTime() - KEPT_MS, PRUNED_PER_STEP),
    },
    deps,
  );

  return {
    queue,
    lifecycle,
    start(): void {
      repository.capDueTimes(now()); // including what a clock that was set back would delay
      queue.start();
    },
    async stop(): Promise<void> {
      await queue.stop();
      lifecycle.stop();
    },
  };
}

export type DownlinkDelivery = ReturnType<typeof createDownlinkDelivery>;
