import { createHash } from "node:crypto";
import type { BodyEncoding } from "../../../lib/body.ts";
import { DomainError, detail, inEnglish, unavailable, unavailableDueTo } from "../../../lib/domain-error.ts";
import { networkErrorText } from "../../../lib/network-error.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Logger } from "../../../platform/log.ts";
import type { OutboundRule } from "../../../platform/outbound-address.ts";
import type { MqttSettings } from "../integrations.types.ts";
import type { BridgeMessage, BridgeState, BridgeSubscription, MqttBridge } from "./bridge.types.ts";
import { type BrokerConnection, filtersOf, openConnection } from "./broker-connection.ts";
import { InboundSession } from "./inbound-session.ts";
import { createMessageTaker, type MessageTaker } from "./message-taker.ts";
import { compileTopicDevice } from "./topic-device.ts";
import { waitFor } from "./wait-for.ts";

const FIRST_WAIT_MS = 1_000;
const WAIT_MS_MAX = 60_000;
/** A connection that has held for so long did not fail. */
const HELD_MS = 30_000;

export interface MqttBridgeDeps {
  readonly integrationId: string;
  /** Includes the secrets opened. */
  readonly settings: MqttSettings;
  readonly encoding?: BodyEncoding | undefined;
  /** Holds what the broker's session was subscribed to before, perhaps. */
  readonly formerFilters?: readonly string[] | undefined;
  readonly addresses: Pick<OutboundRule, "resolve">;
  /** Authorities that are trusted where the settings name none. */
  readonly authorities?: readonly string[] | undefined;
  /** Resolves when the message, or what is wrong with it, is on the disk. */
  readonly handle: (message: BridgeMessage) => Promise<void>;
  readonly onState: (state: BridgeState) => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Stable over the integration's life, and no longer than every broker takes (MQTT 3.1.1, 3.1.3.1: 23 characters). */
export const clientIdOf = (integrationId: string): string => {
  const digest = createHash("sha256").update(integrationId).digest("hex");
  return `lineside-${BigInt(`0x${digest}`).toString(36).slice(0, 14)}`;
};

/** Returns what the broker did not grant; null where it granted all. */
function complaintOf(subscriptions: readonly BridgeSubscription[], qos: number): Text | null {
  const refused = subscriptions
    .filter((subscription) => subscription.qos === null)
    .map(({ filter }) => filter);
  if (refused.length > 0) return detail("broker_error.subscription_refused", { filters: refused });
  const lesser = subscriptions.find((subscription) => subscription.qos !== null && subscription.qos < qos);
  if (lesser === undefined) return null;
  return detail("broker_error.lesser_quality", { filter: lesser.filter, qos: String(lesser.qos) });
}

/**
 * Keeps a connection to a broker while it runs. The session there is durable: what comes while the gateway is away waits at the broker,
 * and a message is acknowledged once `handle` has resolved. Each connection is one of mqtt.js of its own; the next follows
 * after a wait that grows, and is drawn by lot so that many gateways do not come back at once.
 */
export function createMqttBridge(deps: MqttBridgeDeps): MqttBridge {
  const { settings, clock, log, integrationId } = deps;
  const clientId = settings.clientId ?? clientIdOf(integrationId);
  const filters = filtersOf(settings);
  const session = new InboundSession();
  const counts = { received: 0, ignored: 0, tooLarge: 0 };
  /** Aborted when the bridge is to stop. */
  let wanted: AbortController | undefined;
  let connection: BrokerConnection | undefined;
  let running: Promise<void> | undefined;
  let state: Omit<BridgeState, "counts"> = {
    status: "stopped",
    since: clock.now(),
    problem: null,
    lastError: null,
    lastErrorAt: null,
    nextAttemptAt: null,
    failedAttempts: 0,
    subscriptions: [],
  };

  function change(to: Partial<Omit<BridgeState, "counts" | "since">>): void {
    const isOther = to.status !== undefined && to.status !== state.status;
    state = { ...state, ...to, ...(isOther && { since: clock.now() }) };
    deps.onState({ ...state, counts: { ...counts } });
  }

  const failed = (lastError: Text) => ({ lastError, lastErrorAt: clock.now() });

  const open = (taker: MessageTaker, clean: boolean, signal?: AbortSignal) =>
    openConnection({ ...deps, ...taker, clientId, clean, session, signal });

  /** One connection, from its beginning to its end. @throws DomainError with the reason */
  async function connectOnce(taker: MessageTaker, signal: AbortSignal): Promise<never> {
    change({ status: "connecting", nextAttemptAt: null });
    const opened = await open(taker, false, signal);
    connection = opened;
    let cancel = () => {};
    const leave = () => void opened.end();
    signal.addEventListener("abort", leave);
    if (signal.aborted) leave();
    try {
      // The answer to the subscription comes behind all that the broker has kept, which may take its time.
      if (opened.isResumed) change({ status: "connected", problem: null });
      const gone = deps.formerFilters?.filter((filter) => !filters.includes(filter)) ?? [];
      if (gone.length > 0) await opened.unsubscribe(gone);
      const subscriptions = await opened.subscribe();
      const complaint = complaintOf(subscriptions, settings.qos ?? 1);
      if (complaint !== null && subscriptions.every(({ qos }) => qos === null))
        throw new DomainError("unavailable", complaint);
      log.info("connected to the broker", { integrationId });
      change({
        status: "connected",
        problem: complaint,
        subscriptions,
        ...(complaint !== null && failed(complaint)),
      });
      cancel = clock.schedule(HELD_MS, () => change({ failedAttempts: 0, lastError: complaint }));
      throw new DomainError("unavailable", await opened.ended);
    } finally {
      cancel();
      signal.removeEventListener("abort", leave);
      connection = undefined;
      await opened.end();
    }
  }

  /** Twice as long after each failure; at random between half of it and the whole. */
  function waitMs(failures: number): number {
    const whole = Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 10), WAIT_MS_MAX);
    return Math.round(whole * (0.5 + deps.random() / 2));
  }

  async function run(signal: AbortSignal): Promise<void> {
    const deviceIn = await compileTopicDevice(settings);
    const note = (error: Text) => change(failed(error));
    const taker = createMessageTaker({ ...deps, deviceIn, counts, note, signal });
    while (!signal.aborted) {
      const reason = await connectOnce(taker, signal).catch(networkErrorText);
      if (signal.aborted) break;
      const failedAttempts = state.failedAttempts + 1;
      const ms = waitMs(failedAttempts);
      log.warn("the connection to the broker is gone", {
        integrationId,
        reason: inEnglish(reason),
        nextTryMs: ms,
      });
      const nextAttemptAt = clock.now() + ms;
      change({
        status: "waiting",
        problem: reason,
        subscriptions: [],
        failedAttempts,
        nextAttemptAt,
        ...failed(reason),
      });
      await waitFor(clock, ms, signal);
    }
  }

  async function stop(): Promise<void> {
    wanted?.abort();
    await running;
    running = undefined;
    wanted = undefined;
    if (state.status !== "stopped")
      change({ status: "stopped", problem: null, nextAttemptAt: null, subscriptions: [] });
  }

  return {
    start() {
      if (wanted !== undefined) return;
      wanted = new AbortController();
      running = run(wanted.signal).catch((error) => {
        log.error("the bridge has ended", { integrationId, error });
        const problem = networkErrorText(error);
        change({ status: "stopped", problem, ...failed(problem) });
      });
    },
    stop,
    async end(signal) {
      await stop();
      const nothing: MessageTaker = { take: () => Promise.resolve({ kind: "taken" }), tooLarge: () => {} };
      await (await open(nothing, true, signal)).end();
    },
    async publish(message) {
      if (connection === undefined || state.status !== "connected")
        throw unavailable("integration.not_connected");
      try {
        await connection.publish(message);
      } catch (cause) {
        throw unavailableDueTo(cause, "integration.not_sent");
      }
    },
    get state() {
      return { ...state, counts: { ...counts } };
    },
  };
}
