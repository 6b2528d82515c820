import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileAlarmRules } from "../../../../src/modules/alarms/rules/alarm-rule.ts";
import { AlarmModel } from "../alarm-model.ts";
import { type Harness, openAlarmDatabase, startEngine } from "../engine-harness.ts";
import { type Random, randomFrom, randomScopedRules, randomValues, TAGS } from "../random-rules.ts";

/*
 * The engine against a model that keeps everything and reckons all of it anew each second. More by ALARM_MODEL_SEQUENCES and ALARM_MODEL_FIRST, one again by
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

function step(random: Random, engine: Harness, model: AlarmModel): string {
  const act = random.below(14);
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
  if (act === 13) {
    const tags = TAGS.filter(() => random.below(2) === 0);
    engine.setTags(tags);
    model.setTags(tags);
    return `tags ${tags.join()}`;
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
  const rules = randomScopedRules(random);
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

test(
  "whatever comes in whatever order, alarms are what the rules say",
  () => {
    const amount = Number(process.env.ALARM_MODEL_SEED ?? 0);
    if (amount > 0) return run(amount);
    const sequences = Number(process.env.ALARM_MODEL_SEQUENCES ?? 60);
    const first = Number(process.env.ALARM_MODEL_FIRST ?? 1);
    for (let seed = first; seed < first + sequences; seed++) run(seed * 7919);
    expect(sequences).toBeGreaterThan(0);
  },
  600_000 + 200 * Number(process.env.ALARM_MODEL_SEQUENCES ?? 0),
);
