import { detail } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { Growth } from "../../lib/data/growth.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { Waiters } from "../../platform/time/waiters.ts";
import { CommandFailure, type CommandResponse } from "../commands/commands.types.ts";
import type { DownlinkReport } from "../integrations/integrations.types.ts";
import { type DownlinkChanges, type DownlinksRepository, SPACE_BYTES } from "./downlinks.repository.ts";
import type { Downlink, DownlinkState } from "./downlinks.types.ts";

/** Max. downlinks per call of `failAll`. More rows would block the main thread. */
export const FAILED_PER_STEP = 100;
/** Max. kept reports of downlinks whose network id is not yet known: a report may arrive before the response to the downlink. */
const EARLY_MAX = 1_000;
const EARLY_MS = 60_000;

/** Order of states. Reports arrive in any order and only advance a downlink; an acknowledgement overrides an earlier failure. */
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

const UNKNOWN = detail("downlink_error.not_sent");

/** Part of the command engine that downlinks report to. */
export interface CarriedCommands {
  delivered(deviceId: DeviceId, rpcId: number, isKept: boolean): void;
  answered(deviceId: DeviceId, rpcId: number, response: CommandResponse): boolean;
  /** Reports that the device can receive the next downlink. */
  listening(deviceId: DeviceId): void;
}

interface DownlinkLifecycleDeps {
  readonly repository: DownlinksRepository;
  readonly commands: CarriedCommands;
  readonly transact: (work: () => void) => void;
  readonly onFailed: (downlink: Downlink, error: Text) => void;
  readonly clock: Clock;
  readonly now: () => number;
}

interface Change {
  readonly current: Downlink;
  readonly state: DownlinkState;
  readonly rest: Omit<DownlinkChanges, "changedAt" | "state">;
}

/** Lifecycle of downlinks and of the commands that they carry. */
export class DownlinkLifecycle {
  /** Early reports by integration and network id. */
  readonly #early = new Map<string, { report: DownlinkReport; at: number }>();
  /** Callbacks waiting for the next state of a downlink, by its id. */
  readonly #waiters: Waiters<string, Downlink>;

  /** Bytes of downlinks that no longer wait, by integration. */
  readonly #settled = new Growth<string>(SPACE_BYTES / 8);

  readonly #deps: DownlinkLifecycleDeps;

  constructor(deps: DownlinkLifecycleDeps) {
    this.#deps = deps;
    this.#waiters = new Waiters(deps.clock);
  }

  stop(): void {
    this.#waiters.endAll();
  }

