import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAlarmDatabase, startEngine } from "./engine-harness.ts";

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

const hot = { key: "t", op: "GT", value: 50 };
const begin = (create: Record<string, unknown>, rest: Record<string, unknown> = {}) =>
  startEngine(database, [{ alarmType: "a", createRules: [{ severity: "MAJOR", ...create }], ...rest }]);

describe("a condition that lasts", () => {
  const lasting = { condition: hot, kind: "DURATION", forMs: 10_000 };

  test("raises to the millisecond though nothing more comes", () => {
    const engine = begin(lasting);
    engine.send(engine.now(), { t: 60 });
    engine.advance(9_999);
    expect(engine.alarms()).toEqual([]);
    engine.advance(1);
    expect(engine.alarms()).toMatchObject([{ status: "ACTIVE_UNACK" }]);
    engine.end();
  });

  test("does not when it was interrupted", () => {
    const engine = begin(lasting);
    engine.send(engine.now(), { t: 60 });
    engine.advance(9_000);
    engine.send(engine.now(), { t: 40 });
    engine.send(engine.now(), { t: 60 });
    engine.advance(9_000);
    expect(engine.alarms()).toEqual([]);
    engine.end();
  });

  test("goes on through a power failure, and raises when the gateway is back", () => {
    const engine = begin(lasting);
    engine.send(engine.now(), { t: 60 });
    engine.advance(2_000);
    engine.kill(60_000);
    expect(engine.alarms()).toMatchObject([{ status: "ACTIVE_UNACK" }]);
    engine.end();
  });
});

describe("a clock that was years ahead", () => {
  const YEAR_MS = 365 * 24 * 3_600_000;

  test("leaves no value that outlives the next one when it is set back", () => {
    const engine = begin({ condition: hot });
    engine.jump(2 * YEAR_MS);
    engine.send(engine.now(), { t: 60 });
    engine.jump(-2 * YEAR_MS);
    engine.send(engine.now(), { t: 40 });
    expect(engine.alarms()).toMatchObject([{ status: "CLEARED_UNACK" }]);
    engine.end();
  });

  test("does not make a late value count while it is right", () => {
    const engine = begin({ condition: hot });
    engine.send(engine.now(), { t: 60 });
    engine.send(engine.now() - 1, { t: 40 });
    expect(engine.alarms()).toMatchObject([{ status: "ACTIVE_UNACK" }]);
    engine.end();
  });
});

describe("silence", () => {
  const silent = { condition: { noData: { key: "t", forMs: 10_000 } } };

  test("raises, and a message clears", () => {
    const engine = begin(silent);
    engine.send(engine.now(), { t: 1 });
    engine.advance(10_000);
    expect(engine.alarms()).toMatchObject([{ events: ["CREATED"] }]);
    engine.send(engine.now(), { t: 1 });
    expect(engine.alarms()).toMatchObject([{ events: ["CREATED", "CLEARED"] }]);
    engine.end();
  });

  test("is not what the gateway missed while it was off, and what was silent before stays so", () => {
    const engine = begin(silent);
    engine.send(engine.now(), { t: 1 });
    engine.advance(5_000);
    engine.restart(3_600_000);
    expect(engine.alarms()).toEqual([]);
    engine.advance(5_000);
    expect(engine.alarms()).toMatchObject([{ events: ["CREATED"] }]);
    engine.restart(3_600_000);
    engine.advance(60_000);
    expect(engine.alarms()).toMatchObject([{ events: ["CREATED"] }]);
    engine.end();
  });
});

