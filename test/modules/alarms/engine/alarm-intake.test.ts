import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TRANSITIONS_MAX } from "../../../../src/modules/alarms/engine/alarm-intake.ts";
import type { Reading } from "../../../../src/modules/telemetry/telemetry.types.ts";
import { openAlarmDatabase, startEngine } from "../engine-harness.ts";
import { randomFrom, randomRules, randomValues } from "../random-rules.ts";

let directory: string;
let database: ReturnType<typeof openAlarmDatabase>;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "lineside-intake-"));
  database = openAlarmDatabase(join(directory, "alarms.db"));
});
afterAll(async () => {
  database.close();
  await rm(directory, { recursive: true, force: true });
});

const hot = {
  alarmType: "Hot",
  createRules: [{ severity: "MAJOR", condition: { key: "t", op: "GT", value: 50 } }],
};
/** Each of them raises or clears. */
const toggling = (count: number): Reading[] =>
  Array.from({ length: count }, (_, index) => ({
    ts: 1_000 + index,
    values: { t: index % 2 === 0 ? 60 : 10 },
  }));
const later = () => new Promise<void>((resolve) => setImmediate(resolve));
/** Nobody may go on in the same round of the event loop. */
const alwaysOver = { pause: later };

/** Sends messages of several readings, some before those before them are done, and returns what became of the alarms. */
async function alarmsOf(seed: number, share: Parameters<typeof startEngine>[2]) {
  const random = randomFrom(seed);
  const engine = startEngine(database, randomRules(random), share);
  const responses: unknown[] = [];
  for (let burst = 0; burst < 6; burst++) {
    const taken = Array.from({ length: 1 + random.below(3) }, (_, message) => {
      const ts = engine.now() + message * 100;
      const readings = Array.from({ length: random.below(12) }, (_, index) => ({
        ts: ts + index,
        values: randomValues(random),
      }));
      return engine.sendMessage(readings);
    });
    responses.push(...(await Promise.all(taken)));
    engine.advance(1_000 * random.below(8));
  }
  const alarms = engine.alarms();
  engine.end();
  return { responses, alarms };
}

test("a message that waits has the same effect as one that does not", async () => {
  let count = 0;
  for (let seed = 1; seed <= 150; seed++) {
    const random = randomFrom(seed);
    const immediate = await alarmsOf(seed * 7_919, { pause: () => undefined });
    const shared = await alarmsOf(seed * 7_919, {
      pause: () => (random.below(3) === 0 ? undefined : later()),
      room: () => (random.below(3) > 0 ? undefined : later()),
    });
    expect({ seed, ...shared }).toEqual({ seed, ...immediate });
    count += immediate.alarms.length;
  }
  expect(count).toBeGreaterThan(100);
});

test("a message that need not wait is evaluated before the call returns", () => {
  const engine = startEngine(database, [hot]);
  expect([engine.send(1_000, { t: 60 }), engine.send(1_001, { t: 70 })]).toEqual([true, false]);
  engine.end();
});

test("while too many events wait, a message waits that may cause more, and not one that changes nothing", async () => {
  let room: PromiseWithResolvers<void> | undefined;
  const engine = startEngine(database, [hot], { pause: () => undefined, room: () => room?.promise });
  expect(engine.send(1_000, { t: 10 })).toBe(false);
  room = Promise.withResolvers();
  expect(engine.send(1_001, { t: 20 })).toBe(false);
  const written = engine.sendMessage([{ ts: 1_002, values: { t: 60 } }]);
  expect(written).toBeInstanceOf(Promise);
  await later();
  expect(engine.alarms()).toHaveLength(0);
  const { resolve } = room;
  room = undefined;
  resolve();
  expect(await written).toBe(true);
  expect(engine.alarms()).toHaveLength(1);
  engine.end();
});

test("others have their turn between the readings of a message that changes alarms", async () => {
  const engine = startEngine(database, [hot], alwaysOver);
  const response = engine.sendMessage(toggling(20));
  await Promise.resolve();
  expect(engine.alarms()[0]?.events).toEqual(["CREATED"]);
  expect(await response).toBe(true);
  expect(engine.alarms()[0]?.events).toHaveLength(20);
  expect(engine.faults).toEqual([]);
  engine.end();
});

