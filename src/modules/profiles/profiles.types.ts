import type { BodyEncoding } from "../../lib/body.ts";
import type { ProfileId, TenantId } from "../../lib/ids.ts";
import type { JsonValue } from "../../lib/json.ts";
import type { KeyMetadata } from "../../lib/key-metadata.ts";

/** What happens when a device opens more MQTT sessions than it may have: the oldest ends, or the new one is refused. */
export const sessionsWhenFull = ["REPLACE", "REFUSE"] as const;
export type SessionsWhenFull = (typeof sessionsWhenFull)[number];

/** Describes the reply to one method of a device's request: fixed JSON, or what a script returns. */
export interface DeviceRequestRule {
  readonly method: string;
  readonly reply?: JsonValue;
  /** JavaScript with a function `transform(message, metadata)`. */
  readonly script?: string;
}

export interface DeviceProfile {
  readonly profileId: ProfileId;
  readonly tenantId: TenantId;
  readonly name: string;
  readonly description: string;
  readonly isDefault: boolean;
  readonly alarmRules: readonly unknown[];
  /** `null` for three times the observed interval of each device. */
  readonly inactivityTimeoutMs: number | null;
  readonly retentionDays: number | null;
  readonly telemetryTopic: string | null;
  readonly payload: BodyEncoding;
  readonly commandTimeoutMs: number;
  /** A gateway with this profile makes its child devices by naming them. */
  readonly createsChildren: boolean;
  /** Sessions that a device may have at once, each under a client id of its own. */
  readonly sessionsMax: number;
  readonly sessionsWhenFull: SessionsWhenFull;
  /** Limit of one device; null for the gateway's setting. */
  readonly messagesPerSecond: number | null;
  /** Messages of one device that may come at once; null: ten seconds' worth. */
  readonly messagesBurst: number | null;
  /** Telemetry that is a text of a plain decimal number is stored as a number. */
  readonly convertsNumericText: boolean;
  /** Replies to requests that its devices send. */
  readonly deviceRequests: readonly DeviceRequestRule[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A profile with the metadata of its keys, which most readers of profiles do not need. */
export interface ProfileWithKeys extends DeviceProfile {
  readonly keyMetadata: readonly KeyMetadata[];
}

/** Describes what a person may set; what is left out keeps its value (or takes the default). */
export type ProfileChanges = {
  readonly [K in keyof Omit<DeviceProfile, "profileId" | "tenantId" | "createdAt" | "updatedAt">]?:
    | DeviceProfile[K]
    | undefined;
} & {
  /** As received; it is checked before it is stored. */
  readonly keyMetadata?: unknown;
};

export const profileDefaults = {
  description: "",
  isDefault: false,
  alarmRules: [],
  inactivityTimeoutMs: null,
  retentionDays: null,
  telemetryTopic: null,
  payload: "AUTO",
  commandTimeoutMs: 30_000,
  createsChildren: true,
  sessionsMax: 1,
  sessionsWhenFull: "REPLACE",
  messagesPerSecond: null,
  messagesBurst: null,
  convertsNumericText: false,
  deviceRequests: [],
} as const;

/** Requests of devices that the gateway answers itself. */
export const ownMethods: readonly string[] = ["getServerTime", "getCurrentTime", "getSessionLimits"];
