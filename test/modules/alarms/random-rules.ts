import { severitiesDescending } from "../../../src/lib/alarms/severity.ts";
import type { TelemetryValue } from "../../../src/modules/telemetry/telemetry.types.ts";
import type { GivenSchedule } from "./alarm-model.ts";

/** The same numbers each time for the same seed. */
export function randomFrom(seed: number) {
  let state = seed >>> 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return { below, pick: <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item };
}
export type Random = ReturnType<typeof randomFrom>;

const severities = severitiesDescending;
const keys = ["a", "b"];
/** Values that are not numbers: devices send them in place of a measurement, and rules compare with them. */
const states = ["off", "on", true] as const;

function randomCondition(random: Random, depth = 0): unknown {
  const kind = random.below(depth < 2 ? 9 : 6);
  const key = random.pick(keys);
  if (kind === 6) return { not: randomCondition(random, depth + 1) };
  if (kind > 6)
    return {
      [kind === 7 ? "all" : "any"]: [randomCondition(random, depth + 1), randomCondition(random, depth + 1)],
    };
  if (kind === 5) return { noData: { key, forMs: 1000 * (1 + random.below(6)) } };
  if (kind === 4) return { key, op: "CHANGED" };
  if (kind === 3) return { key, op: random.pick(["GT", "LE"]), attribute: { key: "limit", scope: "SERVER" } };
  const value = random.below(8) === 0 ? random.pick(states) : random.below(6);
  return { key, op: random.pick(["GT", "LT", "EQ", "NE", "GE"]), value };
}

function randomTrigger(random: Random): Record<string, unknown> {
  const condition = randomCondition(random);
  const kind = random.below(5);
  const ms = 1000 * (1 + random.below(6));
  if (kind < 2) return { condition };
  if (kind === 2) return { condition, kind: "DURATION", forMs: ms };
  const count = 1 + random.below(4);
  return { condition, kind: "REPEATING", count, ...(kind === 3 && { withinMs: ms }) };
}

/** The model begins on a Sunday at midnight UTC and lasts a few minutes. */
function randomSchedule(random: Random): GivenSchedule {
  const timezone = random.pick(["UTC", "Europe/Berlin", "Asia/Kathmandu", "Pacific/Apia"]);
  const shift = { UTC: 0, "Europe/Berlin": 60, "Asia/Kathmandu": 345, "Pacific/Apia": 780 }[timezone] ?? 0;
  const time = (minutes: number) => new Date((1440 + minutes + shift) * 60_000).toISOString().slice(11, 16);
  const from = random.below(4) - 1;
  return {
    timezone,
    days: ["SUN", ...["MON", "SAT", "FRI"].filter(() => random.below(2) === 0)].slice(random.below(2)),
    from: time(from),
    to: time(from + random.pick([1, 2, 3, -1, -2, 0])),
  };
}

/** A schedule without days is none. */
const withDays = (schedule: GivenSchedule) => schedule.days.length > 0 && { schedule };

export const TAGS = ["old", "new"] as const;

/** Devices of the model are pumps without an id that a rule knows. */
const randomScope = (random: Random) =>
  random.pick([
    { tags: ["old"] },
    { tags: ["new", "old"] },
    { deviceTypes: ["oven"], tags: ["new"] },
    { deviceTypes: ["pump"] },
    { deviceIds: ["another"] },
  ]);

/** Rules of which some watch only some devices, or are switched off. */
export const randomScopedRules = (random: Random) =>
  randomRules(random).map((rule) => ({
    ...rule,
    ...(random.below(3) === 0 && { appliesTo: randomScope(random) }),
    ...(random.below(20) === 0 && { enabled: false }),
  }));

export const randomRules = (random: Random) =>
  Array.from({ length: 1 + random.below(3) }, (_, index) => ({
    alarmType: `type ${index}`,
    createRules: severities
      .filter((_, place) => place === index || random.below(3) === 0)
      .map((severity) => ({ severity, ...randomTrigger(random) })),
    ...(random.below(2) === 0 && { clearRule: randomTrigger(random) }),
    ...(random.below(2) === 0 && { downgrade: true }),
    ...(random.below(3) === 0 && withDays(randomSchedule(random))),
  }));

/** One value in eight is not a number. */
export function randomValues(random: Random): Record<string, TelemetryValue> {
  const named = keys.filter(() => random.below(2) === 0);
  const value = () => (random.below(8) === 0 ? random.pick(states) : random.below(24) / 4);
  return Object.fromEntries((named.length > 0 ? named : ["a"]).map((key) => [key, value()]));
}
