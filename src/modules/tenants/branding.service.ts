import { createHash } from "node:crypto";
import type { TenantId } from "../../lib/core/ids.ts";
import { type Branding, brandingIn, decodeImage, type Image, readBranding, themeColors } from "./branding.ts";
import type { PlansService } from "./plans.service.ts";
import type { TenantAttributesService } from "./tenant-attributes.service.ts";
import type { TenantsService } from "./tenants.service.ts";
import type { Appearance } from "./tenants.types.ts";

const KEY = "branding";

type VersionedImage = Image & { readonly version: string };

interface Checked {
  readonly branding: Branding;
  readonly logo: VersionedImage | undefined;
}

const NOTHING: Checked = { branding: {}, logo: undefined };

function toChecked(branding: Branding): Checked {
  const { logo } = branding;
  if (logo === undefined) return { branding, logo: undefined };
  const version = createHash("sha256").update(logo).digest("hex").slice(0, 12);
  return { branding, logo: { ...decodeImage(logo), version } };
}

export function createBrandingService(deps: {
  attributes: TenantAttributesService;
  tenants: Pick<TenantsService, "find" | "list">;
  plans: Pick<PlansService, "of">;
}) {
  const { attributes, tenants } = deps;
  /** Branding validated when it was set or first read after startup; later reads need no validation. */
  const checked = new Map<TenantId, Checked>();
  attributes.onChange((tenantId, key) => {
    if (key === KEY) checked.delete(tenantId);
  });

  function checkedOf(tenantId: TenantId): Checked {
    const cached = checked.get(tenantId);
    if (cached !== undefined) return cached;
    const entry = toChecked(brandingIn(attributes.find(tenantId, KEY)?.value));
    checked.set(tenantId, entry);
    return entry;
  }
  const get = (tenantId: TenantId) => checkedOf(tenantId).branding;

  /** Returns the branding of a tenant whose plan permits it. */
  function shownOf(tenantId: TenantId | undefined): Checked {
    const tenant = tenantId === undefined ? undefined : tenants.find(tenantId);
    return tenant !== undefined && deps.plans.of(tenant.planName).whitelabelEnabled
      ? checkedOf(tenant.tenantId)
      : NOTHING;
  }

  const ofHost = () => shownOf(tenants.list().find(({ isHost }) => isHost)?.tenantId);

  const toAppearance = ({ name, primaryColor }: Branding, logo: string | null): Appearance => ({
    name: name ?? null,
    logo,
    colors: primaryColor === undefined ? null : themeColors(primaryColor),
  });

  function appearance(): Appearance {
    const { branding, logo } = ofHost();
    return toAppearance(branding, logo === undefined ? null : `/api/branding/logo?v=${logo.version}`);
  }

  return {
    /** Returns the branding that the tenant has set, even if its plan does not show it. */
    get,
    /** Replaces the branding. @throws DomainError like tenant attributes, and for an invalid field */
    set(tenantId: TenantId, input: Branding): Branding {
      attributes.ensureIncluded(tenantId); // before any work is done for the value
      const branding = readBranding(input);
      attributes.set(tenantId, KEY, branding);
      checked.set(tenantId, toChecked(branding));
      return branding;
    },
    /** Returns the appearance for the tenant's users: its own, otherwise that of the gateway's own tenant. */
    appearanceFor(tenantId: TenantId): Appearance {
      const { branding: own } = shownOf(tenantId);
      return Object.keys(own).length > 0 ? toAppearance(own, own.logo ?? null) : appearance();
    },
    /** Appearance before sign-in: that of the gateway's own tenant. */
    appearance,
    /** Returns the logo of the gateway's own tenant, with the version of its content. */
    logo: (): VersionedImage | undefined => ofHost().logo,
  };
}

export type BrandingService = ReturnType<typeof createBrandingService>;