  /** Records that the network server has accepted a downlink. */
  sent(downlink: Downlink, networkId: string | undefined): void {
    this.#change(downlink, "SENT", { ...(networkId && { networkId }), attempts: downlink.attempts + 1 });
    const key = `${downlink.integrationId}\n${networkId}`;
    const existing = networkId === undefined ? undefined : this.#early.get(key);
    this.#early.delete(key);
    if (existing !== undefined && this.#deps.now() - existing.at < EARLY_MS)
      this.#apply(downlink, existing.report);
  }

  /** Forgets a deleted integration and its downlinks. */
  forget(integrationId: string): void {
    this.#settled.forget(integrationId);
  }

  failed(downlink: Downlink, error: Text): void {
    this.#change(downlink, "FAILED", { error, attempts: downlink.attempts + 1 });
  }

  /** Fails downlinks in one transaction, based on their stored state. */
  failAll(downlinks: readonly Downlink[], errorOf: (downlink: Downlink) => Text): void {
    const changes = downlinks.map((current) => ({
      current,
      state: "FAILED" as const,
      rest: { error: errorOf(current), attempts: current.attempts + 1 },
    }));
    this.#changeAll(changes);
  }

  postponed(downlink: Downlink, changes: { error: Text | null; dueAt: number; attempts: number }): void {
    const { repository, now } = this.#deps;
    if (repository.find(downlink.downlinkId)?.state !== "QUEUED") return;
    repository.update(downlink.downlinkId, { ...changes, changedAt: now() });
    this.#waiters.resolveAll(downlink.downlinkId, { ...downlink, ...changes });
  }

  /** Processes the report of a network server. Returns whether the downlink was sent by this gateway. */
  reported(integrationId: string, report: DownlinkReport): boolean {
    const { correlationId } = report;
    if (correlationId === undefined) return false;
    const downlink = this.#deps.repository.findReported(integrationId, correlationId);
    if (downlink === undefined) this.#remember(`${integrationId}\n${correlationId}`, report);
    else this.#apply(downlink, report);
    return downlink !== undefined;
  }

  /** Returns the downlink once its state has changed, or after `ms`. */
  async next(downlink: Downlink, ms: number): Promise<Downlink> {
    const { downlinkId } = downlink;
    const changed = await this.#waiters.wait(downlinkId, ms);
    return changed ?? this.#deps.repository.find(downlinkId) ?? downlink;
  }

  #settleCommand({ deviceId, commandRpcId, confirmed }: Downlink, state: DownlinkState, error: Text): void {
    if (deviceId === null || commandRpcId === null) return;
    const { commands } = this.#deps;
    if (state === "FAILED") commands.answered(deviceId, commandRpcId, new CommandFailure(error));
    else if (state === "ACKNOWLEDGED") commands.answered(deviceId, commandRpcId, { acknowledged: true });
    // An unconfirmed downlink gets no further events.
    else if (state === "TRANSMITTED" && !confirmed)
      commands.answered(deviceId, commandRpcId, { transmitted: true });
    else if (state === "TRANSMITTED") commands.delivered(deviceId, commandRpcId, true);
  }

  #change(downlink: Downlink, state: DownlinkState, rest: Change["rest"] = {}): void {
    const { repository, now } = this.#deps;
    const current = repository.find(downlink.downlinkId);
    if (current === undefined || ranks[state] <= ranks[current.state]) {
      // Its number is kept, whatever its state is by now.
      if (current && rest.networkId)
        repository.update(current.downlinkId, { networkId: rest.networkId, changedAt: now() });
      return;
    }
    this.#changeAll([{ current, state, rest }]);
  }

  #changeAll(changes: readonly Change[]): void {
    const { repository, transact, onFailed, now } = this.#deps;
    transact(() => {
      for (const { current, state, rest } of changes) {
        repository.update(current.downlinkId, {
          ...rest,
          state,
          error: rest.error ?? null,
          changedAt: now(),
        });
        this.#settleCommand(current, state, rest.error ?? UNKNOWN);
      }
    });
    this.#leftQueue(changes.map(({ current }) => current).filter(({ state }) => state === "QUEUED"));
    for (const { current, state, rest } of changes) {
      this.#waiters.resolveAll(current.downlinkId, {
        ...current,
        ...rest,
        state,
        error: rest.error ?? null,
      });
      if (state === "FAILED") onFailed(current, rest.error ?? UNKNOWN);
    }
  }

  #leftQueue(downlinks: readonly Downlink[]): void {
    const { repository, commands, now } = this.#deps;
    const bytesLeft = new Map<string, number>();
    for (const { integrationId, bytes } of downlinks)
      bytesLeft.set(integrationId, (bytesLeft.get(integrationId) ?? 0) + bytes);
    for (const [integrationId, bytes] of bytesLeft)
      if (this.#settled.add(integrationId, bytes))
        repository.trimSettled(integrationId, { bytesMax: SPACE_BYTES, now: now() });
    for (const deviceId of new Set(downlinks.map((downlink) => downlink.deviceId)))
      if (deviceId !== null) commands.listening(deviceId);
  }

  #remember(key: string, report: DownlinkReport): void {
    const [oldest] = this.#early.keys();
    if (this.#early.size >= EARLY_MAX && oldest !== undefined) this.#early.delete(oldest);
    this.#early.set(key, { report, at: this.#deps.now() });
  }

  #apply(downlink: Downlink, { state, error }: DownlinkReport): void {
    const failure = state === "FAILED" ? { error: error ?? UNKNOWN } : {};
    this.#change(downlink, statesOfReports[state], failure);
  }
}
