import { type ConditionBound, numbersOf } from "../../lib/condition.ts";
import type { Reading, TelemetryValue } from "../telemetry/telemetry.types.ts";
import type { AlarmRule } from "./alarm-rule.ts";
import type { DeviceState, KnownValue, Quiet } from "./device-state.ts";

/*
 * Most messages bring values that lie on the same side of every limit as those before them. For each key of a device the engine keeps
 * the range in which no comparison of any rule turns round; a message whose values all lie in theirs needs no look at the rules.
 */

/** What the rules of a profile hold the numbers of a key against. */
export interface KeyBounds {
  readonly bounds: readonly ConditionBound[];
  /** That a value is another than the one before counts by itself. */
  readonly isChanging: boolean;
}

export function keyBoundsOf(key: string, rules: readonly AlarmRule[]): KeyBounds {
  const triggers = rules.flatMap(({ creates, clear }) => [...creates, ...(clear ? [clear] : [])]);
  return {
    bounds: triggers.flatMap(({ bounds }) => bounds.get(key) ?? []),
    isChanging: triggers.some(({ changing }) => changing.has(key)),
  };
}

/** Says anew, after rules were looked at, what may come without another look. `attribute` reads those of the device. */
export function setQuiet(
  { values, rules: own }: Pick<DeviceState, "values" | "rules">,
  rules: {
    readonly byKey: ReadonlyMap<string, readonly AlarmRule[]>;
    readonly bounds: ReadonlyMap<string, KeyBounds>;
  },
  given: { keys: Iterable<string>; attribute: (scope: string, name: string) => unknown },
): void {
  const isSteady = ({ alarmType }: AlarmRule) => own.get(alarmType)?.isSteady === true;
  for (const key of given.keys) {
    const known = values.get(key);
    const bounds = rules.bounds.get(key);
    if (known === undefined || bounds === undefined) continue;
    const passes = rules.byKey.get(key)?.every(isSteady) === true;
    known.quiet = passes ? quietOf(bounds, known.value, given.attribute) : undefined;
  }
}

/** Every message counts for the rule from now on. */
export function setLoud({ values }: Pick<DeviceState, "values">, { keys }: AlarmRule): void {
  for (const key of keys) {
    const known = values.get(key);
    if (known !== undefined) known.quiet = undefined;
  }
}

/** The range around `value`; undefined where every message counts. */
function quietOf(
  { bounds, isChanging }: KeyBounds,
  value: TelemetryValue,
  attribute: (scope: string, name: string) => unknown,
): Quiet | undefined {
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

const isQuiet = ({ quiet, value: before }: KnownValue, value: TelemetryValue): boolean =>
  quiet !== undefined &&
  (value === before || (typeof value === "number" && value > quiet.low && value < quiet.high));

/** Values that some rule may take notice of. */
export interface Loud {
  readonly keys: Set<string>;
  /** Some of them were another before. */
  isNews: boolean;
}

/** Takes in the values of keys that rules name, at steady time `at`; undefined when none of them is loud. */
export function takeIn(
  values: Map<string, KnownValue>,
  rules: { readonly byKey: ReadonlyMap<string, unknown> },
  reading: Reading,
  at: number,
): Loud | undefined {
  const { ts, values: given } = reading;
  let loud: Loud | undefined;
  for (const key in given) {
    const value = given[key];
    if (value === undefined || !rules.byKey.has(key)) continue;
    const known = values.get(key);
    if (known !== undefined && known.ts > ts) continue;
    if (known !== undefined && takeQuietly(known, { ts, at, value })) continue;
    if (known === undefined) values.set(key, { ts, at, value, hasChanged: false });
    loud ??= { keys: new Set(), isNews: false };
    loud.keys.add(key);
    loud.isNews ||= known?.hasChanged ?? true;
  }
  return loud;
}

/** False when rules are to be looked at. */
function takeQuietly(known: KnownValue, { ts, at, value }: Pick<KnownValue, "ts" | "at" | "value">): boolean {
  const passes = isQuiet(known, value);
  known.hasChanged = known.value !== value && !Bun.deepEquals(known.value, value);
  known.value = value;
  known.ts = ts;
  known.at = at;
  return passes;
}
