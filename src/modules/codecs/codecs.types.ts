import type { TenantId } from "../../lib/ids.ts";

/** A codec of the tenant's library: what turns the frames of a kind of device into values, and back. */
export interface Codec {
  readonly codecId: string;
  readonly tenantId: TenantId;
  readonly name: string;
  readonly description: string | null;
  readonly source: string;
  /** Functions that the source defines, of those that are called here. */
  readonly functions: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Codec of an integration for some devices; one network server carries many kinds. */
export interface CodecUse {
  readonly codecId: string;
  /** The network's device profile, or the device's type here; without it the codec is for all that no other names. */
  readonly deviceType?: string | undefined;
}
