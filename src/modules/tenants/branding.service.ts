import { createHash } from "node:crypto";
import { inkOn, parseColor, readableOn } from "../../lib/colors.ts";
import { detail, invalid } from "../../lib/domain-error.ts";
import type { TenantId } from "../../lib/ids.ts";
import { isInertSvg } from "../../lib/inert-svg.ts";
import { isJsonObject } from "../../lib/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import { isName } from "../wire.schemas.ts";
import type { PlansService } from "./plans.service.ts";
import type { TenantAttributesService } from "./tenant-attributes.service.ts";
import type { TenantsService } from "./tenants.service.ts";
import type { Appearance, ThemeColors } from "./tenants.types.ts";

/** Name, mark and colour that a tenant shows in place of the product's own; kept as the tenant attribute `branding`. */
interface Branding {
  readonly name?: string;
  /** `data:` address of a PNG, JPEG, WebP or SVG image. */
  readonly logo?: string;
  /** `#rrggbb`. */
  readonly primaryColor?: string;
}

const NAME_LENGTH_MAX = 40;
const LOGO_BYTES_MAX = 100 * 1024;
/** Text on the console's grounds must be readable (WCAG 2.2, AA). */
const CONTRAST_MIN = 4.5;
/** Grounds of the console's two themes (src/web/styles.css). */
const grounds = {
  light: ["#ffffff", "#f3f3f0"],
  dark: ["#1a2126", "#12171b"],
} as const;

const wrong = (field: string, rule: Text) => invalid("branding.invalid", { field, rule });

const startsWith = (bytes: Uint8Array, head: readonly number[], position = 0) =>
  head.every((byte, index) => bytes[position + index] === byte);
const ascii = (text: string) => [...new TextEncoder().encode(text)];

const kinds: Record<string, (bytes: Uint8Array) => boolean> = {
  "image/png": (bytes) => startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  "image/jpeg": (bytes) => startsWith(bytes, [0xff, 0xd8, 0xff]),
  "image/webp": (bytes) => startsWith(bytes, ascii("RIFF")) && startsWith(bytes, ascii("WEBP"), 8),
  "image/svg+xml": isInertSvg,
};

interface Image {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const HEAD = /^data:(image\/[a-z+]{1,16});base64,/;

/** Decodes an address that `readBranding` has let through. */
function decodeImage(address: string): Image {
  const [head = "", type = ""] = HEAD.exec(address) ?? [];
  return { type, bytes: new Uint8Array(Buffer.from(address.slice(head.length), "base64")) };
}

/** @throws DomainError that says what is wrong with it. */
function checkLogo(text: string): void {
  const { type, bytes } = decodeImage(text);
  const isKind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(text.slice(text.indexOf(",") + 1));
  if (!isBase64 || isKind === undefined) throw wrong("logo", detail("rule.logo_address"));
  if (bytes.length > LOGO_BYTES_MAX)
    throw wrong("logo", detail("rule.kib_max", { max: LOGO_BYTES_MAX / 1024 }));
  if (!isKind(bytes)) throw wrong("logo", detail("rule.logo_image"));
}

function readName(text: string): string {
  const name = text.trim();
  if (!isName(name, NAME_LENGTH_MAX)) throw wrong("name", detail("rule.one_line", { max: NAME_LENGTH_MAX }));
  return name;
}

function readPrimaryColor(text: string): string {
  if (parseColor(text) === undefined) throw wrong("primaryColor", detail("rule.colour"));
  return text.toLowerCase();
}

const fields: Record<keyof Branding, (text: string) => string> = {
  name: readName,
  logo: (text) => {
    checkLogo(text);
    return text;
  },
  primaryColor: readPrimaryColor,
};

/** Parses the branding of a request. @throws DomainError that names the first wrong field. */
const readBranding = (branding: Branding): Branding =>
  Object.fromEntries(
    Object.entries(branding).map(([name, text]) => [name, fields[name as keyof Branding](text)]), // the schema has let no other through
  );

/** Reads the branding of an attribute, which users may have written by hand: wrong fields are ignored. */
function brandingIn(value: unknown): Branding {
  if (!isJsonObject(value)) return {};
  const good = Object.entries(fields).flatMap(([name, read]) => {
    const text = value[name];
    if (typeof text !== "string") return [];
    try {
      return [[name, read(text)]];
    } catch {
      return [];
    }
  });
  return Object.fromEntries(good);
}

/** Shades of a colour that can be read in both themes, and what is read on them. */
function themeColors(primaryColor: string): { light: ThemeColors; dark: ThemeColors } | null {
  const color = parseColor(primaryColor);
  if (color === undefined) return null;
  const on = (theme: keyof typeof grounds): ThemeColors => {
    const channels = grounds[theme].flatMap((ground) => [parseColor(ground) ?? color]);
    const primary = readableOn(color, channels, CONTRAST_MIN);
    return { primary, onPrimary: inkOn(parseColor(primary) ?? color) };
  };
  return { light: on("light"), dark: on("dark") };
}

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
