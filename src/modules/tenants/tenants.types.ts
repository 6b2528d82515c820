import type { TenantId } from "../../lib/ids.ts";

export interface Tenant {
  readonly tenantId: TenantId;
  readonly name: string;
  readonly planName: string;
}
