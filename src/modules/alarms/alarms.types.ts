import type { MessagePart } from "../../lib/alarms/message-parts.ts";
import type { AlarmSeverity } from "../../lib/alarms/severity.ts";
import type { DeviceId, ProfileId, TenantId } from "../../lib/core/ids.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import type { Params } from "../../lib/texts/text.ts";

export const ALARM_STATUSES = ["ACTIVE_UNACK", "ACTIVE_ACK", "CLEARED_UNACK", "CLEARED_ACK"] as const;
export const OPEN_STATUSES = ["ACTIVE_UNACK", "ACTIVE_ACK"] as const;
export type AlarmStatus = (typeof ALARM_STATUSES)[number];

export const ALARM_EVENT_TYPES = [
  "CREATED",
  "SEVERITY_CHANGED",
  "ESCALATED",
  "ACK",
  "CLEARED",
  "REOPENED",
  "COMMENT",
  "NOTIFIED",
] as const;
export type AlarmEventType = (typeof ALARM_EVENT_TYPES)[number];

export interface Alarm {
  readonly alarmId: string;
  readonly tenantId: TenantId;
  readonly deviceId: DeviceId;
  readonly alarmType: string;
  /** The profile whose rule raised it last. */
  readonly profileId: ProfileId;
  readonly severity: AlarmSeverity;
  readonly status: AlarmStatus;
  /** In English. */
  readonly message: string;
  /** The message with its values separate; null if it has none. */
  readonly messageParts: readonly MessagePart[] | null;
  readonly createdAt: number;
  /** Time at which it was raised last. */
  readonly raisedAt: number;
  /** 1 when it is created, one more each time that it is reopened. */
  readonly raiseCount: number;
  readonly updatedAt: number;
  readonly acknowledgedAt: number | null;
  readonly acknowledgedBy: string | null;
  readonly clearedAt: number | null;
  /** `null` if the rule did it. */
  readonly clearedBy: string | null;
  /** The gateway of the device, where it is an alarm of the gateway, too. */
  readonly gatewayId: DeviceId | null;
  /** 1 to 3. */
  readonly escalationLevel: number;
  /** Steady time since which the alarm has this level; `null` if it rises no further. */
  readonly escalationSince: number | null;
}

/** A command that a rule asks for. */
export interface AlarmCommand {
  readonly sequence: number;
  readonly alarmId: string;
  readonly requestId: string;
  readonly deviceId: DeviceId;
  readonly method: string;
  readonly params: JsonValue;
}

/** Alarm with the present name of its device. */
export interface ListedAlarm extends Alarm {
  readonly deviceName: string;
  readonly deviceType: string;
}

export interface AlarmEvent {
  readonly eventId: string;
  readonly alarmId: string;
  readonly eventType: AlarmEventType;
  readonly code: string;
  readonly params: Params;
  /** Email address or name of the key; null for the gateway itself. */
  readonly by: string | null;
  readonly createdAt: number;
}

export const ALARM_SORT_FIELDS = [
  "raisedAt",
  "createdAt",
  "updatedAt",
  "severity",
  "status",
  "name",
  "deviceName",
] as const;

export type AlarmSortField = (typeof ALARM_SORT_FIELDS)[number];

export interface AlarmFilter {
  readonly severities?: readonly AlarmSeverity[] | undefined;
  readonly statuses?: readonly AlarmStatus[] | undefined;
  readonly deviceId?: DeviceId | undefined;
  /** A gateway: only its own alarms and those of its children. */
  readonly gatewayId?: string | undefined;
  readonly profileId?: string | undefined;
  readonly deviceType?: string | undefined;
  readonly tag?: string | undefined;
  /** Alarm type of the rule. */
  readonly name?: string | undefined;
  readonly search?: string | undefined;
  /** Only alarms that were not cleared before this time, epoch ms. */
  readonly from?: number | undefined;
  /** Only alarms that were raised for the first time until then, epoch ms. */
  readonly to?: number | undefined;
  /** Only alarms that were last raised until then, epoch ms. */
  readonly raisedUntil?: number | undefined;
  /** One of `ALARM_SORT_FIELDS`, with `-` before it for the reverse; `-raisedAt` by default. */
  readonly sort?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The open alarms of a device. */
export interface OpenAlarms {
  readonly deviceId: DeviceId;
  readonly deviceName: string;
  readonly parentDeviceId: DeviceId | null;
  /** The most severe of them. */
  readonly severity: AlarmSeverity;
  readonly count: number;
  readonly unacknowledged: number;
}

export interface EscalationSettings {
  readonly level1To2Minutes: number;
  readonly level2To3Minutes: number;
  readonly stopOnAck: boolean;
  readonly stopOnClear: boolean;
}

export const escalationDefaults: EscalationSettings = {
  level1To2Minutes: 15,
  level2To3Minutes: 30,
  stopOnAck: true,
  stopOnClear: true,
};
