import { language } from "../preferences.ts";

/** "language|style|zone" → formatter; creating one takes far longer than using it. */
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
  weekday: { weekday: "short", day: "2-digit", month: "short" },
  month: { month: "short", year: "numeric" },
  full: { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" },
  stamp: STAMP,
  zoned: { ...STAMP, timeZoneName: "short" },
} satisfies Record<string, Intl.DateTimeFormatOptions>;

type DateStyle = keyof typeof STYLES;

export function dateFormat(style: DateStyle, timeZone?: string): Intl.DateTimeFormat {
  const id = `${language.value}|${style}|${timeZone}`;
  let format = dateFormats.get(id);
  if (!format) {
    const options = { ...STYLES[style], ...(timeZone !== undefined && { timeZone }) };
    format = new Intl.DateTimeFormat(language.value === "de" ? "de-DE" : "en-GB", options);
    dateFormats.set(id, format);
  }
  return format;
}

/** Formats a time, in the browser's time zone by default. */
export function formatDate(ts: number, style: DateStyle, timeZone?: string): string {
  return dateFormat(style, timeZone).format(ts);
}
