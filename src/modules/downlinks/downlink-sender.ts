import { setImmediate } from "node:timers";
import { detail } from "../../lib/domain-error.ts";
import { waitAfter } from "../../lib/retry-policy.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/log.ts";
import type { Attempted, DownlinkAttempt, ReadyIntegration } from "./downlink-attempt.ts";
import type { DownlinkLifecycle } from "./downlink-lifecycle.ts";
import type { DownlinksRepository } from "./downlinks.repository.ts";
import type { Downlink } from "./downlinks.types.ts";

const AT_ONCE = 4;
/** Time until a switched-off integration is checked again, unless it is started before. */
const PAUSED_MS = 60_000;
const KEPT_MS = 30 * 86_400_000;
const CLEAN_EVERY_MS = 3_600_000;
const CLEAN_AT_ONCE = 1_000;
const TIMER_MS_MAX = 0x7fffffff;
const EXPIRED_AT_ONCE = 100;

/** State of one network server. */
interface Lane {
  /** Devices to which one is in progress. */
  readonly busy: Set<string>;
  /** Failures in a row. While there are any, one downlink at a time is tried. */
  failures: number;
  blockedUntil: number;
}

interface DownlinkSenderDeps {
  readonly repository: DownlinksRepository;
  readonly attempt: Pick<DownlinkAttempt, "run">;
  readonly lifecycle: DownlinkLifecycle;
  /** Returns `undefined` if it is gone. */
  readonly readyOf: (integrationId: string) => ReadyIntegration | undefined;
  /** Reports the result of an attempt, for the integration's events. */
  readonly onAttempted: (downlink: Downlink, attempted: Attempted) => void;
  readonly clock: Clock;
  /** Epoch ms that never jump. */
  readonly now: () => number;
  readonly random: () => number;
  readonly log: Logger;
}

const retriesOf = ({ settings }: ReadyIntegration) => settings.downlink?.retries ?? Number.POSITIVE_INFINITY;

const expired = (reason: Text | null): Text =>
  reason === null ? detail("downlink_error.expired") : detail("downlink_error.expired_because", { reason });

/**
 * Hands downlinks to network servers: of each device one after the other, of each integration a few simultaneously, again after a while where
 * the server was not there. A downlink whose answer was lost goes out twice rather than never.
 */
export class DownlinkSender {
  /** Keyed by integration. */
  private readonly lanes = new Map<string, Lane>();
  private readonly inFlight = new Set<Promise<void>>();
  /** Ends what is in flight when the gateway stops. */
  private controller = new AbortController();
  private isRunning = false;
  /** True if a pump is about to run. */
  private isPumping = false;
  private cancelTimer: () => void = () => undefined;
  private cancelCleaning: () => void = () => undefined;

  constructor(private readonly deps: DownlinkSenderDeps) {}

  start(): void {
    const { repository, now } = this.deps;
    this.isRunning = true;
    this.controller = new AbortController();
    // Also what a clock that was set back would have wait for long.
    repository.hasten(now());
    this.wake();
    this.clean();
  }

  async stop(): Promise<void> {
    this.isRunning = false;
    this.cancelTimer();
    this.cancelCleaning();
    this.controller.abort(new Error("the gateway stops"));
    await Promise.all(this.inFlight);
    this.deps.lifecycle.stop();
  }

  /** Looks for downlinks that are due, after whatever runs now. */
  wake(): void {
    if (!this.isRunning || this.isPumping) return;
    this.isPumping = true;
    // Later: whoever has just queued one goes on first, and many of them are looked at once.
    setImmediate(() => {
      this.isPumping = false;
      if (!this.isRunning) return;
      try {
        this.pump();
      } catch (error) {
        this.deps.log.error("due downlinks could not be read", { error });
        this.cancelTimer = this.deps.clock.schedule(PAUSED_MS, () => this.wake());
      }
    });
  }

  /** Tries the waiting downlinks of an integration immediately, because the integration has changed. */
  hasten(integrationId: string): void {
    const { repository, now } = this.deps;
    const lane = this.lanes.get(integrationId);
    // What is in progress stays so, lest it goes out twice.
    if (lane?.busy.size === 0) this.lanes.delete(integrationId);
    else if (lane !== undefined) Object.assign(lane, { failures: 0, blockedUntil: 0 });
    repository.hasten(now(), integrationId);
    this.wake();
  }

  private pump(): void {
    const { repository, now } = this.deps;
    this.expire();
    for (const integrationId of repository.dueIntegrations(now())) this.serve(integrationId);
    this.arm();
  }

  /** Schedules the next check. A downlink that is in flight wakes the sender itself when it ends. */
  private arm(): void {
    const { repository, clock, now } = this.deps;
    this.cancelTimer();
    const blocked = [...this.lanes.values()]
      .map(({ blockedUntil }) => blockedUntil)
      .filter((until) => until > now());
    const timeMs = Math.min(repository.nextAt(now()) ?? Number.POSITIVE_INFINITY, ...blocked);
    if (timeMs === Number.POSITIVE_INFINITY) return;
    const waitMs = Math.min(Math.max(timeMs - now(), 1), TIMER_MS_MAX);
    this.cancelTimer = clock.schedule(waitMs, () => this.wake());
  }

