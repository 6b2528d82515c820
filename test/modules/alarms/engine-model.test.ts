import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileAlarmRules } from "../../../src/modules/alarms/alarm-rule.ts";
import { AlarmModel, type GivenSchedule } from "./alarm-model.ts";
import { type Harness, openAlarmDatabase, startEngine } from "./engine-harness.ts";

/*
 * The engine against a model that keeps everything and reckons all of it anew each second. More by ALARM_MODEL_SEQUENCES, one again by
 * ALARM_MODEL_SEED.
 */

let directory: string;
let database: ReturnType<typeof openAlarmDatabase>;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "lineside-alarms-"));
  database = openAlarmDatabase(join(directory, "alarms.db"));
});
afterAll(async () => {
  database.close();
  await rm(directory, { recursive: true, force: true });
});

function randomFrom(seed: number) {
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
type Random = ReturnType<typeof randomFrom>;

const severities = ["CRITICAL", "MAJOR", "MINOR", "WARNING", "INDETERMINATE"] as const;
const keys = ["a", "b"];

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
  return { key, op: random.pick(["GT", "LT", "EQ", "NE", "GE"]), value: random.below(6) };
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

const randomRules = (random: Random) =>
  Array.from({ length: 1 + random.below(3) }, (_, index) => ({
    alarmType: `type ${index}`,
    createRules: severities
      .filter((_, place) => place === index || random.below(3) === 0)
      .map((severity) => ({ severity, ...randomTrigger(random) })),
    ...(random.below(2) === 0 && { clearRule: randomTrigger(random) }),
    ...(random.below(2) === 0 && { downgrade: true }),
    ...(random.below(3) === 0 && withDays(randomSchedule(random))),
  }));

function randomValues(random: Random): Record<string, number> {
  const named = keys.filter(() => random.below(2) === 0);
  return Object.fromEntries((named.length > 0 ? named : ["a"]).map((key) => [key, random.below(24) / 4]));
}

function step(random: Random, engine: Harness, model: AlarmModel): string {
  const act = random.below(13);
  if (act < 6) {
    const ts = engine.now() - (random.below(4) === 0 ? 5000 : 0);
    const values = randomValues(random);
    engine.send(ts, values);
    model.send(ts, values);
    return `send ${JSON.stringify(values)} of ${ts}`;
  }
  if (act < 9) {
    const seconds = 1 + random.below(act === 8 ? 8 : 2);
    engine.advance(seconds * 1000);
    for (let second = 0; second < seconds; second++) model.tick();
    return `wait ${seconds} s`;
  }
  if (act === 9) {
    const stoppedMs = 1000 * random.below(8);
    engine.restart(stoppedMs);
    model.restart(stoppedMs);
    return `restart after ${stoppedMs} ms`;
  }
  if (act === 10 && random.below(2) === 0) {
    const limit = random.below(6);
    engine.setAttribute("limit", limit);
    model.setAttribute(limit);
    return `limit ${limit}`;
  }
  if (act === 12) {
    const until = engine.now() + 1000 * (random.below(12) - 2);
    engine.mute(until);
    model.mute(until);
    return `mute until ${until}`;
  }
  const open = model.openTypes();
  if (open.length === 0) return "nothing";
  const alarmType = random.pick(open);
  if (act === 10) {
    engine.acknowledge(alarmType);
    model.acknowledge(alarmType);
    return `acknowledge ${alarmType}`;
  }
  engine.clear(alarmType);
  model.clear(alarmType);
  return `clear ${alarmType}`;
}

function run(seed: number): void {
  const random = randomFrom(seed);
  const rules = randomRules(random);
  const engine = startEngine(database, rules);
  const model = new AlarmModel(
    compileAlarmRules(rules),
    engine.now(),
    rules.map((rule) => ("schedule" in rule ? rule.schedule : undefined)),
  );
  const steps: string[] = [];
  try {
    for (let index = 0; index < 60; index++) {
      steps.push(step(random, engine, model));
      const [seen, meant] = [engine.alarms(), model.alarms()];
      if (!Bun.deepEquals(seen, meant))
        expect({ seed, rules, steps, alarms: seen }).toEqual({ seed, rules, steps, alarms: meant });
    }
  } finally {
    engine.end();
  }
}

test("whatever comes in whatever order, alarms are what the rules say", () => {
  const given = Number(process.env.ALARM_MODEL_SEED ?? 0);
  if (given > 0) return run(given);
  const sequences = Number(process.env.ALARM_MODEL_SEQUENCES ?? 60);
  for (let seed = 1; seed <= sequences; seed++) run(seed * 7919);
  expect(sequences).toBeGreaterThan(0);
}, 600_000);
