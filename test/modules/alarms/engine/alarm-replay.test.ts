import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileAlarmRules } from "../../../../src/modules/alarms/rules/alarm-rule.ts";
import { AlarmReplay } from "../../../../src/modules/alarms/rules/alarm-rules.service.ts";
import { openAlarmDatabase, startEngine } from "../engine-harness.ts";
import { randomFrom, randomRules, randomValues } from "../random-rules.ts";

let directory: string;
let database: ReturnType<typeof openAlarmDatabase>;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "lineside-replay-"));
  database = openAlarmDatabase(join(directory, "alarms.db"));
});
afterAll(async () => {
  database.close();
  await rm(directory, { recursive: true, force: true });
});

/** What the engine makes of messages as they come, and what a test on them says afterwards. */
function both(seed: number) {
  const random = randomFrom(seed);
  const [input] = randomRules(random);
  const [rule] = compileAlarmRules([input]);
  if (rule === undefined) throw new Error("there is a rule");
  const engine = startEngine(database, [input]);
  const replay = new AlarmReplay(rule, { keys: new Map(), name: "Kiln", attribute: () => undefined });
  try {
    for (let index = 0; index < 40; index++) {
      const values = randomValues(random);
      engine.send(engine.now(), values);
      replay.take(engine.now(), Object.entries(values));
      engine.advance(1000 * (1 + random.below(random.below(5) === 0 ? 9 : 2)));
    }
    replay.advance(engine.now());
    const events = engine.alarms().flatMap((alarm) => alarm.events);
    return {
      inputs: input,
      seen: {
        raised: replay.alarms.length,
        cleared: replay.alarms.filter(({ clearedAt }) => clearedAt !== null).length,
      },
      meant: {
        raised: events.filter((event) => event === "CREATED" || event === "REOPENED").length,
        cleared: events.filter((event) => event === "CLEARED").length,
      },
    };
  } finally {
    engine.end();
  }
}

test("a test on stored messages raises and clears what the engine does when they come", () => {
  let raised = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const { inputs, seen, meant } = both(seed * 104_729);
    expect({ seed, inputs, ...seen }).toEqual({ seed, inputs, ...meant });
    raised += seen.raised;
  }
  expect(raised).toBeGreaterThan(60);
});

test("times are those of the messages, and those at which the rule looks by itself", () => {
  const [rule] = compileAlarmRules([
    {
      alarmType: "Hot",
      createRules: [
        { severity: "MAJOR", condition: { key: "t", op: "GT", value: 50 }, kind: "DURATION", forMs: 10_000 },
        { severity: "CRITICAL", condition: { key: "t", op: "GT", value: 80 } },
      ],
    },
  ]);
  if (rule === undefined) throw new Error("there is a rule");
  const replay = new AlarmReplay(rule, { keys: new Map(), name: "Kiln", attribute: () => undefined });
  replay.take(1_000, [["t", 60]]);
  replay.take(20_000, [["t", 90]]);
  replay.take(30_000, [["t", 10]]);
  replay.take(40_000, [["t", 60]]);
  replay.advance(45_000);
  expect(replay.alarms).toEqual([
    { raisedAt: 11_000, clearedAt: 30_000, severity: "CRITICAL", message: "t is 60, above 50" },
  ]);
  replay.advance(50_000);
  expect(replay.alarms.at(-1)).toEqual({
    raisedAt: 50_000,
    clearedAt: null,
    severity: "MAJOR",
    message: "t is 60, above 50",
  });
});
