import { type ConditionBound, numbersOf } from "../../../lib/alarms/condition.ts";
import type { Reading, TelemetryValue } from "../../telemetry/telemetry.types.ts";
import type { AlarmRule } from "../rules/alarm-rule.ts";
import { type DeadBand, type DeviceState, type KnownValue, observeArrival } from "./device-state.ts";

/*
 * Skips rules for most messages, because most values are on the same side of every limit as the previous values. For each key of a device, the engine
 * keeps the range in which no comparison of any rule changes. A message with all values within these ranges needs no rule.
 */

/** Bounds to which the rules of a profile compare the numbers of a key. */
export interface KeyBounds {
  readonly bounds: readonly ConditionBound[];
  /** True if a value counts because it differs from the previous one. */
  readonly isChanging: boolean;
  /** True if a rule derives the key's silence from its usual interval. */
  readonly isObserved: boolean;
}

export function keyBoundsOf(key: string, rules: readonly AlarmRule[]): KeyBounds {
  const triggers = rules.flatMap(({ creates, clear }) => [...creates, ...(clear ? [clear] : [])]);
  return {
    bounds: triggers.flatMap(({ bounds }) => bounds.get(key) ?? []),
    isChanging: triggers.some(({ changing }) => changing.has(key)),
    isObserved: triggers.some(({ silences }) =>
      silences.some((silence) => silence.key === key && silence.forMs === undefined),
    ),
  };
}

/**
 * Updates the dead bands after an evaluation of the rules: values within them need no further evaluation. `attribute` reads attributes of the
 * device.
 */
export function setDeadBand(
  { values }: Pick<DeviceState, "values">,
  rules: {
    readonly byKey: Pick<ReadonlyMap<string, readonly AlarmRule[]>, "get">;
    readonly bounds: Pick<ReadonlyMap<string, KeyBounds>, "get">;
  },
  input: {
    keys: Iterable<string>;
    /** Returns whether a message that changes no comparison has no effect on the rule: nothing is counted, raised or cleared. */
    isSteady: (rule: AlarmRule) => boolean;
    attribute: (scope: string, name: string) => unknown;
  },
): void {
  for (const key of input.keys) {
    const knownValue = values.get(key);
    const bounds = rules.bounds.get(key);
    if (knownValue === undefined || bounds === undefined) continue;
    const passes = rules.byKey.get(key)?.every(input.isSteady) === true;
    knownValue.deadBand = passes ? deadBandOf(bounds, knownValue.value, input.attribute) : undefined;
  }
}

/** Makes every message count for the rule. */
export function clearDeadBand({ values }: Pick<DeviceState, "values">, { keys }: AlarmRule): void {
  for (const key of keys) {
    const knownValue = values.get(key);
    if (knownValue !== undefined) knownValue.deadBand = undefined;
  }
}

/** Returns the range around `value`; undefined if every message counts. */
function deadBandOf(
  { bounds, isChanging }: KeyBounds,
  value: TelemetryValue,
  attribute: (scope: string, name: string) => unknown,
): DeadBand | undefined {
  if (isChanging || typeof value === "object") return undefined;
  let low = Number.NEGATIVE_INFINITY;
  let high = Number.POSITIVE_INFINITY;
  if (typeof value !== "number") return { low: high, high: low };
  const limits = bounds.flatMap((bound) =>
    typeof bound === "number" ? bound : numbersOf(attribute(bound.scope, bound.name)),
  );
  for (const limit of limits) {
    if (limit <= value) low = Math.max(low, limit);
    if (limit >= value) high = Math.min(high, limit);
  }
  return { low, high };
}

const isInDeadBand = ({ deadBand, value: before }: KnownValue, value: TelemetryValue): boolean =>
  deadBand !== undefined &&
  (value === before || (typeof value === "number" && value > deadBand.low && value < deadBand.high));

/** Values that may affect a rule. */
export interface Crossed {
  readonly keys: Set<string>;
  /** True if some values differ from the previous ones. */
  hasNewValue: boolean;
}

/** Arrival of a reading. */
interface Arrival {
  /** Monotonic epoch ms. */
  readonly at: number;
  /** Newest accepted timestamp: a value stamped later by a wrong clock is replaced by the next one. */
  readonly believedUntil: number;
}

/** Stores the values of keys used by rules; returns undefined if none can affect a rule. */
export function takeIn(
  values: Map<string, KnownValue>,
  rules: { readonly bounds: Pick<ReadonlyMap<string, KeyBounds>, "get"> },
  reading: Reading,
  { at, believedUntil }: Arrival,
): Crossed | undefined {
  const { ts, values: input } = reading;
  let crossed: Crossed | undefined;
  for (const key in input) {
    const value = input[key];
    const bounds = rules.bounds.get(key);
    if (value === undefined || bounds === undefined) continue;
    const knownValue = values.get(key);
    if (knownValue !== undefined && knownValue.ts > ts && knownValue.ts <= believedUntil) continue;
    if (knownValue !== undefined && takeQuietly(knownValue, { ts, at, value }, bounds)) continue;
    if (knownValue === undefined) values.set(key, { ts, at, value, hasChanged: false });
    crossed ??= { keys: new Set(), hasNewValue: false };
    crossed.keys.add(key);
    crossed.hasNewValue ||= knownValue?.hasChanged ?? true;
  }
  return crossed;
}

/** Returns whether `takeIn` would find that no value of the reading can affect a rule. */
export const changesNothing = (
  values: ReadonlyMap<string, KnownValue>,
  rules: { readonly bounds: Pick<ReadonlyMap<string, KeyBounds>, "has"> },
  { values: input }: Reading,
): boolean =>
  Object.keys(input).every((key) => {
    const value = input[key];
    const knownValue = values.get(key);
    return (
      value === undefined ||
      !rules.bounds.has(key) ||
      (knownValue !== undefined && isInDeadBand(knownValue, value))
    );
  });

/** Returns `false` if the rules must be evaluated. */
function takeQuietly(
  knownValue: KnownValue,
  { ts, at, value }: Pick<KnownValue, "ts" | "at" | "value">,
  { isObserved }: KeyBounds,
): boolean {
  if (isObserved) observeArrival(knownValue, at);
  const passes = isInDeadBand(knownValue, value);
  knownValue.hasChanged = knownValue.value !== value && !Bun.deepEquals(knownValue.value, value);
  knownValue.value = value;
  knownValue.ts = ts;
  knownValue.at = at;
  return passes;
}