test("a message that changes alarms too often is evaluated at its end, and that is a fault of the device", async () => {
  for (const [count, last] of [
    [TRANSITIONS_MAX + 500, "CLEARED"],
    [TRANSITIONS_MAX + 501, "REOPENED"],
  ] as const) {
    const engine = startEngine(database, [hot]);
    await engine.sendMessage(toggling(count));
    const events = engine.alarms()[0]?.events ?? [];
    expect(events.at(-1)).toBe(last);
    expect(engine.faults).toEqual([
      {
        code: "fault.readings_not_evaluated",
        params: { changes: TRANSITIONS_MAX, count: count - TRANSITIONS_MAX - 1 },
      },
    ]);
    await engine.sendMessage([
      { ts: 9_000, values: { t: 60 } },
      { ts: 9_001, values: { t: 10 } },
    ]);
    expect(engine.alarms()[0]?.events.at(-1)).toBe("CLEARED");
    engine.end();
  }
});

test("the fault of a device names all changes of alarms, also those of one reading beyond the limit", async () => {
  const rules = ["A", "B", "C"].map((alarmType) => ({ ...hot, alarmType }));
  const engine = startEngine(database, rules);
  await engine.sendMessage(toggling(400));
  const changes = Math.ceil(TRANSITIONS_MAX / rules.length) * rules.length;
  expect(changes).toBeGreaterThan(TRANSITIONS_MAX);
  expect(engine.faults).toMatchObject([{ params: { changes, count: 399 - changes / rules.length } }]);
  engine.end();
});

test("a key is not silent while a reading of it waits, and is when nothing comes after that", async () => {
  const silent = {
    alarmType: "Silent",
    createRules: [{ severity: "MAJOR", condition: { noData: { key: "p", forMs: 60_000 } } }],
  };
  for (const forMs of [60_000, 120_000]) {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isHeld = true;
    const share = { pause: () => (isHeld ? held : undefined) };
    const engine = startEngine(database, [hot, silent], share);
    const isRaised = () => engine.alarms().some(({ alarmType }) => alarmType === "Silent");
    engine.send(900, { p: 1 });
    const response = engine.sendMessage([...toggling(4), { ts: 2_000, values: { p: 1 } }]);
    engine.advance(forMs);
    expect(isRaised()).toBe(false);
    isHeld = false;
    release();
    await response;
    engine.advance(59_999);
    expect(isRaised()).toBe(false);
    engine.advance(60_001); // from when it was last looked at
    expect(isRaised()).toBe(true);
    engine.end();
  }
});

test("what waits is evaluated when the gateway stops", async () => {
  const engine = startEngine(database, [hot], alwaysOver);
  const responses = [engine.sendMessage(toggling(21)), engine.sendMessage([{ ts: 5_000, values: { t: 1 } }])];
  engine.restart(1_000);
  expect(engine.alarms()[0]?.events).toHaveLength(22);
  expect(await Promise.all(responses)).toEqual([true, true]);
  engine.end();
});

test("what waits for a device that is deleted is forgotten", async () => {
  const engine = startEngine(database, [hot], alwaysOver);
  const response = engine.sendMessage(toggling(20));
  engine.deleteDevice();
  expect(await response).toBe(true);
  expect(engine.alarms()[0]?.events).toEqual(["CREATED"]);
  engine.end();
});

test("suppressed rules are evaluated in turns after a maintenance, and before the gateway stops", async () => {
  for (const isStopped of [false, true]) {
    const engine = startEngine(database, [hot], alwaysOver);
    engine.mute(engine.now() + 60_000);
    await later();
    engine.send(1_000, { t: 60 });
    await later();
    expect(engine.alarms()).toEqual([]);
    engine.mute(0);
    expect(engine.alarms()).toEqual([]); // a gateway may have thousands of children
    if (isStopped) engine.end();
    else await later();
    expect(engine.alarms()).toHaveLength(1);
    if (!isStopped) engine.end();
  }
});
