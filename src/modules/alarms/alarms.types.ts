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
  /** Profile whose rule last raised the alarm. */
  readonly profileId: ProfileId;
  readonly severity: AlarmSeverity;
  readonly status: AlarmStatus;
  /** English text. */
  readonly message: string;
  /** The message with its values separate; null if it has none. */
  readonly messageParts: readonly MessagePart[] | null;
  readonly createdAt: number;
  /** Time of the last raise. */
  readonly raisedAt: number;
  /** Number of raises; 1 at creation, incremented with each reopening. */
  readonly raiseCount: number;
  readonly updatedAt: number;
  readonly acknowledgedAt: number | null;
  readonly acknowledgedBy: string | null;
  readonly clearedAt: number | null;
  /** `null` if cleared by the rule. */
  readonly clearedBy: string | null;
  /** Gateway of the device, if the alarm also applies to it. */
  readonly gatewayId: DeviceId | null;
  /** Level from 1 to 3. */
  readonly escalationLevel: number;
  /** Monotonic start of the current level; `null` if the alarm escalates no further. */
  readonly escalationSince: number | null;
}

/** Command sent by a rule. */
export interface AlarmCommand {
  readonly sequence: number;
  readonly alarmId: string;
  readonly requestId: string;
  readonly deviceId: DeviceId;
  readonly method: string;
  readonly params: JsonValue;
}

/** Alarm with the current name of its device. */
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
  /** Gateway: only its own alarms and those of its children. */
  readonly gatewayId?: string | undefined;
  readonly profileId?: string | undefined;
  readonly deviceType?: string | undefined;
  readonly tag?: string | undefined;
  /** Alarm type of the rule. */
  readonly name?: string | undefined;
  readonly search?: string | undefined;
  /** Only alarms not cleared before this time, epoch ms. */
  readonly from?: number | undefined;
  /** Only alarms first raised up to this time, epoch ms. */
  readonly to?: number | undefined;
  /** Only alarms last raised up to this time, epoch ms. */
  readonly raisedUntil?: number | undefined;
  /** One of `ALARM_SORT_FIELDS`, with a leading `-` for descending order; default `-raisedAt`. */
  readonly sort?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Open alarms of a device. */
export interface OpenAlarms {
  readonly deviceId: DeviceId;
  readonly deviceName: string;
  readonly parentDeviceId: DeviceId | null;
  /** Highest severity among them. */
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
