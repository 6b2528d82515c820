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

/** One network server, as this gateway sees it now. */
interface Lane {
  /** Devices to which one is in progress. */
  readonly busy: Set<string>;
  /** Failures in a row. While there are any, one downlink at a time is tried. */
  failures: number;
  blockedUntil: number;
}

const expired = (reason: Text | null): Text =>
  reason === null ? detail("downlink_error.expired") : detail("downlink_error.expired_because", { reason });

/**
 * Hands downlinks to network servers: of each device one after the other, of each integration a few at once, again after a while where
 * the server was not there. A downlink whose answer was lost goes out twice rather than never.
 */
export function createDownlinkSender(deps: {
  repository: DownlinksRepository;
  attempt: Pick<DownlinkAttempt, "run">;
  lifecycle: DownlinkLifecycle;
  /** Returns `undefined` if it is gone. */
  readyOf: (integrationId: string) => ReadyIntegration | undefined;
  /** Reports the result of an attempt, for the integration's events. */
  onAttempted: (downlink: Downlink, attempted: Attempted) => void;
  clock: Clock;
  /** Epoch ms that never jump. */
  now: () => number;
  random: () => number;
  log: Logger;
}) {
  const { repository, lifecycle, clock, now, log } = deps;
  /** Keyed by integration. */
  const lanes = new Map<string, Lane>();
  const inFlight = new Set<Promise<void>>();
  let controller = new AbortController();
  let isRunning = false;
  let isPumping = false;
  let cancelTimer: () => void = () => undefined;
  let cancelCleaning: () => void = () => undefined;

  function laneOf(integrationId: string): Lane {
    const lane = lanes.get(integrationId);
    if (lane !== undefined) return lane;
    const newLane: Lane = { busy: new Set(), failures: 0, blockedUntil: 0 };
    lanes.set(integrationId, newLane);
    return newLane;
  }

  const retriesOf = ({ settings }: ReadyIntegration) =>
    settings.downlink?.retries ?? Number.POSITIVE_INFINITY;

  function settle(downlink: Downlink, ready: ReadyIntegration, attempted: Attempted): void {
    const lane = laneOf(downlink.integrationId);
    if (attempted.isDone || attempted.isFinal || attempted.whose === "downlink") lane.failures = 0;
    deps.onAttempted(downlink, attempted);
    if (attempted.isDone) {
      lifecycle.sent(downlink, attempted.networkId);
      return;
    }
    const attempts = downlink.attempts + 1;
    if (attempted.isFinal || attempts > retriesOf(ready)) {
      lifecycle.failed(downlink, attempted.error);
      return;
    }
    const isServers = attempted.whose === "server";
    if (isServers) lane.failures++;
    const waitMs = Math.max(waitAfter(isServers ? lane.failures : attempts, deps.random), attempted.waitMs);
    if (isServers) lane.blockedUntil = now() + waitMs;
    const nextAttemptAt = Math.min(now() + waitMs, downlink.expiresAt);
    lifecycle.postponed(downlink, { error: attempted.error, nextAttemptAt, attempts });
  }

  async function send(downlink: Downlink, ready: ReadyIntegration): Promise<void> {
    const lane = laneOf(downlink.integrationId);
    const { signal } = controller;
    try {
      const attempted = await deps.attempt.run(ready, downlink, signal);
      // Called off by our own end: it goes out again after the next start.
      if (signal.aborted && !attempted.isDone) return;
      settle(downlink, ready, attempted);
    } catch (error) {
      log.error("the result of a downlink could not be written", { downlinkId: downlink.downlinkId, error });
      lane.blockedUntil = now() + PAUSED_MS;
    } finally {
      lane.busy.delete(downlink.deviceKey);
    }
  }

  function begin(downlink: Downlink, ready: ReadyIntegration): void {
    laneOf(downlink.integrationId).busy.add(downlink.deviceKey);
    const done = send(downlink, ready).finally(() => {
      inFlight.delete(done);
      wake();
    });
    inFlight.add(done);
  }

  function serve(integrationId: string): void {
    const lane = laneOf(integrationId);
    const ready = deps.readyOf(integrationId);
    if (ready === undefined || lane.blockedUntil > now()) return;
    while (lane.busy.size < (lane.failures > 0 ? 1 : AT_ONCE)) {
      const downlink = repository.nextDue(integrationId, now(), [...lane.busy]);
      if (downlink === undefined) return;
      if (ready.integration.status === "paused") {
        const nextAttemptAt = Math.min(now() + PAUSED_MS, downlink.expiresAt);
        lifecycle.postponed(downlink, {
          error: detail("downlink_error.paused"),
          nextAttemptAt,
          attempts: downlink.attempts,
        });
        lane.blockedUntil = nextAttemptAt;
        return;
      }
      begin(downlink, ready);
    }
  }

  function expire(): void {
    for (const downlink of repository.listExpired(now(), EXPIRED_AT_ONCE)) {
      if (laneOf(downlink.integrationId).busy.has(downlink.deviceKey)) continue;
      lifecycle.failed(downlink, expired(downlink.error));
    }
  }

  /** Schedules the next check. A downlink that is in flight wakes the sender itself when it ends. */
  function arm(): void {
    cancelTimer();
    const blocked = [...lanes.values()]
      .map(({ blockedUntil }) => blockedUntil)
      .filter((until) => until > now());
    const timeMs = Math.min(repository.nextAt(now()) ?? Number.POSITIVE_INFINITY, ...blocked);
    if (timeMs === Number.POSITIVE_INFINITY) return;
    cancelTimer = clock.schedule(Math.min(Math.max(timeMs - now(), 1), TIMER_MS_MAX), wake);
  }

  function pump(): void {
    expire();
    for (const integrationId of repository.dueIntegrations(now())) serve(integrationId);
    arm();
  }

  function wake(): void {
    if (!isRunning || isPumping) return;
    isPumping = true;
    // Later: whoever has just queued one goes on first, and many of them are looked at once.
    setImmediate(() => {
      isPumping = false;
      if (!isRunning) return;
      try {
        pump();
      } catch (error) {
        log.error("due downlinks could not be read", { error });
        cancelTimer = clock.schedule(PAUSED_MS, wake);
      }
    });
  }

  function clean(): void {
    let deleted = 0;
    try {
      deleted = repository.deleteSettled(now() - KEPT_MS, CLEAN_AT_ONCE);
    } catch (error) {
      log.error("old downlinks could not be deleted", { error });
    }
    cancelCleaning = clock.schedule(deleted === CLEAN_AT_ONCE ? 1_000 : CLEAN_EVERY_MS, clean);
  }

  return {
    /** Reports that a downlink is due. */
    wake,
    /** The integration has changed: what waits for it is tried at once. */
    hasten(integrationId: string): void {
      const lane = lanes.get(integrationId);
      // What is in progress stays so, lest it goes out twice.
      if (lane?.busy.size === 0) lanes.delete(integrationId);
      else if (lane !== undefined) Object.assign(lane, { failures: 0, blockedUntil: 0 });
      repository.hasten(now(), integrationId);
      wake();
    },
    start(): void {
      isRunning = true;
      controller = new AbortController();
      // Also what a clock that was set back would have wait for long.
      repository.hasten(now());
      wake();
      clean();
    },
    async stop(): Promise<void> {
      isRunning = false;
      cancelTimer();
      cancelCleaning();
      controller.abort(new Error("the gateway stops"));
      await Promise.all(inFlight);
      lifecycle.stop();
    },
  };
}

export type DownlinkSender = ReturnType<typeof createDownlinkSender>;
