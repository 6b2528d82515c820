// Values of the server's interface that several features and the live connection share.
import type { attributeBody } from "../../modules/attributes/attributes.schemas.ts";
import type { deviceDetail, deviceListItem } from "../../modules/devices/devices.schemas.ts";
import type { signedInUser } from "../../modules/identity/identity.schemas.ts";
import type { maintenanceBody } from "../../modules/maintenance/maintenance.schemas.ts";
import type { EventMessage } from "../../modules/realtime/realtime.types.ts";
import type { latestSnapshot, seriesResponse } from "../../modules/telemetry/telemetry.schemas.ts";
import type { JsonValue, Refined, Wire } from "./wire.ts";

export type TelemetryValue = Exclude<JsonValue, null>;

export type Me = Wire<typeof signedInUser>;
export type Role = NonNullable<Me["role"]>;
/** Maintenance of a device, during which its alarms are suppressed. */
export type Maintenance = Wire<typeof maintenanceBody>;
export type DeviceRow = Wire<typeof deviceListItem>;
export type DeviceDetail = Wire<typeof deviceDetail>;
/** A rejected message as reported by the live connection. */
export type Rejection = Extract<EventMessage<"events">, { event: "rejected" }>["rejection"];

export type LatestSnapshot = Refined<
  Wire<typeof latestSnapshot>,
  { values: Record<string, TelemetryValue>; timestamps?: Record<string, number> }
>;
export type Aggregation = Wire<typeof seriesResponse>["aggregation"];
export interface Series {
  readonly key: string;
  readonly points: readonly { readonly ts: number; readonly value: TelemetryValue }[];
  /** Number of values that an aggregate left out because they are not numbers. */
  readonly skipped?: number | undefined;
  /** Points were left out. */
  readonly thinned?: true | undefined;
}

export type AttributeEntry = Wire<typeof attributeBody>;
export type Scope = AttributeEntry["scope"];
