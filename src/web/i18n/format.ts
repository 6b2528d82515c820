import type { JsonValue } from "../state/api-types.ts";
import { language } from "../state/preferences.ts";
import { t } from "./i18n.ts";

/** "language|style" → formatter; making one costs far more than using it. */
const dateFormats = new Map<string, Intl.DateTimeFormat>();

const STYLES = {
  time: { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
  minutes: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  day: { day: "2-digit", month: "short" },
  month: { month: "short", year: "numeric" },
  full: { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" },
} satisfies Record<string, Intl.DateTimeFormatOptions>;

export type DateStyle = keyof typeof STYLES;

export function formatDate(ts: number, style: DateStyle): string {
  const id = `${language.value}|${style}`;
  let format = dateFormats.get(id);
  if (!format) {
    format = new Intl.DateTimeFormat(language.value === "de" ? "de-DE" : "en-GB", STYLES[style]);
    dateFormats.set(id, format);
  }
  return format.format(ts);
}

export function formatNumber(n: number, digits = 6): string {
  return new Intl.NumberFormat(language.value, { maximumSignificantDigits: digits }).format(n);
}

export function formatCount(n: number): string {
  return new Intl.NumberFormat(language.value).format(n);
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
