/** Formats values of telemetry for people, with the metadata of their key. Shared by the console and by mails and messages. */
import type { KeyMetadata, KeyState } from "./key-metadata.ts";

/** Narrow no-break space between a number and its unit. */
const UNIT_SPACE = "\u202f";
const NOTHING = "–";
/** Significant digits of a number without metadata. */
const DIGITS_DEFAULT = 6;
/** Max. decimals of a large number without metadata. */
const LARGE_DECIMALS = 2;
const DECIMALS_MAX = 10;
/** Limits beyond which a number is written with a power of ten. */
const PLAIN_MIN = 1e-6;
const PLAIN_MAX = 1e15;

/** "language|options" → formatter. Creating one costs far more than using it. */
const formats = new Map<string, Intl.NumberFormat>();

export function numberFormat(language: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const id = `${language}|${JSON.stringify(options)}`;
  const format = formats.get(id) ?? new Intl.NumberFormat(language, options);
  formats.set(id, format);
  return format;
}

/**
 * Formats a number with at most `digits` significant digits. Digits before the decimal sign are never rounded, because counters are shown exactly.
 */
export function formatDigits(n: number, language: string, digits = DIGITS_DEFAULT): string {
  if (!Number.isFinite(n)) return NOTHING;
  const size = Math.abs(n);
  const isPlain = n === 0 || (size >= PLAIN_MIN && size < PLAIN_MAX);
  if (!isPlain)
    return numberFormat(language, { maximumSignificantDigits: digits, notation: "scientific" }).format(n);
  const whole = size < 1 ? 0 : Math.floor(Math.log10(size)) + 1;
  const options =
    whole >= digits ? { maximumFractionDigits: LARGE_DECIMALS } : { maximumSignificantDigits: digits };
  return numberFormat(language, options).format(n);
}

/** Formats a number with exactly `decimals` decimals; a huge number with a power of ten and at most `decimals`. */
export function formatDecimals(n: number, language: string, decimals: number): string {
  if (!Number.isFinite(n)) return NOTHING;
  const maximumFractionDigits = Math.min(Math.max(Math.trunc(decimals), 0), DECIMALS_MAX);
  const options =
    Math.abs(n) >= PLAIN_MAX
      ? ({ maximumFractionDigits, notation: "scientific" } as const)
      : { minimumFractionDigits: maximumFractionDigits, maximumFractionDigits };
  // "negative" writes no sign before a number that is rounded to zero.
  return numberFormat(language, { ...options, signDisplay: "negative" }).format(n);
}

/** UCUM codes with a different symbol. */
const SYMBOLS: ReadonlyMap<string, string> = new Map([
  ["Cel", "°C"],
  ["[degF]", "°F"],
  ["deg", "°"],
  ["Ohm", "Ω"],
  ["kOhm", "kΩ"],
  ["MOhm", "MΩ"],
  ["W.h", "Wh"],
  ["kW.h", "kWh"],
  ["MW.h", "MWh"],
  ["A.h", "Ah"],
  ["V.A", "VA"],
  ["kV.A", "kVA"],
  ["m2", "m²"],
  ["m3", "m³"],
  ["m3/h", "m³/h"],
  ["m3/s", "m³/s"],
  ["m/s2", "m/s²"],
  ["ug/m3", "µg/m³"],
  ["mg/m3", "mg/m³"],
  ["W/m2", "W/m²"],
  ["um", "µm"],
  ["us", "µs"],
  ["uS/cm", "µS/cm"],
  ["[ppm]", "ppm"],
  ["[ppb]", "ppb"],
  ["[psi]", "psi"],
  ["mm[Hg]", "mmHg"],
  ["[pH]", "pH"],
  ["B[mW]", "Bm"],
  ["dB[mW]", "dBm"],
  ["By", "B"],
]);

/** Returns the symbol of a unit: the usual one of a UCUM code, the text of an annotation such as `{parts}`. */
export function unitSymbol(unit: string): string {
  const symbol = SYMBOLS.get(unit);
  if (symbol !== undefined) return symbol;
  return unit.startsWith("{") && unit.endsWith("}") && unit.length > 2 ? unit.slice(1, -1) : unit;
}

/** Units of data sizes, each family sorted by size with the factor between neighbors. */
const dataUnits: ReadonlyArray<{ readonly step: number; readonly units: readonly string[] }> = [
  { step: 1024, units: ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] },
  { step: 1000, units: ["kB", "MB", "GB", "TB", "PB"] },
];
/** Splits "KiB/s" into the data size and the rest. */
const DATA_UNIT = /^([kKMGTP]?i?By?)(\/(?:s|min|h|d))?$/;

/** Significant digits of an enlarged and of a reduced amount. */
const SIGNIFICANT = { larger: 3, smaller: 2 };

/**
 * Returns the number in a readable unit of its family, 77.8 GiB for 79,648 MiB, with useful decimals; undefined for other units, and if the unit
 * fits.
 */
