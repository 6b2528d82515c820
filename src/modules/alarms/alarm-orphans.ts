import { detail } from "../../lib/domain-error.ts";
import type { DeviceId } from "../../lib/ids.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { AlarmLifecycle } from "./alarm-lifecycle.ts";
import type { AlarmsRepository } from "./alarms.repository.ts";
import type { ProfileRules } from "./profile-rules.ts";

/** Alarms that are cleared before others get their turn: all devices of a site may have one profile. */
const ALARMS_AT_ONCE = 100;

/** Clears alarms whose rule is not there any more: they would never end. */
export function createOrphans(deps: {
  repository: Pick<AlarmsRepository, "listOpen">;
  lifecycle: Pick<AlarmLifecycle, "commit" | "clear">;
  rulesOf: (device: IngestDevice) => ProfileRules | undefined;
  findDevice: (deviceId: DeviceId) => IngestDevice | undefined;
  guarded: (deviceId: DeviceId, work: () => void) => void;
}) {
  const { repository, lifecycle } = deps;
  const waiting = new Set<DeviceId>();
  let next: NodeJS.Immediate | undefined;

  /** Clears the orphans of a device and returns their number. */
  function clearOf(deviceId: DeviceId): number {
    const device = deps.findDevice(deviceId);
    if (device === undefined) return 0;
    const types = new Set(deps.rulesOf(device)?.all.map(({ alarmType }) => alarmType));
    const orphans = repository.listOpen(deviceId).filter(({ alarmType }) => !types.has(alarmType));
    if (orphans.length > 0)
      lifecycle.commit(() => {
        for (const alarm of orphans) lifecycle.clear(alarm, null, detail("alarm_event.rule_gone"));
      });
    return orphans.length;
  }

  function work(): void {
    next = undefined;
    let left = ALARMS_AT_ONCE;
    for (const deviceId of waiting) {
      waiting.delete(deviceId);
      deps.guarded(deviceId, () => {
        left -= 1 + clearOf(deviceId);
      });
      if (left <= 0) break;
    }
    if (waiting.size > 0) next = setImmediate(work);
  }

  return {
    /** Clears the orphans of the first devices immediately, and of the others soon. */
    clearOrphans(deviceIds: Iterable<DeviceId>): void {
      for (const deviceId of deviceIds) waiting.add(deviceId);
      if (next === undefined) work();
    },
    /** Stops. The rest is checked after the next start. */
    stop(): void {
      clearImmediate(next);
      next = undefined;
      waiting.clear();
    },
  };
}
