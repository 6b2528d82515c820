import { expect, test } from "bun:test";
import type { DeviceId } from "../../../../src/lib/core/ids.ts";
import type { AlarmsRepository } from "../../../../src/modules/alarms/alarms.repository.ts";
import { AlarmStates } from "../../../../src/modules/alarms/engine/alarm-states.ts";
import { createLogger } from "../../../../src/platform/core/log.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { until } from "../../../support/until.ts";

const log = createLogger("test");
const DEVICES = 50;
const text = { ts: 1, at: 1, hasChanged: false, value: "x".repeat(1024 * 1024) };
const deviceIds = Array.from({ length: DEVICES }, (_, index) => `device ${index}` as DeviceId);

/** States of many devices in a database that takes a millisecond for each. */
function started(stored?: unknown) {
  const written = new Map<DeviceId, string>();
  let transactions = 0;
  const repository = {
    findRun: () => undefined,
    saveRun: () => undefined,
    findState: () => stored && JSON.stringify(stored),
    listOpen: () => [],
    saveState(deviceId: DeviceId, state: string) {
      const end = performance.now() + 1;
      while (performance.now() < end);
      written.set(deviceId, state);
    },
  } as unknown as AlarmsRepository;
  const clock = new FakeClock();
  const transact = (work: () => void) => {
    transactions++;
    work();
  };
  const states = new AlarmStates({
    repository,
    isKnown: () => true,
    transact,
    now: () => clock.now(),
    clock,
    log,
  });
  states.start();
  for (const deviceId of deviceIds) {
    states.of(deviceId).rules.set("blank", { fingerprint: "f", triggers: [{}, { times: [], inRow: 0 }] });
    states.of(deviceId).rules.set("begun", { fingerprint: "f", triggers: [{ since: 1 }] });
    states.changed(deviceId);
  }
  return { states, clock, written, transactions: () => transactions };
}

test("states of many devices are written in several rounds of the event loop, without rules that remember nothing", async () => {
  const { clock, written, transactions } = started();
  clock.advance(2_000);
  expect(written.size).toBeGreaterThan(0);
  expect(written.size).toBeLessThan(DEVICES);
  await until(() => written.size === DEVICES);
  expect(transactions()).toBeGreaterThan(2);
  for (const state of written.values())
    expect(JSON.parse(state).rules.map(([type]: [string]) => type)).toEqual(["begun"]);
});

test("a stop writes what waits for its turn", () => {
  const { states, clock, written } = started();
  clock.advance(2_000);
  states.stop();
  expect(written.size).toBe(DEVICES);
});

test("large states are kept in memory up to a number of characters, and the others are read again", async () => {
  const { states, clock, written } = started();
  for (const deviceId of deviceIds) {
    states.of(deviceId).values.set("text", text);
    states.changed(deviceId);
    await until(() => {
      clock.advance(1_000);
      return written.get(deviceId)?.includes("text") === true;
    });
  }
  for (const deviceId of Array.from({ length: DEVICES }, (_, index) => `other ${index}` as DeviceId))
    states.of(deviceId);
  const large = states.loaded().filter((deviceId) => deviceIds.includes(deviceId));
  expect(large.length).toBeGreaterThan(20);
  expect(large.length).toBeLessThan(DEVICES - 10);
});

test("states that grow while they are in memory, or whose devices all send, are written and dropped", async () => {
  const { states, clock, written } = started();
  for (const deviceId of deviceIds) {
    states.of(deviceId).values.set("text", text);
    states.changed(deviceId);
  }
  await until(() => {
    clock.advance(1_000);
    for (const deviceId of deviceIds) if (states.peek(deviceId) !== undefined) states.markSeen(deviceId);
    return states.loaded().length < DEVICES - 10;
  });
  expect(states.loaded().length).toBeGreaterThan(20);
  for (const deviceId of deviceIds) expect(written.get(deviceId)).toContain("text");
});

test("states beyond the limit are dropped without waiting for the next second", async () => {
  const { states } = started();
  for (const deviceId of deviceIds) {
    states.of(deviceId).values.set("text", text);
    states.changed(deviceId, true);
  }
  await Promise.resolve(); // those of one turn are written behind it
  expect(states.loaded().length).toBeGreaterThan(10);
  expect(states.loaded().length).toBeLessThan(DEVICES - 10);
});

test("states that are read beyond the limit are dropped without waiting for the next second", async () => {
  const { states, written } = started({ values: [["text", text]] });
  for (const deviceId of deviceIds) states.markSeen(deviceId); // by messages that changed no condition
  await until(() => states.loaded().length < DEVICES - 10);
  expect(states.loaded().length).toBeGreaterThan(10);
  expect(written.size).toBeGreaterThanOrEqual(DEVICES - states.loaded().length);
});
