import type { StringPool } from "../../../lib/data/string-pool.ts";
import { isJsonObject } from "../../../lib/json/json.ts";
import { type ObservedInterval, observeGap, silenceTimeoutOf } from "../../../lib/time/observed-interval.ts";
import type { TelemetryValue } from "../../telemetry/telemetry.types.ts";
import type { Alarm } from "../alarms.types.ts";
import { isBlank, type RuleState } from "./alarm-evaluation.ts";

export interface KnownValue {
  /** Timestamp from the device. Values with older timestamps are ignored. */
  ts: number;
  /** Monotonic time of arrival, shifted by the time for which the gateway has not run since. */
  at: number;
  /** True if the previous value differed. */
  hasChanged: boolean;
  value: TelemetryValue;
  /** Usual interval of the key; only for rules that derive its silence from it. */
  interval?: ObservedInterval;
  /** Range in which the next value changes no rule's outcome. Not stored. */
  deadBand?: DeadBand | undefined;
}

/** The same value, or a number above `low` and below `high`. */
export interface DeadBand {
  readonly low: number;
  readonly high: number;
}

/** State of the engine for a device. */
export interface DeviceState {
  readonly values: Map<string, KnownValue>;
  /** States by alarm type. */
  readonly rules: Map<string, RuleState>;
  /** Open alarms by alarm type, read from the alarms themselves. */
  readonly open: Map<string, Alarm>;
  /** Time of the next evaluation if no message arrives, by alarm type. */
  readonly due: Map<string, number>;
  /** Rules for which the dead bands were computed. Not stored. */
  deadBandFor?: unknown;
}

/** Removes the state of rules that do not watch the device, so that they start from scratch later. Returns whether any was removed. */
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

/** Serializes the state. `stoppedMs`: total time for which the gateway had not run by then. */
export const writeState = ({ values, rules, due }: DeviceState, stoppedMs: number): string =>
  JSON.stringify({
    values: [...values].map(([key, { deadBand: _, ...kept }]) => [key, kept]),
    rules: [...rules].filter(([, own]) => !isBlank(own)),
    due: Object.fromEntries(due),
    stoppedMs,
  });

const entriesOf = (input: unknown): Array<[string, Record<string, unknown>]> =>
  (Array.isArray(input) ? input : []).filter(
    (entry) => Array.isArray(entry) && typeof entry[0] === "string" && isJsonObject(entry[1]),
  );

function readDue(input: unknown, names: StringPool): Map<string, number> {
  const due = new Map<string, number>();
  for (const [alarmType, dueAt] of Object.entries(isJsonObject(input) ? input : {}))
    if (typeof dueAt === "number") due.set(names.of(alarmType), dueAt);
  return due;
}

function readRules(input: unknown, now: number, names: StringPool): Map<string, RuleState> {
  const rules = new Map<string, RuleState>();
  for (const [alarmType, stored] of entriesOf(input)) {
    if (!Array.isArray(stored.triggers)) continue;
    const own = stored as unknown as RuleState; // as we wrote it
    rules.set(names.of(alarmType), { ...own, fingerprint: names.of(own.fingerprint) });
    for (const trigger of own.triggers) {
      if (trigger.since !== undefined) trigger.since = Math.min(trigger.since, now);
      if (trigger.times !== undefined) trigger.times = trigger.times.map((timeMs) => Math.min(timeMs, now));
    }
  }
  return rules;
}

/**
 * Reads the state written by `writeState`; unreadable parts are omitted. Times in the future (the clock may have been set back) are limited to now,
 * and time for which the gateway did not run does not count as silence.
 */
export function readState(
  text: string | undefined,
  open: readonly Alarm[],
  { now, stoppedMs, names }: { now: number; stoppedMs: number; names: StringPool },
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
  return {
    values,
    rules: readRules(input.rules, now, names),
    open: new Map(open.map((alarm) => [alarm.alarmType, alarm])),
    due: readDue(input.due, names),
  };
}

const noInterval: ObservedInterval = { intervalMs: 0, observedMs: 0 };

/** Returns the time after which a key with a usual interval counts as silent, in ms. */
export const silentAfterMs = (knownValue: KnownValue | undefined): number =>
  Math.round(silenceTimeoutOf(knownValue?.interval ?? noInterval).timeoutMs);

/** Updates the usual interval with the time since the previous value. */
export function observeArrival(knownValue: KnownValue, timeMs: number): void {
  knownValue.interval ??= { ...noInterval };
  observeGap(knownValue.interval, Math.max(0, timeMs - knownValue.at));
}
