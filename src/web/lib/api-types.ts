// The shapes of the service contract that the console reads.

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
export type TelemetryValue = Exclude<JsonValue, null>;

export type Role = "TENANT_OWNER" | "TENANT_ADMIN" | "TENANT_RW" | "TENANT_READ_ONLY";

export interface Me {
  readonly userId: string;
  readonly email: string;
  readonly fullName?: string;
  readonly tenantId?: string;
  readonly tenantName?: string;
  readonly role?: Role;
  /** What the role allows, by the server's own table. */
  readonly permissions?: readonly string[];
  readonly onboardingRequired?: boolean;
  /** Who really acts, where somebody acts as the user. */
  readonly impersonator?: { readonly userId: string; readonly email: string };
}

/** Somebody works on a device: its alarms are mute. Times are ISO 8601. */
export interface Maintenance {
  /** The gateway's where it is the gateway that is worked on. */
  readonly deviceId: string;
  readonly since: string;
  readonly until: string;
  readonly reason: string;
  readonly by: string;
}

export interface DeviceRow {
  readonly deviceId: string;
  readonly name: string;
  readonly deviceType?: string | null;
  readonly label?: string | null;
  readonly active: boolean;
  readonly lastActivityAt?: string | number | null;
  readonly role?: "DEVICE" | "GATEWAY";
  readonly parentDeviceId?: string | null;
  /** What its gateway calls it. */
  readonly childName?: string | null;
  readonly profileId?: string | null;
  readonly assetId?: string | null;
  readonly tags?: readonly string[];
  readonly maintenance?: Maintenance;
}

export interface DeviceDetail extends DeviceRow {
  readonly lastConnectedAt?: string | null;
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly inactivityTimeoutMs?: number | null;
  readonly targetDashboardId?: string;
  readonly targetStateId?: string;
  readonly credentials?: { readonly type: string; readonly token?: string };
}

export interface DeviceProfile {
  readonly profileId: string;
  readonly name: string;
  readonly isDefault?: boolean;
}

export interface LatestSnapshot {
  readonly deviceId: string;
  readonly values: Record<string, TelemetryValue>;
  readonly timestamps?: Record<string, number>;
  readonly ts: number;
}

export type Aggregation = "none" | "min" | "max" | "avg" | "sum" | "count";

export interface RangeAnswer {
  readonly data: readonly {
    readonly deviceId: string;
    readonly series: readonly {
      readonly key: string;
      readonly points: readonly { ts: number; value: TelemetryValue }[];
    }[];
  }[];
}

export type Scope = "SERVER" | "SHARED" | "CLIENT";

export interface AttributeEntry {
  readonly key: string;
  readonly value: JsonValue;
  readonly scope: Scope;
  readonly updatedAt: string;
}

export interface Rejection {
  readonly at: string | number;
  readonly source: string;
  readonly where: string;
  readonly code: string;
  readonly reason: string;
  readonly sample?: string | null;
}
