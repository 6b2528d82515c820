import { createHash } from "node:crypto";
import type { TenantId } from "../../lib/ids.ts";
import { type Branding, brandingIn, type Image, readBranding, readLogo, themeColors } from "./branding.ts";
import type { PlansService } from "./plans.service.ts";
import type { TenantAttributesService } from "./tenant-attributes.service.ts";
import type { TenantsService } from "./tenants.service.ts";
import type { Appearance } from "./tenants.types.ts";

const KEY = "branding";

export interface BrandingService {
  /** What the tenant has set, whether or not its plan lets it show. */
  get(tenantId: TenantId): Branding;
  /** Takes the place of what was set before. @throws DomainError as tenant attributes do, and for a field that is wrong. */
  set(tenantId: TenantId, branding: Branding): Branding;
  /** What the tenant's people see: its own, else that of the gateway's own tenant. */
  appearanceFor(tenantId: TenantId): Appearance;
  /** Before anybody has signed in: that of the gateway's own tenant. */
  appearance(): Appearance;
  /** The logo of the gateway's own tenant, and what names its content. */
  logo(): (Image & { readonly version: string }) | undefined;
}

export function createBrandingService(deps: {
  attributes: TenantAttributesService;
  tenants: Pick<TenantsService, "find" | "list">;
  plans: Pick<PlansService, "of">;
}): BrandingService {
  const { attributes, tenants } = deps;

  const get = (tenantId: TenantId) => brandingIn(attributes.find(tenantId, KEY)?.value);

  /** What may be shown of it. */
  function shownOf(tenantId: TenantId | undefined): Branding {
    const tenant = tenantId === undefined ? undefined : tenants.find(tenantId);
    return tenant !== undefined && deps.plans.of(tenant.planName).whitelabelEnabled
      ? get(tenant.tenantId)
      : {};
  }

  const ofHost = () => shownOf(tenants.list().find(({ isHost }) => isHost)?.tenantId);
  const versionOf = (logo: string) => createHash("sha256").update(logo).digest("hex").slice(0, 12);

  const toAppearance = ({ name, primaryColor }: Branding, logo: string | null): Appearance => ({
    name: name ?? null,
    logo,
    colors: primaryColor === undefined ? null : themeColors(primaryColor),
  });

  function appearance(): Appearance {
    const branding = ofHost();
    const { logo } = branding;
    return toAppearance(branding, logo === undefined ? null : `/api/branding/logo?v=${versionOf(logo)}`);
  }

  return {
    get,
    set(tenantId, given) {
      const branding = readBranding(given);
      attributes.set(tenantId, KEY, branding);
      return branding;
    },
    appearanceFor(tenantId) {
      const own = shownOf(tenantId);
      return Object.keys(own).length > 0 ? toAppearance(own, own.logo ?? null) : appearance();
    },
    appearance,
    logo() {
      const { logo } = ofHost();
      return logo === undefined ? undefined : { ...readLogo(logo), version: versionOf(logo) };
    },
  };
}
