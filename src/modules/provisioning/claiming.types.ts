import type { DeviceId } from "../../lib/core/ids.ts";

/** NONE: not claimable; EXPIRED: not claimed in time. */
export const CLAIMING_STATES = ["NONE", "WAITING", "EXPIRED", "CLAIMED"] as const;
export type ClaimingState = (typeof CLAIMING_STATES)[number];

/** Claimable or claimed device. Times are epoch ms. */
export interface ClaimableDevice {
  readonly deviceId: DeviceId;
  readonly secretHash: string;
  readonly openedAt: number;
  readonly expiresAt: number;
  readonly claimedAt: number | null;
  /** Id of the user or API key that claimed the device. */
  readonly ownerId: string | null;
  readonly ownerName: string | null;
}

/** Request that makes a device claimable, sent by the device or its gateway. */
export interface ClaimingRequest {
  readonly secretKey: string;
  readonly durationMs: number;
}
