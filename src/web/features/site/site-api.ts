import type {
  brandingBody,
  tenantBranding,
  tenantProfile,
  tenantUsage,
} from "../../../modules/tenants/tenants.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { call, get } from "../../platform/api-client.ts";

export type TenantProfile = Wire<typeof tenantProfile>;
export type TenantUsage = Wire<typeof tenantUsage>;
export type Branding = Wire<typeof brandingBody>;
export type TenantBranding = Wire<typeof tenantBranding>;

export const siteApi = {
  tenant: () => get<TenantProfile>("/api/tenant/profile"),
  renameTenant: async (tenantName: string) =>
    (await call<TenantProfile>("PATCH", "/api/tenant/profile", { tenantName })).body,
  deleteTenant: (tenantName: string) => call<unknown>("DELETE", "/api/tenant", { tenantName }),
  usage: () => get<TenantUsage>("/api/tenant/usage"),
  branding: () => get<TenantBranding>("/api/tenant/branding"),
  setBranding: async (branding: Branding) =>
    (await call<TenantBranding>("PUT", "/api/tenant/branding", branding)).body,
  clearBranding: () => call<unknown>("DELETE", "/api/tenant-attributes/branding"),
};
