import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { Logger } from "../../platform/log.ts";
import type { DomainEvents } from "../events.types.ts";
import type { AlarmLifecycle } from "./alarm-lifecycle.ts";
import { AlarmTimers } from "./alarm-timers.ts";
import type { AlarmsRepository } from "./alarms.repository.ts";
import type { Alarm, EscalationSettings } from "./alarms.types.ts";

const MINUTE_MS = 60_000;
const LEVEL_MAX = 3;
const RETRY_MS = 5_000;

interface AlarmEscalationDeps {
  readonly repository: Pick<AlarmsRepository, "findById" | "listEscalating" | "update">;
  readonly lifecycle: Pick<AlarmLifecycle, "commit" | "escalate">;
  readonly settingsOf: (tenantId: TenantId) => EscalationSettings;
  /** Returns how long the device is mute; 0 when it is not. */
  readonly mutedMs: (deviceId: DeviceId) => number;
  readonly clock: Clock;
  /** Steady epoch ms. */
  readonly now: () => number;
  readonly events: EventBus<DomainEvents>;
  readonly log: Logger;
}

/**
 * Lets alarms rise from level to level by the tenant's minutes. An alarm keeps since when it has had its level, so settings that are
 * changed hold for open alarms, too, and what became due while the gateway was off is made up for at once.
 */
export class AlarmEscalation {
  /** Keyed by alarm. */
  private readonly timers: AlarmTimers<string>;

  constructor(private readonly deps: AlarmEscalationDeps) {
    this.timers = new AlarmTimers(deps.clock, deps.now, (alarmId) => this.onDue(alarmId));
  }

  /** Subscribes to the transitions of alarms and the ends of maintenance. The module calls it once, before anything is started. */
  subscribe(): void {
    this.deps.events.on("alarm.changed", (alarm) => this.watch(alarm));
    this.deps.events.on("device.maintenance", ({ tenantId, until }) => {
      if (until === null) this.settingsChanged(tenantId);
    });
  }

  start(): void {
    const { repository, now } = this.deps;
    for (const alarm of repository.listEscalating()) {
      // The clock may have been set back meanwhile: nothing lies in the future.
      const since = Math.min(alarm.escalationSince ?? 0, now());
      if (since !== alarm.escalationSince) repository.update({ ...alarm, escalationSince: since });
      this.watch({ ...alarm, escalationSince: since });
    }
    this.timers.start();
  }

  stop(): void {
    this.timers.stop();
  }

  /** Applies the changed settings of a tenant to its open alarms. */
  settingsChanged(tenantId: TenantId): void {
    for (const alarm of this.deps.repository.listEscalating(tenantId)) this.watch(alarm);
  }

  private minutesOf({ tenantId }: Alarm, level: number): number {
    const { level1To2Minutes, level2To3Minutes } = this.deps.settingsOf(tenantId);
    return level === 1 ? level1To2Minutes : level2To3Minutes;
  }

  private watch(alarm: Alarm): void {
    const { escalationSince, escalationLevel, alarmId } = alarm;
    if (escalationSince === null || escalationLevel >= LEVEL_MAX) return;
    this.timers.set(alarmId, escalationSince + this.minutesOf(alarm, escalationLevel) * MINUTE_MS);
  }

  /** Returns the level that it has come to by now, and since when. */
  private reached(alarm: Alarm, from: number): { level: number; since: number } {
    let [level, since] = [alarm.escalationLevel, from];
    for (; level < LEVEL_MAX; level++) {
      const next = since + this.minutesOf(alarm, level) * MINUTE_MS;
      if (next > this.deps.now()) break;
      since = next;
    }
    return { level, since };
  }

  private isStopped({ tenantId, acknowledgedAt, clearedAt }: Alarm): boolean {
    const { stopOnAck, stopOnClear } = this.deps.settingsOf(tenantId);
    return (stopOnAck && acknowledgedAt !== null) || (stopOnClear && clearedAt !== null);
  }

  private onDue(alarmId: string): void {
    const { now, log } = this.deps;
    try {
      this.escalateIfDue(alarmId);
    } catch (error) {
      log.error("an alarm could not be escalated and is retried", { alarmId, error }); // a full disk, say
      this.timers.set(alarmId, now() + RETRY_MS);
    }
  }

  private escalateIfDue(alarmId: string): void {
    const { repository, lifecycle, now } = this.deps;
    const alarm = repository.findById(alarmId);
    if (alarm === undefined || alarm.escalationSince === null) return;
    const mutedMs = this.deps.mutedMs(alarm.deviceId);
    const { level, since } = this.reached(alarm, alarm.escalationSince);
    if (this.isStopped(alarm)) repository.update({ ...alarm, escalationSince: null });
    else if (mutedMs > 0) this.timers.set(alarmId, now() + mutedMs);
    else if (level === alarm.escalationLevel) this.watch(alarm);
    else
      lifecycle.commit(() => lifecycle.escalate(alarm, { level, since: level === LEVEL_MAX ? null : since }));
  }
}
