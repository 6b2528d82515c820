import type { AlarmSeverity } from "../alarms/severity.ts";
import { omit } from "../core/omit.ts";

/** Metadata of telemetry keys: names, formats and limits. Device profiles have it, and tenants have defaults. */

export const KEY_KINDS = ["gauge", "counter", "state", "text"] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** Colors of states. The console has a readable shade of each in both themes. */
export const STATE_COLORS = [
  "gray",
  "green",
  "yellow",
  "orange",
  "red",
  "blue",
  "teal",
  "purple",
  "pink",
] as const;
export type StateColor = (typeof STATE_COLORS)[number];

export interface KeyState {
  readonly value: number | boolean | string;
  readonly name: string;
  readonly color?: StateColor;
}

/** Names of the limits, sorted from the lowest. */
export const LIMIT_NAMES = ["lowLow", "low", "high", "highHigh"] as const;
export type KeyLimits = { readonly [Name in (typeof LIMIT_NAMES)[number]]?: number };

export interface KeyMetadata {
  readonly key: string;
  readonly name?: string;
  /** UCUM code, or any text. */
  readonly unit?: string;
  readonly decimals?: number;
  readonly kind?: KeyKind;
  /** Ends of the expected range of values. */
  readonly min?: number;
  readonly max?: number;
  readonly limits?: KeyLimits;
  readonly states?: readonly KeyState[];
  /** Group of the key. Pages show the keys of a group together. */
  readonly group?: string;
}

export type KeyMetadataMap = ReadonlyMap<string, KeyMetadata>;

export const KEYS_MAX = 1_000;
export const KEY_BYTES_MAX = 256;
export const NAME_CHARACTERS_MAX = 100;
export const UNIT_CHARACTERS_MAX = 32;
export const DECIMALS_MAX = 9;
export const STATES_MAX = 100;

/** Returns the metadata of each key. An entry of the profile replaces the default of the tenant as a whole. */
export function resolveKeyMetadata(
  defaults: readonly KeyMetadata[],
  own: readonly KeyMetadata[],
): Map<string, KeyMetadata> {
  return new Map([...defaults, ...own].map((metadata) => [metadata.key, metadata]));
}

/** Aggregates with counts or durations as results instead of values of the key. */
const FOREIGN_AGGREGATES = ["count", "timeIn"];

/** Returns the metadata of aggregated values of a key. A count has no unit, and limits of the reading do not apply to an increase. */
export function aggregatedMetadata(
  metadata: KeyMetadata | undefined,
  aggregation: unknown,
): KeyMetadata | undefined {
  if (metadata === undefined) return undefined;
  const { key, name, ...rest } = omit(metadata, "limits", "states", "min", "max");
  if (aggregation === "delta") return { key, ...(name !== undefined && { name }), ...rest };
  if (typeof aggregation !== "string" || !FOREIGN_AGGREGATES.includes(aggregation)) return metadata;
  return { key, ...(name !== undefined && { name }) };
}

export type LimitLevel = "normal" | "warning" | "critical";

/** Severities of alarms of the limits: rules that are created from limits raise them, and values have their colors. */
export const limitSeverities = { warning: "WARNING", critical: "CRITICAL" } as const satisfies Record<
  Exclude<LimitLevel, "normal">,
  AlarmSeverity
>;

/** Returns the limit level of a value. A value equal to a limit is beyond it. */
export function limitLevel(value: unknown, limits: KeyLimits | undefined): LimitLevel {
  if (typeof value !== "number" || limits === undefined) return "normal";
  const { lowLow = Number.NaN, low = Number.NaN, high = Number.NaN, highHigh = Number.NaN } = limits;
  if (value >= highHigh || value <= lowLow) return "critical";
  return value >= high || value <= low ? "warning" : "normal";
}
