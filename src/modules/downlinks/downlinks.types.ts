import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { DownlinkPayload } from "../../lib/devices/downlink-payload.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { NetworkRoute } from "../integrations/integrations.types.ts";

/**
 * QUEUED: waits here. SENT: the network server has it in its queue. TRANSMITTED: a gateway has sent it. ACKNOWLEDGED: the device
 * says that it has it. FAILED: refused, not acknowledged, or too old.
 */
export const DOWNLINK_STATES = ["QUEUED", "SENT", "TRANSMITTED", "ACKNOWLEDGED", "FAILED"] as const;
export type DownlinkState = (typeof DOWNLINK_STATES)[number];

export interface Downlink {
  /** The order in which they go out to a device. */
  readonly seq: number;
  /** Id that the network server returns with its reports, if it lets us choose one. */
  readonly downlinkId: string;
  readonly tenantId: TenantId;
  readonly integrationId: string;
  readonly deviceId: DeviceId | null;
  /** Id of the device in the network, see `deviceKey`. */
  readonly deviceKey: string;
  /** Id of the command that it carries. */
  readonly commandRpcId: number | null;
  readonly fPort: number | null;
  readonly confirmed: boolean;
  readonly priority: string | null;
  readonly payload: DownlinkPayload;
  /** Size without an error. */
  readonly bytes: number;
  readonly state: DownlinkState;
  /** Id that the network server has chosen for the downlink, if it chooses one. */
  readonly networkId: string | null;
  readonly attempts: number;
  readonly error: Text | null;
  readonly createdBy: string;
  /** Epoch ms, as all times here. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Time of the next attempt of a downlink that is QUEUED. */
  readonly dueAt: number;
  readonly changedAt: number;
}

export type NewDownlink = Omit<
  Downlink,
  "seq" | "bytes" | "state" | "networkId" | "attempts" | "error" | "changedAt" | "dueAt"
>;

/** The way back to a device, as its last message told it. */
export interface DownlinkRoute extends NetworkRoute {
  readonly integrationId: string;
}

export interface DownlinkRequest {
  readonly deviceId?: string | undefined;
  readonly devEui?: string | undefined;
  readonly fPort?: number | undefined;
  readonly confirmed?: boolean | undefined;
  readonly priority?: string | undefined;
  /** base64 */
  readonly data?: string | undefined;
  readonly hex?: string | undefined;
  readonly object?: unknown;
  readonly expiresInMs?: number | undefined;
}

/** Returns the key of a device: the dev EUI, or `id:` and the network's own name for devices that have none. */
export const deviceKey = (existing: { devEui?: string | undefined; networkDeviceId?: string | undefined }) =>
  existing.devEui ?? (existing.networkDeviceId === undefined ? undefined : `id:${existing.networkDeviceId}`);

export const devEuiOf = (key: string): string | undefined => (key.startsWith("id:") ? undefined : key);
