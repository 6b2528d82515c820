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
  /** Branding that was checked, when it was set or first read after the start. Later reads need no check. */
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
    /** Takes the place of what was set before. @throws DomainError as tenant attributes do, and for a field that is wrong. */
    set(tenantId: TenantId, input: Branding): Branding {
      attributes.ensureIncluded(tenantId); // before any work is done for the value
      const branding = readBranding(input);
      attributes.set(tenantId, KEY, branding);
      checked.set(tenantId, toChecked(branding));
      return branding;
    },
    /** Returns the appearance for the tenant's people: its own, else that of the gateway's own tenant. */
    appearanceFor(tenantId: TenantId): Appearance {
      const { branding: own } = shownOf(tenantId);
      return Object.keys(own).length > 0 ? toAppearance(own, own.logo ?? null) : appearance();
    },
    /** Before anybody has signed in: that of the gateway's own tenant. */
    appearance,
    /** The logo of the gateway's own tenant, and what names its content. */
    logo: (): VersionedImage | undefined => ofHost().logo,
  };
}

export type BrandingService = ReturnType<typeof createBrandingService>;