export function scaledData(
  n: number,
  unit: string | undefined,
): { n: number; unit: string; decimals: number } | undefined {
  const [, amount = "", rest = ""] = DATA_UNIT.exec(unit ?? "") ?? [];
  const name = amount === "By" ? "B" : amount;
  const family = dataUnits.find(({ units }) => units.includes(name));
  if (family === undefined || !Number.isFinite(n) || n === 0) return undefined;
  const { units, step } = family;
  let index = units.indexOf(name);
  let size = n;
  for (; Math.abs(size) >= step && index < units.length - 1; index++) size /= step;
  for (; Math.abs(size) < 1 && index > 0; index--) size *= step;
  if (size === n) return undefined;
  const digits = Math.abs(size) > Math.abs(n) ? SIGNIFICANT.smaller : SIGNIFICANT.larger;
  const decimals = Math.max(0, digits - 1 - Math.max(0, Math.floor(Math.log10(Math.abs(size)))));
  return { n: size, unit: `${units[index]}${rest}`, decimals };
}

/** Returns the text followed by the unit. A degree sign follows without a space. */
export function withUnit(text: string, unit: string | undefined, space = UNIT_SPACE): string {
  if (unit === undefined || unit === "" || text === NOTHING) return text;
  const symbol = unitSymbol(unit);
  return symbol === "°" ? `${text}${symbol}` : `${text}${space}${symbol}`;
}

/** Returns the name of a table column with the unit of its values. */
export const columnName = (name: string, unit: string | undefined): string =>
  unit === undefined || unit === "" ? name : `${name} (${unitSymbol(unit)})`;

export interface ValueFormat {
  readonly language: string;
  /** Words for booleans without state names. */
  readonly words: { readonly true: string; readonly false: string };
  /** Space between a number and its unit; a narrow no-break space by default. */
  readonly space?: string | undefined;
  /** Max. significant digits of a number whose key has no decimals. */
  readonly digits?: number | undefined;
  /** Max. decimals of a number whose key has none of its own, because an average has no more decimals than its values. */
  readonly decimalsMax?: number | undefined;
}

export const stateOf = (value: unknown, metadata: KeyMetadata | undefined): KeyState | undefined =>
  metadata?.states?.find((state) => state.value === value);

/** Formats the number of a key, without its unit. */
export function formatKeyNumber(n: number, metadata: Omit<KeyMetadata, "key">, format: ValueFormat): string {
  const { language, digits, decimalsMax } = format;
  const { decimals } = metadata;
  if (decimals !== undefined) return formatDecimals(n, language, decimals);
  // Numbers that are identifiers, such as serial numbers, are not grouped.
  if (metadata.kind === "text" && Number.isSafeInteger(n)) return String(n);
  if (decimalsMax === undefined || Math.abs(n) >= PLAIN_MAX) return formatDigits(n, language, digits);
  return formatDigits(Number(n.toFixed(decimalsMax)), language, digits);
}

/** Formats a value: states by name, numbers with the decimals and the unit of their key. */
export function formatKeyValue(
  value: unknown,
  metadata: KeyMetadata | undefined,
  format: ValueFormat,
): string {
  if (value === undefined || value === null) return NOTHING;
  const state = stateOf(value, metadata);
  if (state !== undefined) return state.name;
  if (typeof value === "boolean") return format.words[value ? "true" : "false"];
  if (typeof value === "number") {
    const scaled = scaledData(value, metadata?.unit);
    if (scaled !== undefined)
      return withUnit(formatDecimals(scaled.n, format.language, scaled.decimals), scaled.unit, format.space);
    const text = formatKeyNumber(value, metadata ?? {}, format);
    return metadata?.kind === "text" || metadata?.kind === "state"
      ? text
      : withUnit(text, metadata?.unit, format.space);
  }
  return typeof value === "string" ? value : JSON.stringify(withoutNoise(value));
}

/** Significant digits that a double holds for certain. Further digits are noise of its binary form. */
const EXACT_DIGITS = 15;

/** Returns the number of decimals of the number in its usual notation. */
export function decimalsOf(n: number): number {
  if (!Number.isFinite(n) || Number.isInteger(n)) return 0;
  const [, fraction = "", exponent = "0"] =
    /^-?\d+(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(Number(n.toPrecision(EXACT_DIGITS)))) ?? [];
  return Math.max(0, fraction.length - Number(exponent));
}

const NOISE_DIGITS = 12;

/** Returns a JSON value whose numbers have no noise of their binary form: 14.611479999999993 becomes 14.61148. */
export function withoutNoise(value: unknown): unknown {
  if (typeof value === "number")
    return Number.isInteger(value) ? value : Number(value.toPrecision(NOISE_DIGITS));
  if (Array.isArray(value)) return value.map(withoutNoise);
  if (typeof value !== "object" || value === null) return value;
  const clean = Object.create(null) as Record<string, unknown>;
  for (const [key, inner] of Object.entries(value)) clean[key] = withoutNoise(inner);
  return clean;
}