describe("silence without a duration", () => {
  const silent = { condition: { noData: { key: "t" } } };
  const MINUTE_MS = 60_000;
  const HOUR_MS = 60 * MINUTE_MS;
  type Engine = ReturnType<typeof begin>;
  const report = (engine: Engine, intervalMs: number, count: number) => {
    for (let index = 0; index < count; index++) {
      engine.send(engine.now(), { t: 1 });
      engine.advance(intervalMs);
    }
  };

  test("is ten minutes for a key that has come once", () => {
    const engine = begin(silent);
    engine.send(engine.now(), { t: 1 });
    engine.advance(10 * MINUTE_MS - 1);
    expect(engine.alarms()).toEqual([]);
    engine.advance(1);
    expect(engine.alarms()).toMatchObject([{ events: ["CREATED"] }]);
    engine.end();
  });

  test("follows an hourly key, and raises after three hours", () => {
    const engine = begin(silent);
    report(engine, HOUR_MS, 6);
    const eventsBefore = engine.alarms().flatMap(({ events }) => events);
    engine.send(engine.now(), { t: 1 });
    engine.advance(3 * HOUR_MS - 1);
    expect(engine.alarms().flatMap(({ events }) => events)).toHaveLength(eventsBefore.length + 0);
    engine.advance(1);
    expect(engine.alarms().flatMap(({ events }) => events).length).toBe(eventsBefore.length + 1);
    engine.end();
  });

  test("follows a fast key down to one minute", () => {
    const engine = begin(silent);
    report(engine, 10_000, 100);
    engine.send(engine.now(), { t: 1 });
    engine.advance(20 * MINUTE_MS);
    expect(engine.alarms()).toMatchObject([{ events: ["CREATED"] }]);
    engine.send(engine.now(), { t: 1 });
    engine.advance(MINUTE_MS - 1);
    expect(engine.alarms()).toMatchObject([{ events: ["CREATED", "CLEARED"] }]);
    engine.advance(1);
    expect(engine.alarms().flatMap(({ events }) => events)).toHaveLength(3);
    engine.end();
  });

  test("keeps the interval over a restart, whose time does not count", () => {
    const engine = begin(silent);
    report(engine, HOUR_MS, 6);
    engine.send(engine.now(), { t: 1 });
    const eventsBefore = engine.alarms().flatMap(({ events }) => events);
    engine.restart(24 * HOUR_MS);
    engine.advance(2 * HOUR_MS);
    expect(engine.alarms().flatMap(({ events }) => events)).toEqual(eventsBefore);
    engine.end();
  });

  test("does not learn from old values that are sent late", () => {
    const engine = begin(silent);
    report(engine, HOUR_MS, 6);
    const eventsBefore = engine.alarms().flatMap(({ events }) => events);
    engine.send(engine.now(), { t: 1 });
    for (let age = 1; age < 500; age++) engine.send(engine.now() - age * MINUTE_MS, { t: 1 });
    engine.advance(2 * HOUR_MS);
    expect(engine.alarms().flatMap(({ events }) => events)).toEqual(eventsBefore);
    engine.end();
  });
});

/** What follows comes in another turn, as an acknowledgement does. */
const nextTurn = () => Promise.resolve();

test("what was counted is there after a power failure, from the moment on in which it may be acknowledged", async () => {
  const engine = begin({ condition: hot, kind: "REPEATING", count: 3, withinMs: 60_000 });
  for (let time = 0; time < 2; time++) engine.send(engine.now(), { t: 60 });
  await nextTurn();
  engine.kill(1_000);
  engine.send(engine.now(), { t: 60 });
  expect(engine.alarms()).toMatchObject([{ status: "ACTIVE_UNACK" }]);
  engine.end();
});

test("a time that had begun goes on after a power failure, also when the device says no more", async () => {
  const engine = begin({ condition: hot, kind: "DURATION", forMs: 10_000 });
  engine.send(engine.now(), { t: 60 });
  await nextTurn();
  engine.kill(4_000);
  expect(engine.alarms()).toEqual([]);
  engine.advance(6_000);
  expect(engine.alarms()).toMatchObject([{ status: "ACTIVE_UNACK", events: ["CREATED"] }]);
  engine.end();
});

test("a count whose window has gone by clears without a message", () => {
  const engine = begin({ condition: hot, kind: "REPEATING", count: 2, withinMs: 10_000 });
  for (let time = 0; time < 2; time++) engine.send(engine.now(), { t: 60 });
  expect(engine.alarms()).toMatchObject([{ status: "ACTIVE_UNACK" }]);
  engine.advance(10_000);
  expect(engine.alarms()).toMatchObject([{ status: "CLEARED_UNACK" }]);
  engine.end();
});

test("a state that cannot be read any more begins anew", () => {
  const engine = begin({ condition: hot });
  engine.send(engine.now(), { t: 60 });
  engine.restart(0);
  for (const state of ["{", "[]", '{"values":[1,["t"]],"rules":[["a",{}]],"due":[],"savedAt":"x"}']) {
    database.sqlite.run("UPDATE alarm_states SET state = ?", [state]);
    engine.kill(0);
    engine.send(engine.now(), { t: 60 });
    expect(engine.alarms()).toMatchObject([{ events: ["CREATED"] }]);
  }
  engine.end();
});

test("a message tells whether it has caused more than new values, which is to be on the disk before it is acknowledged", () => {
  const engine = begin({ condition: hot, kind: "DURATION", forMs: 10_000 });
  expect(engine.send(engine.now(), { t: 20 })).toBe(false);
  expect(engine.send(engine.now(), { t: 60 })).toBe(true); // the time begins
  expect(engine.send(engine.now(), { t: 61 })).toBe(false);
  engine.advance(10_000);
  expect(engine.send(engine.now(), { t: 62 })).toBe(false);
  expect(engine.send(engine.now(), { t: 20 })).toBe(true); // it ends
  expect(engine.send(engine.now(), { other: 1 })).toBe(false);
  engine.end();
});
