import { isJsonObject } from "../../lib/json/json.ts";
import { type ObservedInterval, observeGap, silenceTimeoutOf } from "../../lib/time/observed-interval.ts";
import type { TelemetryValue } from "../telemetry/telemetry.types.ts";
import type { RuleState } from "./alarm-evaluation.ts";
import type { Alarm } from "./alarms.types.ts";

export interface KnownValue {
  /** The device's own time stamp. Values with older ones are ignored. */
  ts: number;
  /** Steady time at which the value came, moved on by the time for which the gateway did not run since. */
  at: number;
  /** True if the previous value differed. */
  hasChanged: boolean;
  value: TelemetryValue;
  /** Interval at which the key comes; only for a rule that derives its silence from it. */
  interval?: ObservedInterval;
  /** Range in which the next value changes the outcome of no rule. It is not stored. */
  deadBand?: DeadBand | undefined;
}

/** The same value again, or a number above `low` and below `high`. */
export interface DeadBand {
  readonly low: number;
  readonly high: number;
}

/** State of the engine for a device. */
export interface DeviceState {
  readonly values: Map<string, KnownValue>;
  /** Keyed by alarm type. */
  readonly rules: Map<string, RuleState>;
  /** Keyed by alarm type; read from the alarms themselves. */
  readonly open: Map<string, Alarm>;
  /** Keyed by alarm type: when its rule is to be looked at if nothing comes. */
  readonly due: Map<string, number>;
  /** Rules that the dead bands of the values belong to. It is not stored. */
  deadBandFor?: unknown;
}

/**
 * Removes what belongs to none of the rules that watch the device, so that a rule that watches it again begins anew. Returns whether there was
 * anything.
 */
export function keepWatched(
  { values, rules, due }: DeviceState,
  watching: {
    readonly all: ReadonlyArray<{ readonly alarmType: string }>;
    readonly byKey: Pick<ReadonlyMap<string, unknown>, "has">;
  },
): boolean {
  const types = new Set(watching.all.map(({ alarmType }) => alarmType));
  const size = values.size + rules.size + due.size;
  for (const key of values.keys()) if (!watching.byKey.has(key)) values.delete(key);
  for (const byType of [rules, due])
    for (const type of byType.keys()) if (!types.has(type)) byType.delete(type);
  return values.size + rules.size + due.size < size;
}

/** `stoppedMs`: how long the gateway had not run by then, in all. */
export const writeState = ({ values, rules, due }: DeviceState, stoppedMs: number): string =>
  JSON.stringify({
    values: [...values].map(([key, { deadBand: _, ...kept }]) => [key, kept]),
    rules: [...rules].map(([alarmType, { isSteady: _, ...own }]) => [alarmType, own]),
    due: Object.fromEntries(due),
    stoppedMs,
  });

const entriesOf = (input: unknown): Array<[string, Record<string, unknown>]> =>
  (Array.isArray(input) ? input : []).filter(
    (entry) => Array.isArray(entry) && typeof entry[0] === "string" && isJsonObject(entry[1]),
  );

/**
 * Reads the state that `writeState` wrote; unreadable parts are left out. The clock may have been set back meanwhile: nothing lies in
 * the future. A gateway that did not run heard nothing: that time is no silence of the device.
 */
export function readState(
  text: string | undefined,
  open: readonly Alarm[],
  { now, stoppedMs }: { now: number; stoppedMs: number },
): DeviceState {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text ?? "{}");
  } catch {
    parsed = {};
  }
  const input = isJsonObject(parsed) ? parsed : {};
  const values = new Map(entriesOf(input.values)) as unknown as Map<string, KnownValue>; // as we wrote them
  const before = typeof input.stoppedMs === "number" ? input.stoppedMs : stoppedMs;
  const sinceMs = Math.max(0, stoppedMs - before);
  for (const [key, knownValue] of values)
    values.set(key, { ...knownValue, at: Math.min(knownValue.at + sinceMs, now) });
  const due = new Map(
    Object.entries(isJsonObject(input.due) ? input.due : {}).filter(
      (entry): entry is [string, number] => typeof entry[1] === "number",
    ),
  );
  const existing = entriesOf(input.rules).filter(([, { triggers }]) => Array.isArray(triggers));
  const rules = new Map(existing) as unknown as Map<string, RuleState>; // as we wrote them
  for (const { triggers } of rules.values())
    for (const trigger of triggers) {
      if (trigger.since !== undefined) trigger.since = Math.min(trigger.since, now);
      if (trigger.times !== undefined) trigger.times = trigger.times.map((timeMs) => Math.min(timeMs, now));
    }
  return {
    values,
    rules,
    open: new Map(open.map((alarm) => [alarm.alarmType, alarm])),
    due,
  };
}

const noInterval: ObservedInterval = { intervalMs: 0, observedMs: 0 };

/** Returns the time after which a key is silent that comes at its usual interval. */
export const silentAfterMs = (knownValue: KnownValue | undefined): number =>
  Math.round(silenceTimeoutOf(knownValue?.interval ?? noInterval).timeoutMs);

/** Learns from the time since the value before. */
export function observeArrival(knownValue: KnownValue, timeMs: number): void {
  knownValue.interval ??= { ...noInterval };
  observeGap(knownValue.interval, Math.max(0, timeMs - knownValue.at));
}
