import type { DeviceId, ProfileId, TenantId } from "../../lib/core/ids.ts";
import type { DeviceState } from "../../lib/devices/device-state.ts";
import type { Params } from "../../lib/texts/text.ts";
import type { ObservedInterval } from "../../lib/time/observed-interval.ts";
import type { IngestSource } from "../ingest/ingest.types.ts";

/** Attribute that maps LoRaWAN uplinks to a device (SERVER scope, 16 lower-case hexadecimal digits). */
export const DEV_EUI_KEY = "integration.lorawan.dev_eui";

export type DeviceRole = "DEVICE" | "GATEWAY";

export interface Device {
  readonly deviceId: DeviceId;
  readonly tenantId: TenantId;
  readonly profileId: ProfileId;
  readonly name: string;
  readonly label: string;
  readonly deviceType: string;
  readonly assetId: string | null;
  readonly parentDeviceId: DeviceId | null;
  /** Name used by its current or last gateway; `null` if the gateway has another child of that name. */
  readonly childName: string | null;
  readonly role: DeviceRole;
  /** Inactivity timeout of the device; `null` if the profile decides. */
  readonly inactivityTimeoutMs: number | null;
  readonly targetDashboardId: string | null;
  readonly targetStateId: string | null;
  readonly commandTransport: "WS" | "MQTT" | null;
  readonly tags: readonly string[];
  readonly token: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Activity of a device as seen by the gateway; times are epoch ms. */
export interface DeviceActivity extends Readonly<ObservedInterval> {
  readonly active: boolean;
  readonly lastActivityAt: number | null;
  readonly lastConnectedAt: number | null;
  readonly lastDisconnectedAt: number | null;
  readonly inactivityAlarmAt: number | null;
}

/** Maintenance of a device, which mutes its alarms. Times are epoch ms. */
export interface DeviceMaintenance {
  readonly deviceId: DeviceId;
  readonly since: number;
  readonly until: number;
  readonly reason: string;
  readonly by: string;
}

export const noActivity: DeviceActivity = {
  active: false,
  lastActivityAt: null,
  lastConnectedAt: null,
  lastDisconnectedAt: null,
  inactivityAlarmAt: null,
  intervalMs: 0,
  observedMs: 0,
};

export interface DeviceWithActivity extends Device {
  readonly activity: DeviceActivity;
  readonly lorawanDevEui: string | null;
}

type Settable =
  | "name"
  | "label"
  | "deviceType"
  | "assetId"
  | "childName"
  | "role"
  | "inactivityTimeoutMs"
  | "targetDashboardId"
  | "targetStateId"
  | "commandTransport"
  | "tags";

/** User-settable fields in API form; ids are unverified. */
export type DeviceChanges = { readonly [K in Settable]?: Device[K] | undefined } & {
  readonly profileId?: string | undefined;
  readonly parentDeviceId?: string | null | undefined;
  readonly lorawanDevEui?: string | null | undefined;
  readonly applyToAllOfType?: boolean | undefined;
};

export type NewDevice = DeviceChanges & {
  readonly name: string;
  readonly deviceType: string;
  /** Random by default. */
  readonly token?: string | undefined;
};

export interface DeviceRejection {
  /** ISO 8601. */
  readonly at: string;
  readonly source: IngestSource;
  readonly where: string;
  readonly code: string;
  readonly params: Params;
  /** Reason in English. */
  readonly reason: string;
  /** First bytes of the body as text. */
  readonly sample?: string;
}

export interface DeviceFilter {
  readonly deviceType?: string | undefined;
  readonly search?: string | undefined;
  /** Devices that match `search` and `tag`, if these have been looked up. */
  readonly found?: readonly DeviceId[] | undefined;
  readonly tag?: string | undefined;
  /** Comma-separated keys of server attributes; matches devices with at least one of them. */
  readonly attribute?: string | undefined;
  readonly parentDeviceId?: string | undefined;
  readonly assetId?: string | undefined;
  readonly role?: DeviceRole | undefined;
  readonly active?: boolean | undefined;
  readonly state?: DeviceState | undefined;
  readonly sort?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Finds devices of a tenant with an attribute whose value contains the text. */
export type SearchAttributes = (tenantId: TenantId, text: string, signal: AbortSignal) => Promise<DeviceId[]>;

export interface TypeDefaults {
  readonly deviceType: string;
  readonly targetDashboardId: string | null;
  readonly targetStateId: string | null;
}

/** Gateway in its session. */
export type GatewayRef = Pick<Device, "deviceId" | "tenantId" | "profileId">;

/** Child as named by its gateway. */
export interface ChildRef {
  readonly name: string;
  /** Type as received. */
  readonly type?: unknown;
}
