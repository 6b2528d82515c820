import type {
  brandingBody,
  tenantBranding,
  tenantProfile,
  tenantUsage,
} from "../../../modules/tenants/tenants.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, patch, put, remove } from "../../platform/api-client.ts";

export type TenantProfile = Wire<typeof tenantProfile>;
export type TenantUsage = Wire<typeof tenantUsage>;
export type Branding = Wire<typeof brandingBody>;
export type TenantBranding = Wire<typeof tenantBranding>;

export const siteApi = {
  tenant: () => get<TenantProfile>("/api/tenant/profile"),
  renameTenant: (tenantName: string) => patch<TenantProfile>("/api/tenant/profile", { tenantName }),
  deleteTenant: (tenantName: string) => remove("/api/tenant", { tenantName }),
  usage: () => get<TenantUsage>("/api/tenant/usage"),
  branding: () => get<TenantBranding>("/api/tenant/branding"),
  setBranding: (branding: Branding) => put<TenantBranding>("/api/tenant/branding", branding),
  clearBranding: () => remove("/api/tenant-attributes/branding"),
};
