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

/**
 * Lets alarms rise from level to level by the tenant's minutes. An alarm keeps since when it has had its level, so settings that are
 * changed hold for open alarms, too, and what became due while the gateway was off is made up for at once.
 */
export function createEscalation(deps: {
  repository: Pick<AlarmsRepository, "findById" | "listEscalating" | "update">;
  lifecycle: Pick<AlarmLifecycle, "commit" | "escalate">;
  settingsOf: (tenantId: TenantId) => EscalationSettings;
  /** Returns how long the device is mute; 0 when it is not. */
  mutedMs: (deviceId: DeviceId) => number;
  clock: Clock;
  /** Steady epoch ms. */
  now: () => number;
  events: EventBus<DomainEvents>;
  log: Logger;
}) {
  const { repository, lifecycle, now, log } = deps;

  const minutesOf = ({ tenantId }: Alarm, level: number): number => {
    const { level1To2Minutes, level2To3Minutes } = deps.settingsOf(tenantId);
    return level === 1 ? level1To2Minutes : level2To3Minutes;
  };

  function watch(alarm: Alarm): void {
    const { escalationSince, escalationLevel, alarmId } = alarm;
    if (escalationSince === null || escalationLevel >= LEVEL_MAX) return;
    timers.set(alarmId, escalationSince + minutesOf(alarm, escalationLevel) * MINUTE_MS);
  }

  /** The level that it has come to by now, and since when. */
  function reached(alarm: Alarm, from: number): { level: number; since: number } {
    let [level, since] = [alarm.escalationLevel, from];
    for (; level < LEVEL_MAX; level++) {
      const next = since + minutesOf(alarm, level) * MINUTE_MS;
      if (next > now()) break;
      since = next;
    }
    return { level, since };
  }

  const isStopped = ({ tenantId, acknowledgedAt, clearedAt }: Alarm): boolean => {
    const { stopOnAck, stopOnClear } = deps.settingsOf(tenantId);
    return (stopOnAck && acknowledgedAt !== null) || (stopOnClear && clearedAt !== null);
  };

  function escalateIfDue(alarmId: string): void {
    const alarm = repository.findById(alarmId);
    if (alarm === undefined || alarm.escalationSince === null) return;
    const mutedMs = deps.mutedMs(alarm.deviceId);
    const { level, since } = reached(alarm, alarm.escalationSince);
    if (isStopped(alarm)) repository.update({ ...alarm, escalationSince: null });
    else if (mutedMs > 0) timers.set(alarmId, now() + mutedMs);
    else if (level === alarm.escalationLevel) watch(alarm);
    else
      lifecycle.commit(() => lifecycle.escalate(alarm, { level, since: level === LEVEL_MAX ? null : since }));
  }

  const timers = new AlarmTimers<string>(deps.clock, now, (alarmId) => {
    try {
      escalateIfDue(alarmId);
    } catch (error) {
      log.error("an alarm could not be escalated and is retried", { alarmId, error }); // a full disk, say
      timers.set(alarmId, now() + RETRY_MS);
    }
  });

  deps.events.on("alarm.changed", watch);
  deps.events.on("device.maintenance", ({ tenantId, until }) => {
    if (until === null) for (const alarm of repository.listEscalating(tenantId)) watch(alarm);
  });

  return {
    start(): void {
      for (const alarm of repository.listEscalating()) {
        // The clock may have been set back meanwhile: nothing lies in the future.
        const since = Math.min(alarm.escalationSince ?? 0, now());
        if (since !== alarm.escalationSince) repository.update({ ...alarm, escalationSince: since });
        watch({ ...alarm, escalationSince: since });
      }
      timers.start();
    },
    stop: (): void => timers.stop(),
    settingsChanged(tenantId: TenantId): void {
      for (const alarm of repository.listEscalating(tenantId)) watch(alarm);
    },
  };
}
