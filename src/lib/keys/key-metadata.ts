import type { AlarmSeverity } from "../alarms/severity.ts";
import { omit } from "../core/omit.ts";

/** What the values of a telemetry key mean: their names, formats and limits. A device profile has it, a tenant has defaults. */

export const KEY_KINDS = ["gauge", "counter", "state", "text"] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** Colours of states. The console has a readable shade of each in both themes. */
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

/** Names of the limits, from the lowest to the highest. */
export const LIMIT_NAMES = ["lowLow", "low", "high", "highHigh"] as const;
export type KeyLimits = { readonly [Name in (typeof LIMIT_NAMES)[number]]?: number };

export interface KeyMetadata {
  readonly key: string;
  readonly name?: string;
  /** UCUM code, or any text. */
  readonly unit?: string;
  readonly decimals?: number;
  readonly kind?: KeyKind;
  /** Ends of the range in which values are expected. */
  readonly min?: number;
  readonly max?: number;
  readonly limits?: KeyLimits;
  readonly states?: readonly KeyState[];
  /** Subject that the key belongs to. Pages show the keys of a group together. */
  readonly group?: string;
}

export type KeyMetadataMap = ReadonlyMap<string, KeyMetadata>;

export const KEYS_MAX = 1_000;
export const KEY_BYTES_MAX = 256;
export const NAME_CHARACTERS_MAX = 100;
export const UNIT_CHARACTERS_MAX = 32;
export const DECIMALS_MAX = 9;
export const STATES_MAX = 100;

/** Returns the metadata of each key. The profile's own entry replaces the tenant's default as a whole. */
export function resolveKeyMetadata(
  defaults: readonly KeyMetadata[],
  own: readonly KeyMetadata[],
): Map<string, KeyMetadata> {
  return new Map([...defaults, ...own].map((metadata) => [metadata.key, metadata]));
}

/** Aggregates whose results are not values of the key but counts or durations. */
const FOREIGN_AGGREGATES = ["count", "timeIn"];

/** Returns the metadata of a key's aggregated values. A count has no unit, and an increase is not compared with the limits of the reading. */
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

/** Severities of the alarms that belong to the limits: a rule that is made of limits raises them, and values have their colours. */
export const limitSeverities = { warning: "WARNING", critical: "CRITICAL" } as const satisfies Record<
  Exclude<LimitLevel, "normal">,
  AlarmSeverity
>;

/** Returns the limit level of a value. A value that equals a limit is beyond it. */
export function limitLevel(value: unknown, limits: KeyLimits | undefined): LimitLevel {
  if (typeof value !== "number" || limits === undefined) return "normal";
  const { lowLow = Number.NaN, low = Number.NaN, high = Number.NaN, highHigh = Number.NaN } = limits;
  if (value >= highHigh || value <= lowLow) return "critical";
  return value >= high || value <= low ? "warning" : "normal";
}
