import type { JsonValue } from "../../lib/wire.ts";
import { language } from "../preferences.ts";
import { t } from "./i18n.ts";

/** "language|style|zone" → formatter; making one costs far more than using it. */
const dateFormats = new Map<string, Intl.DateTimeFormat>();

const STAMP = {
  day: "2-digit",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
} as const;

const STYLES = {
  time: { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
  minutes: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  day: { day: "2-digit", month: "short" },
  month: { month: "short", year: "numeric" },
  full: { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" },
  stamp: STAMP,
  zoned: { ...STAMP, timeZoneName: "short" },
} satisfies Record<string, Intl.DateTimeFormatOptions>;

export type DateStyle = keyof typeof STYLES;

function dateFormat(style: DateStyle, timeZone?: string): Intl.DateTimeFormat {
  const id = `${language.value}|${style}|${timeZone}`;
  let format = dateFormats.get(id);
  if (!format) {
    const options = { ...STYLES[style], ...(timeZone !== undefined && { timeZone }) };
    format = new Intl.DateTimeFormat(language.value === "de" ? "de-DE" : "en-GB", options);
    dateFormats.set(id, format);
  }
  return format;
}

/** In the browser's time zone unless another one is named. */
export function formatDate(ts: number, style: DateStyle, timeZone?: string): string {
  return dateFormat(style, timeZone).format(ts);
}

/** Both ends of a stretch of time with their zone; what they have in common is said once. */
export function formatDateRange(from: number, to: number): string {
  const zone = zoneName(to);
  if (zoneName(from) !== zone) return dateFormat("zoned").formatRange(from, to);
  return `${dateFormat("stamp").formatRange(from, to)} ${zone}`;
}

/** The short name of this browser's time zone at that time. */
export function zoneName(ts: number): string {
  return (
    dateFormat("zoned")
      .formatToParts(ts)
      .find((part) => part.type === "timeZoneName")?.value ?? ""
  );
}

/** "language|options" → formatter. */
const numberFormats = new Map<string, Intl.NumberFormat>();

function numberFormat(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const id = `${language.value}|${JSON.stringify(options)}`;
  const format = numberFormats.get(id) ?? new Intl.NumberFormat(language.value, options);
  numberFormats.set(id, format);
  return format;
}

/** Limit from which a number is written with a power of ten. */
const PLAIN_MIN = 1e-6;
const PLAIN_MAX = 1e15;

export function formatNumber(n: number, digits = 6): string {
  const size = Math.abs(n);
  const plain = n === 0 || (size >= PLAIN_MIN && size < PLAIN_MAX);
  if (!plain) return numberFormat({ maximumSignificantDigits: digits, notation: "scientific" }).format(n);
  // Whole digits are never rounded: a counter says what it says.
  const whole = size < 1 ? 0 : Math.floor(Math.log10(size)) + 1;
  if (whole >= digits) return numberFormat({ maximumFractionDigits: 2 }).format(n);
  return numberFormat({ maximumSignificantDigits: digits }).format(n);
}

/** Formats the marks of an axis, which have little room: 1.5M, 1.5E15. */
export function formatMark(n: number): string {
  const size = Math.abs(n);
  if (size < 1e5 || size >= PLAIN_MAX) return formatNumber(n);
  return numberFormat({ maximumFractionDigits: 3, notation: "compact" }).format(n);
}

export function formatCount(n: number): string {
  return numberFormat({}).format(n);
}

/** An amount of money with two decimals; the currency is what a person typed. */
export function formatMoney(amount: number, currency: string): string {
  const text = numberFormat({ minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(amount);
  return currency === "" ? text : `${text} ${currency}`;
}

const BYTE_UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** An amount of data in powers of 1,000: 12.3 MB. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3);
  const index = Math.min(BYTE_UNITS.length - 1, power);
  const unit = BYTE_UNITS[index] ?? "byte";
  const options = { style: "unit", unit, unitDisplay: index === 0 ? "narrow" : "short" } as const;
  return numberFormat({ ...options, maximumSignificantDigits: 3 }).format(bytes / 1_000 ** index);
}

/** Contract times are ISO 8601, realtime ones epoch ms; 0 and absent mean never. */
export function toMs(time: string | number | null | undefined): number | undefined {
  if (time === null || time === undefined || time === 0 || time === "") return undefined;
  const ms = typeof time === "number" ? time : Date.parse(time);
  return Number.isFinite(ms) ? ms : undefined;
}

export function formatAge(ts: number, now: number): string {
  const s = Math.max(0, Math.round((now - ts) / 1000));
  if (s < 2) return t("age.now");
  if (s < 60) return t("age.seconds", { n: s });
  if (s < 3600) return t("age.minutes", { n: Math.floor(s / 60) });
  if (s < 86_400) return t("age.hours", { n: Math.floor(s / 3600) });
  return t("age.days", { n: Math.floor(s / 86_400) });
}

export function formatValue(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "–";
  if (typeof value === "number") return formatNumber(value);
  if (typeof value === "boolean") return value ? t("value.true") : t("value.false");
  return typeof value === "string" ? value : JSON.stringify(value);
}
