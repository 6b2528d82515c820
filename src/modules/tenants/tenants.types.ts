import type { TenantId } from "../../lib/ids.ts";

export interface Tenant {
  readonly tenantId: TenantId;
  readonly name: string;
  readonly planName: string;
  /** The tenant of the gateway's own people: who set it up. */
  readonly isHost: boolean;
}

export interface TenantAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly updatedAt: number;
}
