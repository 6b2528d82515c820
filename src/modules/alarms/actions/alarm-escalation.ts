import type { DeviceId, TenantId } from "../../../lib/core/ids.ts";
import { MINUTE_MS } from "../../../lib/core/units.ts";
import type { EventBus } from "../../../platform/core/event-bus.ts";
import type { Logger } from "../../../platform/core/log.ts";
import type { TrustedClock } from "../../../platform/time/trusted-clock.ts";
import type { DomainEvents } from "../../events.types.ts";
import type { AlarmLifecycle } from "../alarm-lifecycle.ts";
import type { AlarmsRepository } from "../alarms.repository.ts";
import type { Alarm, EscalationSettings } from "../alarms.types.ts";
import type { AlarmTime } from "../engine/alarm-time.ts";
import { AlarmTimers } from "../engine/alarm-timers.ts";

const LEVEL_MAX = 3;
const RETRY_MS = 5_000;
/** Interval of the checks whether a clock that was unset at startup has been set. */
const CLOCK_CHECK_MS = 1_000;
/** Wait for further ends of maintenance in ms. */
const ENDED_DELAY_MS = 1_000;

interface AlarmEscalationDeps {
  readonly repository: Pick<AlarmsRepository, "findById" | "listEscalating" | "update">;
  readonly lifecycle: Pick<AlarmLifecycle, "commit" | "escalate">;
  readonly settingsOf: (tenantId: TenantId) => EscalationSettings;
  /** Returns for how long the device is muted, in ms; 0 if it is not muted. */
  readonly mutedMs: (deviceId: DeviceId) => number;
  readonly clock: Pick<TrustedClock, "now" | "monotonic" | "schedule" | "isSet">;
  readonly time: AlarmTime;
  readonly events: EventBus<DomainEvents>;
  readonly log: Logger;
}

/**
 * Escalates alarms from level to level at the tenant's intervals. An alarm stores the start of its level, so changed settings apply to open alarms,
 * too, and escalations missed while the gateway was off are made up immediately. While the gateway's clock is not set, that time is unknown, and
 * nothing escalates.
 */
export class AlarmEscalation {
  /** Timers by alarm. */
  readonly #timers: AlarmTimers<string>;
  #cancelCheck: () => void = () => undefined;
  /** Tenants with devices whose maintenance has just ended. */
  readonly #ended = new Set<TenantId>();
  #cancelEnded: () => void = () => undefined;

  readonly #deps: AlarmEscalationDeps;

