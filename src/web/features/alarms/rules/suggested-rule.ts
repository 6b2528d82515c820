import type { AlarmSeverity } from "../../../../lib/alarms/severity.ts";
import { type KeyLimits, type KeyMetadata, limitSeverities } from "../../../../lib/keys/key-metadata.ts";
import type { TelemetryValue } from "../../../lib/api-types.ts";
import {
  type ConditionRow,
  newRow,
  newRule,
  newTrigger,
  type RuleForm,
  type TriggerForm,
} from "./rule-form.ts";

/** Metadata and stored values of a key for which an alarm rule is suggested. */
export interface ObservedValue {
  readonly key: string;
  readonly metadata: KeyMetadata | undefined;
  readonly newest: TelemetryValue | undefined;
  /** Lowest and highest value of the last days; undefined for values that are not numbers. */
  readonly range: { readonly min: number; readonly max: number } | undefined;
}

/** Distance of the suggested limit from the highest value, as a share of the range. */
const HEADROOM = 0.1;
/** Significant digits of the range to which the limit is rounded. */
const RANGE_DIGITS = 2;
const DECIMALS_MAX = 9;

/** Returns a limit slightly above the range, rounded up to a usual number. */
export function limitAbove({ min, max }: { readonly min: number; readonly max: number }): number {
  const span = max - min || Math.abs(max) || 1;
  const decimals = RANGE_DIGITS - 1 - Math.floor(Math.log10(span));
  const limit = max + span * HEADROOM;
  const factor = 10 ** Math.abs(decimals);
  // Dividing by a power of ten is exact, unlike multiplying by 0.01.
  if (decimals < 0) return Math.ceil(limit / factor) * factor;
  return Number((Math.ceil(limit * factor) / factor).toFixed(Math.min(decimals, DECIMALS_MAX)));
}

const rowOf = (key: string, op: ConditionRow["op"], value: unknown): ConditionRow => ({
  ...newRow(),
  key,
  op,
  value: String(value),
});

function triggerOf(severity: AlarmSeverity, rows: readonly ConditionRow[]): TriggerForm[] {
  return rows.length === 0 ? [] : [{ ...newTrigger(severity), condition: { join: "any", rows } }];
}

/** Returns a trigger for each pair of limits. A value equal to a limit is beyond it, as everywhere. */
function triggersOfLimits(key: string, limits: KeyLimits): TriggerForm[] {
  const { lowLow, low, high, highHigh } = limits;
  const rows = (above: number | undefined, below: number | undefined) => [
    ...(above === undefined ? [] : [rowOf(key, "GE", above)]),
    ...(below === undefined ? [] : [rowOf(key, "LE", below)]),
  ];
  return [
    ...triggerOf(limitSeverities.critical, rows(highHigh, lowLow)),
    ...triggerOf(limitSeverities.warning, rows(high, low)),
  ];
}

/** Returns the compared value of a state: a red one, otherwise the newest. */
function troublesome({ metadata, newest }: ObservedValue): unknown {
  const red = metadata?.states?.find(({ color }) => color === "red");
  if (red !== undefined) return red.value;
  return typeof newest === "boolean" ? true : (newest ?? "");
}

function triggersOf(observed: ObservedValue): TriggerForm[] {
  const { key, metadata, newest, range } = observed;
  const ofLimits = triggersOfLimits(key, metadata?.limits ?? {});
  if (ofLimits.length > 0) return ofLimits;
  const isNumber = newest === undefined || typeof newest === "number";
  if (!isNumber || metadata?.kind === "state")
    return triggerOf("MAJOR", [rowOf(key, "EQ", troublesome(observed))]);
  return triggerOf("MAJOR", [rowOf(key, "GT", range === undefined ? "" : limitAbove(range))]);
}

/** Returns an unused name of a rule in the profile. */
function freeName(name: string, others: readonly string[]): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name} ${number}`;
    if (!others.includes(candidate)) return candidate;
  }
}

/** Returns a rule on the value of this device: with the limits of its key, otherwise with one above the values of the last days. */
export const suggestedRule = (
  observed: ObservedValue,
  deviceId: string,
  others: readonly string[],
): RuleForm => ({
  ...newRule(),
  appliesTo: { deviceIds: [deviceId], deviceTypes: [], tags: [] },
  alarmType: freeName(observed.metadata?.name ?? observed.key, others),
  creates: triggersOf(observed),
});
