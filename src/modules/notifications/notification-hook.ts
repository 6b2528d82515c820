import { textOf } from "../../lib/domain-error.ts";
import type { DeviceId } from "../../lib/ids.ts";
import type { Alarm, AlarmEvent } from "../alarms/alarms.types.ts";
import type { NotificationsRepository } from "./notifications.repository.ts";
import type { NotificationTrigger } from "./notifications.types.ts";

const triggers: Readonly<Partial<Record<AlarmEvent["eventType"], NotificationTrigger>>> = {
  CREATED: "CREATED",
  REOPENED: "CREATED",
  SEVERITY_CHANGED: "CREATED",
  ESCALATED: "ESCALATED",
  CLEARED: "CLEARED",
};

/**
 * Queues the notification of an event, in the transaction of the event: nothing for a device that is mute, or for a rule that notifies
 * nobody.
 */
export const createNotificationHook =
  (deps: {
    repository: Pick<NotificationsRepository, "addNotification">;
    mutedMs: (deviceId: DeviceId) => number;
    recipientIdsOf: (alarm: Alarm) => readonly string[] | undefined;
  }) =>
  (alarm: Alarm, event: AlarmEvent, before: Alarm | undefined): void => {
    const trigger = triggers[event.eventType];
    if (trigger === undefined || deps.mutedMs(alarm.deviceId) > 0) return;
    if (deps.recipientIdsOf(alarm)?.length === 0) return;
    const { tenantId, alarmId, deviceId, severity, alarmType, message, messageParts } = alarm;
    const hasRisen = event.eventType === "SEVERITY_CHANGED";
    deps.repository.addNotification({
      ...{ tenantId, alarmId, deviceId, trigger, severity, alarmType, message, messageParts },
      formerSeverity: hasRisen ? (before?.severity ?? null) : null,
      cause: trigger === "CLEARED" ? textOf(event) : null,
      level: alarm.escalationLevel,
      at: event.createdAt,
    });
  };
