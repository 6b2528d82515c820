import { inkOn, parseColor, readableOn } from "../../lib/console/colors.ts";
import { BRANDING_NAME_CHARACTERS_MAX } from "../../lib/console/form-limits.ts";
import { detail, invalid } from "../../lib/core/domain-error.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { isInertSvg } from "../../lib/strings/inert-svg.ts";
import type { Text } from "../../lib/texts/text.ts";
import { isName } from "../api/wire.schemas.ts";
import type { ThemeColors } from "./tenants.types.ts";

/** Name, logo and color that a tenant shows in place of the product's own; stored as the tenant attribute `branding`. */
export interface Branding {
  readonly name?: string;
  /** `data:` URL of a PNG, JPEG, WebP or SVG image. */
  readonly logo?: string;
  /** `#rrggbb`. */
  readonly primaryColor?: string;
}

const LOGO_BYTES_MAX = 100 * 1024;
/** Min. contrast of text on the console's backgrounds (WCAG 2.2, AA). */
const CONTRAST_MIN = 4.5;
/** Background colors of the console's two themes (src/web/styles.css). */
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

export interface Image {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const HEAD = /^data:(image\/[a-z+]{1,16});base64,/;

/** Decodes a URL that `readBranding` has accepted. */
export function decodeImage(address: string): Image {
  const [head = "", type = ""] = HEAD.exec(address) ?? [];
  return { type, bytes: new Uint8Array(Buffer.from(address.slice(head.length), "base64")) };
}

/** @throws DomainError that describes the error */
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
  if (!isName(name, BRANDING_NAME_CHARACTERS_MAX))
    throw wrong("name", detail("rule.one_line", { max: BRANDING_NAME_CHARACTERS_MAX }));
  return name;
}

function readPrimaryColor(text: string): string {
  if (parseColor(text) === undefined) throw wrong("primaryColor", detail("rule.color"));
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

/** Parses the branding of a request. @throws DomainError that names the first invalid field */
export const readBranding = (branding: Branding): Branding =>
  Object.fromEntries(
    Object.entries(branding).map(([name, text]) => [name, fields[name as keyof Branding](text)]), // the schema refuses others
  );

/** Reads the branding of an attribute, which users may have edited directly: invalid fields are ignored. */
export function brandingIn(value: unknown): Branding {
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

/** Returns shades of a color that are readable in both themes, and text colors on them. */
export function themeColors(primaryColor: string): { light: ThemeColors; dark: ThemeColors } | null {
  const color = parseColor(primaryColor);
  if (color === undefined) return null;
  const on = (theme: keyof typeof grounds): ThemeColors => {
    const channels = grounds[theme].flatMap((ground) => [parseColor(ground) ?? color]);
    const primary = readableOn(color, channels, CONTRAST_MIN);
    return { primary, onPrimary: inkOn(parseColor(primary) ?? color) };
  };
  return { light: on("light"), dark: on("dark") };
}