  private expire(): void {
    const { repository, lifecycle, now } = this.deps;
    for (const downlink of repository.listExpired(now(), EXPIRED_AT_ONCE)) {
      if (this.laneOf(downlink.integrationId).busy.has(downlink.deviceKey)) continue;
      lifecycle.failed(downlink, expired(downlink.error));
    }
  }

  private serve(integrationId: string): void {
    const { repository, readyOf, now } = this.deps;
    const lane = this.laneOf(integrationId);
    const ready = readyOf(integrationId);
    if (ready === undefined || lane.blockedUntil > now()) return;
    while (lane.busy.size < (lane.failures > 0 ? 1 : AT_ONCE)) {
      const downlink = repository.nextDue(integrationId, now(), [...lane.busy]);
      if (downlink === undefined) return;
      if (ready.integration.status === "paused") {
        this.pause(lane, downlink);
        return;
      }
      this.begin(downlink, ready);
    }
  }

  /** Postpones a downlink of an integration that is paused. */
  private pause(lane: Lane, downlink: Downlink): void {
    const { lifecycle, now } = this.deps;
    const { attempts } = downlink;
    const nextAttemptAt = Math.min(now() + PAUSED_MS, downlink.expiresAt);
    lifecycle.postponed(downlink, { error: detail("downlink_error.paused"), nextAttemptAt, attempts });
    lane.blockedUntil = nextAttemptAt;
  }

  private begin(downlink: Downlink, ready: ReadyIntegration): void {
    this.laneOf(downlink.integrationId).busy.add(downlink.deviceKey);
    const done = this.send(downlink, ready).finally(() => {
      this.inFlight.delete(done);
      this.wake();
    });
    this.inFlight.add(done);
  }

  private async send(downlink: Downlink, ready: ReadyIntegration): Promise<void> {
    const { attempt, now, log } = this.deps;
    const lane = this.laneOf(downlink.integrationId);
    const { signal } = this.controller;
    try {
      const attempted = await attempt.run(ready, downlink, signal);
      // Called off by our own end: it goes out again after the next start.
      if (signal.aborted && !attempted.isDone) return;
      this.settle(downlink, ready, attempted);
    } catch (error) {
      log.error("the result of a downlink could not be written", { downlinkId: downlink.downlinkId, error });
      lane.blockedUntil = now() + PAUSED_MS;
    } finally {
      lane.busy.delete(downlink.deviceKey);
    }
  }

  private settle(downlink: Downlink, ready: ReadyIntegration, attempted: Attempted): void {
    const { lifecycle, onAttempted } = this.deps;
    const lane = this.laneOf(downlink.integrationId);
    if (attempted.isDone || attempted.isFinal || attempted.whose === "downlink") lane.failures = 0;
    onAttempted(downlink, attempted);
    if (attempted.isDone) {
      lifecycle.sent(downlink, attempted.networkId);
      return;
    }
    const attempts = downlink.attempts + 1;
    if (attempted.isFinal || attempts > retriesOf(ready)) {
      lifecycle.failed(downlink, attempted.error);
      return;
    }
    this.postpone(downlink, lane, attempted);
  }

  private postpone(downlink: Downlink, lane: Lane, attempted: Extract<Attempted, { isFinal: false }>): void {
    const { lifecycle, now, random } = this.deps;
    const attempts = downlink.attempts + 1;
    const isServers = attempted.whose === "server";
    if (isServers) lane.failures++;
    const waitMs = Math.max(waitAfter(isServers ? lane.failures : attempts, random), attempted.waitMs);
    if (isServers) lane.blockedUntil = now() + waitMs;
    const nextAttemptAt = Math.min(now() + waitMs, downlink.expiresAt);
    lifecycle.postponed(downlink, { error: attempted.error, nextAttemptAt, attempts });
  }

  private laneOf(integrationId: string): Lane {
    const lane = this.lanes.get(integrationId);
    if (lane !== undefined) return lane;
    const newLane: Lane = { busy: new Set(), failures: 0, blockedUntil: 0 };
    this.lanes.set(integrationId, newLane);
    return newLane;
  }

  private clean(): void {
    const { repository, clock, now, log } = this.deps;
    let deleted = 0;
    try {
      deleted = repository.deleteSettled(now() - KEPT_MS, CLEAN_AT_ONCE);
    } catch (error) {
      log.error("old downlinks could not be deleted", { error });
    }
    const waitMs = deleted === CLEAN_AT_ONCE ? 1_000 : CLEAN_EVERY_MS;
    this.cancelCleaning = clock.schedule(waitMs, () => this.clean());
  }
}
