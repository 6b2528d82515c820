import type { AlarmSeverity } from "../../lib/alarms/severity.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import type { AlarmEventType, AlarmStatus } from "../alarms/alarms.types.ts";
import type { Peer } from "../api/request-peer.ts";
import type { AttributeScope } from "../attributes/attributes.types.ts";
import type { CommandState } from "../commands/commands.types.ts";
import type { DeviceRejection } from "../devices/devices.types.ts";
import type { RunStatus } from "../scheduler/scheduler.types.ts";
import type { LatestSnapshot, TelemetryValue } from "../telemetry/telemetry.types.ts";
import type { SubscribedKeys } from "./subscribed-keys.ts";

export const REALTIME_TOPICS = [
  "telemetry",
  "attributes",
  "alarms",
  "devices",
  "commands",
  "events",
] as const;
export type RealtimeTopic = (typeof REALTIME_TOPICS)[number];

/** Message from a client (JSON text frame). */
export type ClientMessage =
  | { readonly type: "auth"; readonly token: string }
  | {
      readonly type: "subscribe";
      readonly id: string;
      readonly topics: readonly RealtimeTopic[];
      readonly deviceIds?: readonly string[];
      readonly keys?: readonly string[];
    }
  | { readonly type: "unsubscribe"; readonly id: string }
  | { readonly type: "ping" };

/** Connected reader of the hub. */
export interface RealtimeSocket {
  readonly peer: Peer;
  send(text: string): void;
  /** Returns the sent bytes that the peer has not read yet. */
  bufferedBytes(): number;
  close(code: number, reason: string): void;
}

export interface Subscription {
  readonly id: string;
  readonly topics: ReadonlySet<RealtimeTopic>;
  /** Undefined for every visible device. */
  readonly deviceIds: ReadonlySet<DeviceId> | undefined;
  readonly keys: Pick<SubscribedKeys, "name" | "count" | "bytes" | "of">;
}

export interface DeviceState {
  readonly deviceId: string;
  readonly active: boolean;
  readonly lastActivityAt: string | null;
}

/**
 * Current state, sent for each subscription. It includes everything that the client may have missed. The state of many devices consists of several
 * messages.
 */
export interface SnapshotMessage {
  readonly type: "snapshot";
  /** Id of the subscription, in all of its messages. */
  readonly id: string;
  /** True if the snapshot continues with another message. */
  readonly more?: true;
  readonly telemetry: ReadonlyArray<Omit<LatestSnapshot, "deviceId"> & { readonly deviceId: string }>;
  /** Empty for a subscription to neither `devices` nor `telemetry`. */
  readonly devices: readonly DeviceState[];
}

export interface TelemetryMessage {
  readonly type: "data";
  readonly id: string;
  readonly topic: "telemetry";
  readonly deviceId: string;
  /** Epoch ms of the newest value. */
  readonly ts: number;
  readonly values: Readonly<Record<string, TelemetryValue>>;
  /** Epoch ms of each key's value. */
  readonly timestamps: Readonly<Record<string, number>>;
  /** True if the reader was too slow and intermediate values were dropped. */
  readonly merged?: true;
}

/** Data of the topics other than telemetry. Times are ISO 8601. */
export interface RealtimeEvents {
  readonly attributes: {
    readonly deviceId: string;
    readonly scope: AttributeScope;
    readonly values: Readonly<Record<string, JsonValue>>;
    readonly deleted: readonly string[];
  };
  readonly alarms: {
    readonly event: AlarmEventType;
    readonly deviceId: string;
    readonly alarmId: string;
    readonly name: string;
    readonly severity: AlarmSeverity;
    readonly status: AlarmStatus;
    readonly message: string;
    readonly createdAt: string | null;
    readonly updatedAt: string | null;
  };
  readonly devices:
    | { readonly event: "created" | "updated" | "deleted"; readonly deviceId: string }
    | (DeviceState & { readonly event: "state" })
    | { readonly event: "maintenance"; readonly deviceId: string; readonly until: string | null };
  readonly commands: {
    readonly deviceId: string;
    readonly commandId: string;
    readonly requestId: string;
    readonly status: CommandState;
  };
  readonly events:
    | { readonly event: "rejected"; readonly deviceId: string; readonly rejection: DeviceRejection }
    /** A note on the device was written, changed or deleted. */
    | { readonly event: "note"; readonly deviceId: string }
    | {
        readonly event: "job-run";
        readonly jobId: string;
        readonly name: string;
        readonly runId: string;
        readonly status: RunStatus;
      }
    | { readonly event: "integration"; readonly integrationId: string }
    /** Key metadata of some devices changed; fetch it by `POST /api/key-metadata/resolve`. */
    | { readonly event: "key-metadata" };
}
export type EventTopic = keyof RealtimeEvents;

/** Data of one topic, with its device, if any. */
export type RealtimeEvent<Topic extends EventTopic = EventTopic> = RealtimeEvents[Topic] & {
  readonly deviceId?: DeviceId;
};

/** Event to be sent to its readers. */
export interface LiveEvent {
  readonly topic: EventTopic;
  readonly deviceId: DeviceId | undefined;
  /** Returns the message for a subscription. The event itself is serialized once. */
  readonly textFor: (subscriptionId: string) => string;
}

export type EventMessage<Topic extends EventTopic> = RealtimeEvents[Topic] & {
  readonly type: "data";
  readonly id: string;
  readonly topic: Topic;
};

/** Message of a subscription to its client (JSON text frame). */
export type SubscriptionMessage =
  | SnapshotMessage
  | TelemetryMessage
  | { [Topic in EventTopic]: EventMessage<Topic> }[EventTopic];

/** Close codes of the application range (RFC 6455, 7.4.2). */
export const closeCodes = {
  unauthorized: 4401,
  changed: 1012,
  protocol: 4400,
  tooMany: 4429,
  tooLarge: 1009,
  shutdown: 1001,
} as const;
