import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { DownlinkPayload } from "../../lib/devices/downlink-payload.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { NetworkRoute } from "../integrations/integrations.types.ts";

/**
 * QUEUED: waiting here. SENT: queued by the network server. TRANSMITTED: sent by a gateway. ACKNOWLEDGED: confirmed by the device. FAILED: refused,
 * not acknowledged, or expired.
 */
export const DOWNLINK_STATES = ["QUEUED", "SENT", "TRANSMITTED", "ACKNOWLEDGED", "FAILED"] as const;
export type DownlinkState = (typeof DOWNLINK_STATES)[number];

export interface Downlink {
  /** Order of delivery to a device. */
  readonly seq: number;
  /** Id that the network server returns with its reports, if it accepts a chosen id. */
  readonly downlinkId: string;
  readonly tenantId: TenantId;
  readonly integrationId: string;
  readonly deviceId: DeviceId | null;
  /** Id of the device in the network, see `deviceKey`. */
  readonly deviceKey: string;
  /** Id of the carried command. */
  readonly commandRpcId: number | null;
  readonly fPort: number | null;
  readonly confirmed: boolean;
  readonly priority: string | null;
  readonly payload: DownlinkPayload;
  /** Size without the error, in bytes. */
  readonly bytes: number;
  readonly state: DownlinkState;
  /** Id chosen by the network server, if it chooses ids. */
  readonly networkId: string | null;
  readonly attempts: number;
  readonly error: Text | null;
  readonly createdBy: string;
  /** Epoch ms, like all times here. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Time of the next attempt, if QUEUED. */
  readonly dueAt: number;
  readonly changedAt: number;
}

export type NewDownlink = Omit<
  Downlink,
  "seq" | "bytes" | "state" | "networkId" | "attempts" | "error" | "changedAt" | "dueAt"
>;

/** Route to a device, from its last message. */
export interface DownlinkRoute extends NetworkRoute {
  readonly integrationId: string;
}

export interface DownlinkRequest {
  readonly deviceId?: string | undefined;
  readonly devEui?: string | undefined;
  readonly fPort?: number | undefined;
  readonly confirmed?: boolean | undefined;
  readonly priority?: string | undefined;
  /** Base64. */
  readonly data?: string | undefined;
  readonly hex?: string | undefined;
  readonly object?: unknown;
  readonly expiresInMs?: number | undefined;
}

/** Returns the key of a device: its dev EUI, or `id:` and the network's own name for a device without one. */
export const deviceKey = (existing: { devEui?: string | undefined; networkDeviceId?: string | undefined }) =>
  existing.devEui ?? (existing.networkDeviceId === undefined ? undefined : `id:${existing.networkDeviceId}`);

export const devEuiOf = (key: string): string | undefined => (key.startsWith("id:") ? undefined : key);
