import { DAY_MS } from "../../../lib/core/units.ts";
import {
  formatDigits,
  formatKeyValue,
  numberFormat as numberFormatOf,
  scaledData,
  withUnit,
} from "../../../lib/keys/key-format.ts";
import type { KeyMetadata } from "../../../lib/keys/key-metadata.ts";
import type { JsonValue } from "../../lib/wire.ts";
import { language } from "../preferences.ts";
import { dateFormat, formatDate } from "./dates.ts";
import { t } from "./i18n.ts";

export { formatDate } from "./dates.ts";

/** Formats the time of a sample, with its day if the window has more than one. */
export function formatSampleTime(ts: number, { from, to }: { from: number; to: number }): string {
  const isOneDay =
    to - from <= DAY_MS && [from, ts].every((time) => formatDate(time, "day") === formatDate(to, "day"));
  return formatDate(ts, isOneDay ? "time" : "stamp");
}

/** Formats both ends of a period with their zone; common parts appear once. */
export function formatDateRange(from: number, to: number): string {
  const zone = zoneName(to);
  if (zoneName(from) !== zone) return dateFormat("zoned").formatRange(from, to);
  return `${dateFormat("stamp").formatRange(from, to)} ${zone}`;
}

/** Returns the short name of this browser's time zone at that time. */
export function zoneName(ts: number): string {
  return (
    dateFormat("zoned")
      .formatToParts(ts)
      .find((part) => part.type === "timeZoneName")?.value ?? ""
  );
}

const numberFormat = (options: Intl.NumberFormatOptions) => numberFormatOf(language.value, options);

export const formatNumber = (n: number, digits?: number): string => formatDigits(n, language.value, digits);

/** Limits within which axis marks are written in full. */
const MARK_MAX = 1e5;
const COMPACT_MAX = 1e15;

/** Formats a mark of an axis in little space: 1.5M, 1.5E15. */
export function formatMark(n: number): string {
  const size = Math.abs(n);
  if (size < MARK_MAX || size >= COMPACT_MAX) return formatNumber(n);
  return numberFormat({ maximumFractionDigits: 3, notation: "compact" }).format(n);
}

/** Max. decimals of the marks of an axis with a unit of data. */
const DATA_DECIMALS_MAX = 3;

/** Returns the marks in the fitting unit of data, with as few decimals as distinguish them; `undefined` if none of them needs that. */
function formatDataMarks(marks: readonly number[], unit: string | undefined): string[] | undefined {
  const scaled = marks.map((mark) => scaledData(mark, unit));
  if (scaled.every((mark) => mark === undefined)) return undefined;
  for (let decimals = 0; decimals <= DATA_DECIMALS_MAX; decimals++) {
    const texts = scaled.map((mark, index) =>
      withUnit(formatNumber(Number((mark?.n ?? marks[index] ?? 0).toFixed(decimals))), mark?.unit ?? unit),
    );
    if (new Set(texts).size === new Set(marks).size) return texts;
  }
  return undefined;
}

/** Formats the marks of an axis: large numbers in compact form, unless that makes two of them equal. */
export function formatMarks(marks: readonly number[], unit?: string): string[] {
  const dataMarks = formatDataMarks(marks, unit);
  if (dataMarks !== undefined) return dataMarks;
  const compact = marks.map(formatMark);
  const isUnique = new Set(compact).size === new Set(marks).size;
  return (isUnique ? compact : marks.map((mark) => formatNumber(mark))).map((text) => withUnit(text, unit));
}

export function formatCount(n: number): string {
  return numberFormat({}).format(n);
}

/** Formats an amount of money with two decimals; a user typed the currency. */
export function formatMoney(amount: number, currency: string): string {
  const text = numberFormat({ minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(amount);
  return currency === "" ? text : `${text}\u00a0${currency}`;
}

/** Formats an amount of data in powers of 1,024: 12.3 MiB. */
export function formatBytes(bytes: number): string {
  const { n, unit, decimals } = scaledData(bytes, "B") ?? { n: bytes, unit: "B", decimals: 0 };
  return withUnit(formatNumber(Number(n.toFixed(decimals))), unit);
}

const SPAN_UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

/** Formats a duration in its largest unit: 1.5 hr, 40 min. */
export function formatSpan(ms: number): string {
  const [unit, unitMs] = SPAN_UNITS.find(([, length]) => ms >= length) ?? SPAN_UNITS[3];
  const options = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 1 } as const;
  return numberFormat(options).format(ms / unitMs);
}

/** Formats a relative change, such as +12 %. */
export const formatChange = (change: number): string =>
  `${change < 0 ? "−" : "+"}${formatShare(Math.abs(change))}`;

export const formatShare = (share: number): string =>
  numberFormat({ style: "percent", maximumFractionDigits: 1 }).format(share);

/** Times are ISO 8601 in the API and epoch ms in live messages; 0 and absent mean never. */
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

/** Format of a value, in addition to the metadata of its key. */
export interface ReadingFormat {
  /** Unit and decimals that replace those of the key. */
  readonly unit?: string | undefined;
  readonly decimals?: number | undefined;
  /** Limits of a number whose key has no decimals. */
  readonly digits?: number | undefined;
  readonly decimalsMax?: number | undefined;
}

/** Formats a telemetry value with the metadata of its key, in the user's language. */
export function formatReading(
  value: JsonValue | undefined,
  metadata?: KeyMetadata,
  { unit, decimals, digits, decimalsMax }: ReadingFormat = {},
): string {
  const own = {
    key: "",
    ...metadata,
    ...(unit !== undefined && { unit }),
    ...(decimals !== undefined && { decimals }),
  };
  const words = { true: t("value.true"), false: t("value.false") };
  return formatKeyValue(value, own, { language: language.value, words, digits, decimalsMax });
}

export const formatValue = (value: JsonValue | undefined): string => formatReading(value);
