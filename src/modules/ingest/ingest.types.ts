import type { DeviceId, ProfileId, TenantId } from "../../lib/core/ids.ts";
import type { RateMeter } from "../../lib/data/rate-meter.ts";
import type { BodyEncoding } from "../../lib/json/body.ts";
import type { Params } from "../../lib/texts/text.ts";
import type { SessionsWhenFull } from "../profiles/profiles.types.ts";
import type { StoreDevice } from "../telemetry/telemetry.types.ts";
import type { ShapeMemory } from "./message-shapes.types.ts";

/**
 * Device on the hot path: one shared, mutable object per device, kept by sessions. It is `revoked` when the device is deleted or its credentials
 * change; sessions that hold it then end.
 */
export interface IngestDevice {
  readonly deviceId: DeviceId;
  readonly tenantId: TenantId;
  name: string;
  profileId: ProfileId;
  role: "DEVICE" | "GATEWAY";
  /** Gateway of a child device, and its name there (`childName`). */
  parentDeviceId?: DeviceId | null;
  childName?: string | null;
  /** Encoding of its bodies; AUTO detects it by the first byte. */
  payload: BodyEncoding;
  /** True to convert strings of plain decimal numbers to numbers. */
  convertsNumericText?: boolean;
  /** Telemetry topic of its profile, in addition to the standard topics. */
  telemetryTopic?: string | null;
  /** Time in ms in which it must respond to a command; default 0. */
  commandTimeoutMs?: number;
  /** Transport of commands; `null` for the transport on which the device listens. */
  commandTransport?: "WS" | "MQTT" | null;
  readonly store: StoreDevice;
  /** Meters of messages and bytes of all devices of its tenant, with the limits of its plan. */
  readonly meters?: { readonly messages: RateMeter; readonly bytes: RateMeter };
  /** Rate limit in bytes; `limiter` limits messages. */
  byteLimiter?: RateMeter | undefined;
  /** Rate limit of the device, if its profile or the gateway's configuration has one. */
  limiter?: RateMeter | undefined;
  /** Monotonic time at which a message beyond the rate was last shown live; unset once a message passes. */
  overRateShownAt?: number | undefined;
  /** Slot of its traffic counters in the interval of its last message. */
  traffic?: { interval: number; slot: number };
  /** Cached shape of its messages. */
  shapes?: ShapeMemory;
  /** Max. simultaneous MQTT sessions; default 1. */
  sessionsMax?: number;
  /** Action if a device opens more sessions; default REPLACE. */
  sessionsWhenFull?: SessionsWhenFull;
  revoked: boolean;
}

/** Edge through which a body arrived, shown with refused bodies. */
export type IngestSource = "mqtt" | "integration" | "http" | "ws" | "import" | "test" | "generator";

export type MessageKind = "telemetry" | "batch" | "attributes";

/** Body within the bytes of a packet; creating a separate view takes longer than parsing a small message. */
export interface PacketBody {
  readonly buffer: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/**
 * Common entry point of all telemetry. Each call decodes a raw body by the device's payload type, and returns a promise that resolves once its
 * content is committed and fsynced. The promise of `telemetry` is shared by all messages of a group commit: compare it by identity to register one
 * continuation per group. Throws DomainErrors synchronously: `invalid` for a malformed body (already listed on the device), `unavailable` if storage
 * cannot accept writes.
 */
export interface DeviceIngest {
  telemetry(device: IngestDevice, body: Uint8Array, source: IngestSource): Promise<void>;
  /** Like `telemetry`, for a body in an MQTT packet. */
  packet(device: IngestDevice, body: PacketBody): Promise<void>;
  attributes(device: IngestDevice, body: Uint8Array, source: IngestSource): Promise<void>;
  /** Lists a refused message on the device, for example because of an unknown topic, its rate or its size. */
  reject(device: IngestDevice, rejection: Rejection): void;
  /** Lists a message that was refused with an error, permanently or because of its rate. */
  refuse(device: IngestDevice, error: unknown, message: Omit<Rejection, "code" | "params">): void;
}

export interface Rejection {
  readonly source: IngestSource;
  /** Topic or path used by the device. */
  readonly where: string;
  /** Stable code, such as `topic.unknown` or `body.malformed`. */
  readonly code: string;
  readonly params: Params;
  /** First bytes of the body, for troubleshooting. */
  readonly sample?: Uint8Array;
  /** Not shown live: a similar rejection was shown less than a second ago. */
  readonly isCountedOnly?: true;
  /** Number of messages; default 1. */
  readonly count?: number;
}