  constructor(deps: AlarmEscalationDeps) {
    this.#deps = deps;
    this.#timers = new AlarmTimers(
      deps.clock,
      () => deps.time.now(),
      (alarmId) => this.#onDue(alarmId),
    );
  }

  /** Subscribes to the transitions of alarms and the ends of maintenance. The module calls it once, before anything is started. */
  subscribe(): void {
    this.#deps.events.on("alarm.changed", (alarm) => this.#watch(alarm));
    this.#deps.events.on("device.maintenance", ({ tenantId, until }) => {
      if (until === null) this.#maintenanceEnded(tenantId);
    });
  }

  start(): void {
    const { repository, clock } = this.#deps;
    if (clock.isSet()) {
      this.#run(() => 0);
      return;
    }
    const earlier = new Map(
      repository.listEscalating().map(({ alarmId, escalationSince }) => [alarmId, escalationSince]),
    );
    this.#awaitClock(earlier);
  }

  stop(): void {
    this.#cancelEnded();
    this.#ended.clear();
    this.#cancelCheck();
    this.#timers.stop();
  }

  /** `earlier`: alarms of earlier runs, with the start of their current level. */
  #awaitClock(earlier: ReadonlyMap<string, number | null>): void {
    const { clock, time } = this.#deps;
    this.#cancelCheck = clock.schedule(CLOCK_CHECK_MS, () => {
      if (!clock.isSet()) {
        this.#awaitClock(earlier);
        return;
      }
      const shiftMs = time.followWall();
      // Only times written by this run are shifted; those of earlier runs are already right.
      this.#resume(({ alarmId, escalationSince }) =>
        earlier.get(alarmId) === escalationSince ? 0 : shiftMs,
      );
    });
  }

  #resume(shiftOf: (alarm: Alarm) => number): void {
    try {
      this.#run(shiftOf);
    } catch (error) {
      this.#deps.log.error("escalation could not be resumed and is retried", { error });
      this.#cancelCheck = this.#deps.clock.schedule(RETRY_MS, () => this.#resume(shiftOf));
    }
  }

  #run(shiftOf: (alarm: Alarm) => number): void {
    const { repository, lifecycle, time } = this.#deps;
    // In one transaction, so that no alarm is shifted twice.
    lifecycle.commit(() => {
      for (const alarm of repository.listEscalating()) {
        // The clock may have been set back meanwhile, so times in the future are cut to now.
        const since = Math.min((alarm.escalationSince ?? 0) + shiftOf(alarm), time.now());
        if (since !== alarm.escalationSince) repository.update({ ...alarm, escalationSince: since });
      }
    });
    for (const alarm of repository.listEscalating()) this.#watch(alarm);
    this.#timers.start();
  }

  /** Looks at the open alarms of the tenant soon: the maintenance of thousands of its devices may end at the same time. */
  #maintenanceEnded(tenantId: TenantId): void {
    if (this.#ended.size === 0)
      this.#cancelEnded = this.#deps.clock.schedule(ENDED_DELAY_MS, () => {
        const tenants = [...this.#ended];
        this.#ended.clear();
        try {
          for (const ended of tenants) this.settingsChanged(ended);
        } catch (error) {
          this.#deps.log.error("escalation could not be resumed after a maintenance", { error });
        }
      });
    this.#ended.add(tenantId);
  }

  /** Applies the changed settings of a tenant to its open alarms. */
  settingsChanged(tenantId: TenantId): void {
    for (const alarm of this.#deps.repository.listEscalating(tenantId)) this.#watch(alarm);
  }

  #minutesOf({ tenantId }: Alarm, level: number): number {
    const { level1To2Minutes, level2To3Minutes } = this.#deps.settingsOf(tenantId);
    return level === 1 ? level1To2Minutes : level2To3Minutes;
  }

  #watch(alarm: Alarm): void {
    const { escalationSince, escalationLevel, alarmId } = alarm;
    if (escalationSince === null || escalationLevel >= LEVEL_MAX) return;
    this.#timers.set(alarmId, escalationSince + this.#minutesOf(alarm, escalationLevel) * MINUTE_MS);
  }

  /** Returns the level that the alarm has reached by now, and its start. */
  #reached(alarm: Alarm, from: number): { level: number; since: number } {
    let [level, since] = [alarm.escalationLevel, from];
    for (; level < LEVEL_MAX; level++) {
      const next = since + this.#minutesOf(alarm, level) * MINUTE_MS;
      if (next > this.#deps.time.now()) break;
      since = next;
    }
    return { level, since };
  }

  #isStopped({ tenantId, acknowledgedAt, clearedAt }: Alarm): boolean {
    const { stopOnAck, stopOnClear } = this.#deps.settingsOf(tenantId);
    return (stopOnAck && acknowledgedAt !== null) || (stopOnClear && clearedAt !== null);
  }

  #onDue(alarmId: string): void {
    const { time, log } = this.#deps;
    try {
      this.#escalateIfDue(alarmId);
    } catch (error) {
      log.error("escalating an alarm failed, retrying", { alarmId, error }); // a full disk, say
      this.#timers.set(alarmId, time.now() + RETRY_MS);
    }
  }

  #escalateIfDue(alarmId: string): void {
    const { repository, lifecycle, time } = this.#deps;
    const alarm = repository.findById(alarmId);
    if (alarm === undefined || alarm.escalationSince === null) return;
    const mutedMs = this.#deps.mutedMs(alarm.deviceId);
    const { level, since } = this.#reached(alarm, alarm.escalationSince);
    if (this.#isStopped(alarm)) repository.update({ ...alarm, escalationSince: null });
    else if (mutedMs > 0) this.#timers.set(alarmId, time.now() + mutedMs);
    else if (level === alarm.escalationLevel) this.#watch(alarm);
    else
      lifecycle.commit(() => lifecycle.escalate(alarm, { level, since: level === LEVEL_MAX ? null : since }));
  }
}
