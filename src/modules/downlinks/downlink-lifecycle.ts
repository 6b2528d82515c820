import { detail, inEnglish } from "../../lib/domain-error.ts";
import type { DeviceId } from "../../lib/ids.ts";
import type { JsonValue } from "../../lib/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Clock } from "../../platform/clock.ts";
import { Waiters } from "../../platform/waiters.ts";
import type { DownlinkReport } from "../integrations/integrations.types.ts";
import type { DownlinkChanges, DownlinksRepository } from "./downlinks.repository.ts";
import type { Downlink, DownlinkState } from "./downlinks.types.ts";

/** Reports of downlinks whose number the network server has not told us yet: it may be faster than its own answer. */
const EARLY_MAX = 1_000;
const EARLY_MS = 60_000;

/** Reports come in any order: a downlink only goes on. That the device acknowledges outweighs that it once did not. */
const ranks: Record<DownlinkState, number> = {
  QUEUED: 0,
  SENT: 1,
  TRANSMITTED: 2,
  FAILED: 3,
  ACKNOWLEDGED: 4,
};

const statesOfReports: Record<DownlinkReport["state"], DownlinkState> = {
  QUEUED: "SENT",
  SENT: "TRANSMITTED",
  ACKNOWLEDGED: "ACKNOWLEDGED",
  FAILED: "FAILED",
};

/** The answer of a command whose downlink failed. */
export const failureOf = (error: Text) => ({ error: inEnglish(error), code: error.code });

const UNKNOWN = detail("downlink_error.not_sent");

/** Commands, as far as downlinks carry them. */
export interface CarriedCommands {
  delivered(deviceId: DeviceId, rpcId: number, isKept: boolean): void;
  answered(deviceId: DeviceId, rpcId: number, answer: JsonValue): boolean;
  /** Reports that the device can get the next downlink. */
  listening(deviceId: DeviceId): void;
}

/** Creates the lifecycle of downlinks, and so of the commands that they carry. */
export function createDownlinkLifecycle(deps: {
  repository: DownlinksRepository;
  commands: CarriedCommands;
  transact: (work: () => void) => void;
  onFailed: (downlink: Downlink, error: Text) => void;
  clock: Clock;
  now: () => number;
}) {
  const { repository, transact, now } = deps;
  /** Keyed by integration and the network server's number. */
  const early = new Map<string, { report: DownlinkReport; at: number }>();
  const waiters = new Waiters<string, Downlink>(deps.clock);

  function settleCommand(
    { deviceId, commandRpcId, confirmed }: Downlink,
    state: DownlinkState,
    error: Text,
  ): void {
    if (deviceId === null || commandRpcId === null) return;
    const { commands } = deps;
    if (state === "FAILED") commands.answered(deviceId, commandRpcId, failureOf(error));
    else if (state === "ACKNOWLEDGED") commands.answered(deviceId, commandRpcId, { acknowledged: true });
    // Nobody will say more of one that is not confirmed.
    else if (state === "TRANSMITTED" && !confirmed)
      commands.answered(deviceId, commandRpcId, { transmitted: true });
    else if (state === "TRANSMITTED") commands.delivered(deviceId, commandRpcId, true);
  }

  function change(
    downlink: Downlink,
    state: DownlinkState,
    rest: Omit<DownlinkChanges, "changedAt" | "state"> = {},
  ): void {
    const current = repository.find(downlink.downlinkId);
    if (current === undefined || ranks[state] <= ranks[current.state]) {
      // Its number is worth keeping, however far it has come meanwhile.
      if (current && rest.networkId)
        repository.update(current.downlinkId, { networkId: rest.networkId, changedAt: now() });
      return;
    }
    const error = rest.error ?? null;
    transact(() => {
      repository.update(current.downlinkId, { ...rest, state, error, changedAt: now() });
      settleCommand(current, state, error ?? UNKNOWN);
    });
    if (current.state === "QUEUED" && current.deviceId !== null) deps.commands.listening(current.deviceId);
    waiters.resolveAll(current.downlinkId, { ...current, ...rest, state, error });
    if (state === "FAILED") deps.onFailed(current, error ?? UNKNOWN);
  }

  function remember(key: string, report: DownlinkReport): void {
    const [oldest] = early.keys();
    if (early.size >= EARLY_MAX && oldest !== undefined) early.delete(oldest);
    early.set(key, { report, at: now() });
  }

  function apply(downlink: Downlink, { state, error }: DownlinkReport): void {
    const failure = state === "FAILED" ? { error: error ?? UNKNOWN } : {};
    change(downlink, statesOfReports[state], failure);
  }

  return {
    /** The network server has taken it. */
    sent(downlink: Downlink, networkId: string | undefined): void {
      change(downlink, "SENT", { ...(networkId && { networkId }), attempts: downlink.attempts + 1 });
      const key = `${downlink.integrationId}\n${networkId}`;
      const existing = networkId === undefined ? undefined : early.get(key);
      early.delete(key);
      if (existing !== undefined && now() - existing.at < EARLY_MS) apply(downlink, existing.report);
    },
    /** Marks a downlink as failed for good. */
    failed: (downlink: Downlink, error: Text): void =>
      change(downlink, "FAILED", { error, attempts: downlink.attempts + 1 }),
    /** Postpones a downlink to another attempt. */
    postponed(
      downlink: Downlink,
      changes: { error: Text | null; nextAttemptAt: number; attempts: number },
    ): void {
      if (repository.find(downlink.downlinkId)?.state !== "QUEUED") return;
      repository.update(downlink.downlinkId, { ...changes, changedAt: now() });
      waiters.resolveAll(downlink.downlinkId, { ...downlink, ...changes });
    },
    /** @returns whether it is one of ours. */
    reported(integrationId: string, report: DownlinkReport): boolean {
      const { correlationId } = report;
      if (correlationId === undefined) return false;
      const downlink = repository.findReported(integrationId, correlationId);
      if (downlink === undefined) remember(`${integrationId}\n${correlationId}`, report);
      else apply(downlink, report);
      return downlink !== undefined;
    },
    /** Returns the downlink once its state has changed, or after `ms`. */
    next: async (downlink: Downlink, ms: number): Promise<Downlink> =>
      (await waiters.wait(downlink.downlinkId, ms)) ?? repository.find(downlink.downlinkId) ?? downlink,
    stop: (): void => waiters.endAll(),
  };
}

export type DownlinkLifecycle = ReturnType<typeof createDownlinkLifecycle>;
