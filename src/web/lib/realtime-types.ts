import type { DeviceRow, LatestSnapshot, Rejection, Scope, TelemetryValue } from "./api-types.ts";
import type { JsonValue } from "./wire.ts";

export type Topic = "telemetry" | "attributes" | "devices" | "events" | "commands" | "alarms";

export interface SubscriptionSpec {
  readonly topics: readonly Topic[];
  /** Devices to subscribe to; absent for all devices of the tenant. */
  readonly deviceIds?: readonly string[];
  readonly keys?: readonly string[];
}

export interface DeviceState {
  readonly deviceId: string;
  readonly active: boolean;
  readonly lastActivityAt?: string | null;
}

/** The newest state at (re-)subscription; everything a chart missed since its last point must be fetched then. */
export interface SnapshotMessage {
  readonly type: "snapshot";
  readonly telemetry?: readonly LatestSnapshot[];
  readonly devices?: readonly DeviceState[];
}

export interface TelemetryMessage {
  readonly type: "data";
  readonly topic: "telemetry";
  readonly deviceId: string;
  readonly ts: number;
  readonly values: Record<string, TelemetryValue>;
  readonly timestamps?: Record<string, number>;
}

export interface AttributesMessage {
  readonly type: "data";
  readonly topic: "attributes";
  readonly deviceId: string;
  readonly scope: Scope;
  readonly values?: Record<string, JsonValue>;
  readonly deleted?: readonly string[];
}

export interface DevicesMessage {
  readonly type: "data";
  readonly topic: "devices";
  readonly event: "created" | "updated" | "deleted" | "state" | "maintenance";
  readonly deviceId: string;
  readonly active?: boolean;
  readonly lastActivityAt?: string | null;
  readonly device?: DeviceRow;
}

export interface EventsMessage {
  readonly type: "data";
  readonly topic: "events";
  readonly event: "rejected";
  readonly deviceId: string;
  readonly rejection: Rejection;
}

/** A run of a job has come to its end. */
export interface JobRunMessage {
  readonly type: "data";
  readonly topic: "events";
  readonly event: "job-run";
  readonly jobId: string;
}

/** An integration was changed, or something came from it. */
export interface IntegrationMessage {
  readonly type: "data";
  readonly topic: "events";
  readonly event: "integration";
  readonly integrationId: string;
}

/** A command has come into another state. */
export interface CommandsMessage {
  readonly type: "data";
  readonly topic: "commands";
  readonly deviceId: string;
}

/** Something has happened to an alarm. */
export interface AlarmsMessage {
  readonly type: "data";
  readonly topic: "alarms";
  readonly deviceId: string;
  readonly alarmId: string;
}

export type RealtimeMessage =
  | SnapshotMessage
  | CommandsMessage
  | AlarmsMessage
  | TelemetryMessage
  | AttributesMessage
  | DevicesMessage
  | EventsMessage
  | JobRunMessage
  | IntegrationMessage;
