import type { DeviceId } from "../../lib/core/ids.ts";

/** NONE: nobody can claim the device; EXPIRED: nobody has in time. */
export const CLAIMING_STATES = ["NONE", "WAITING", "EXPIRED", "CLAIMED"] as const;
export type ClaimingState = (typeof CLAIMING_STATES)[number];

/** Describes a device that waits to be claimed, or was claimed. Times are epoch ms. */
export interface ClaimableDevice {
  readonly deviceId: DeviceId;
  readonly secretHash: string;
  readonly openedAt: number;
  readonly expiresAt: number;
  readonly claimedAt: number | null;
  /** Id of the user or API key that claimed it. */
  readonly ownerId: string | null;
  readonly ownerName: string | null;
}

/** Request that lets a user claim a device, as the device or its gateway sends it. */
export interface ClaimingRequest {
  readonly secretKey: string;
  readonly durationMs: number;
}
