import { inkOn, parseColor, readableOn } from "../../lib/colors.ts";
import { invalid } from "../../lib/domain-error.ts";
import { isJsonObject } from "../../lib/json.ts";
import type { ThemeColors } from "./tenants.types.ts";

/** What a tenant shows in place of the product's own name, mark and colour; kept as the tenant attribute `branding`. */
export interface Branding {
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

const wrong = (field: string, rule: string) => invalid("branding.invalid", `${field}: ${rule}`);

const startsWith = (bytes: Uint8Array, head: readonly number[], at = 0) =>
  head.every((byte, index) => bytes[at + index] === byte);
const ascii = (text: string) => [...new TextEncoder().encode(text)];

/** What can do more than be looked at has no place in a logo. */
const activeContent =
  /<script|<foreignobject|<iframe|<!entity|\son[a-z]+\s*=|javascript:|(?:href|src)\s*=\s*["']?\s*(?!["']?\s*(?:#|data:image\/(?:png|jpeg|webp)))/i;

/** What CSS or an animation can load from elsewhere; `url()` may name a part of the drawing itself, or carry its picture. */
const outsideStyle =
  /@import|image-set\(|url\((?!\s*["']?\s*(?:#|data:))|attributename\s*=\s*["']?\s*(?:\w+:)?href/i;

const letter = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : "");

/** As XML and then CSS read it: both have other ways to write a letter. */
const unescaped = (text: string): string =>
  text
    .replace(/&#(?:x0*([0-9a-f]{1,6})|0*(\d{1,7}));/gi, (_, hex?: string, decimal?: string) =>
      letter(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
    )
    .replace(/&(quot|apos);/g, (_, name: string) => (name === "quot" ? '"' : "'"))
    .replace(/\\([0-9a-f]{1,6})\s?/gi, (_, hex: string) => letter(Number.parseInt(hex, 16)))
    .replace(/\\/g, "");

/** Also where comments, sections or tags stand within the word: XML joins the text around them. */
const loadsByStyle = (text: string): boolean =>
  [
    text,
    text.replace(/<!--[\s\S]*?-->|<!\[CDATA\[|\]\]>|<\?[\s\S]*?\?>/g, ""),
    text.replace(/<[^>]*>/g, ""),
  ].some((joined) => outsideStyle.test(unescaped(joined)));

const kinds: Record<string, (bytes: Uint8Array) => boolean> = {
  "image/png": (bytes) => startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  "image/jpeg": (bytes) => startsWith(bytes, [0xff, 0xd8, 0xff]),
  "image/webp": (bytes) => startsWith(bytes, ascii("RIFF")) && startsWith(bytes, ascii("WEBP"), 8),
  "image/svg+xml": (bytes) => {
    const text = new TextDecoder().decode(bytes);
    return (
      /^\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*|<!doctype svg[^>[]*>\s*)*<svg[\s>]/i.test(text) &&
      !activeContent.test(text) &&
      !loadsByStyle(text)
    );
  },
};

export interface Image {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** @throws DomainError that names the field and what is wrong with it. */
export function readLogo(text: string): Image {
  const [, type = "", encoded] = /^data:(image\/[a-z+]+);base64,([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const isKind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (encoded === undefined || isKind === undefined)
    throw wrong("logo", "expected a data: address of a PNG, JPEG, WebP or SVG image in base64");
  const bytes = new Uint8Array(Buffer.from(encoded, "base64"));
  if (bytes.length > LOGO_BYTES_MAX)
    throw wrong("logo", `must be no larger than ${LOGO_BYTES_MAX / 1024} KiB`);
  if (!isKind(bytes))
    throw wrong("logo", "is not the image that it says it is, or an SVG with scripts or outside references");
  return { type, bytes };
}

function readName(text: string): string {
  const name = text.trim();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (name === "" || name.length > NAME_LENGTH_MAX || /[\u0000-\u001f\u007f]/.test(name))
    throw wrong("name", `expected 1 to ${NAME_LENGTH_MAX} characters in one line`);
  return name;
}

function readPrimaryColor(text: string): string {
  if (parseColor(text) === undefined) throw wrong("primaryColor", "expected a colour such as #0e5a6b");
  return text.toLowerCase();
}

const fields: Record<keyof Branding, (text: string) => string> = {
  name: readName,
  logo: (text) => {
    readLogo(text);
    return text;
  },
  primaryColor: readPrimaryColor,
};

/** As somebody gives it. @throws DomainError that names the first field that is wrong. */
export const readBranding = (given: Branding): Branding =>
  Object.fromEntries(
    Object.entries(given).map(([name, text]) => [name, fields[name as keyof Branding](text)]), // the schema has let no other through
  );

/** As an attribute has it, which anybody may have written by hand: what is wrong in it is left out. */
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

/** Shades of a colour that can be read in both themes, and what is read on them. */
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
