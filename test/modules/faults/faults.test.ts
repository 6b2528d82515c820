import { afterAll, beforeEach, expect, test } from "bun:test";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import { refusalReporter } from "../../../src/modules/api/report-refusal.ts";
import type { DomainEvents } from "../../../src/modules/events.types.ts";
import { Faults } from "../../../src/modules/faults/faults.service.ts";
import type { FaultEntry } from "../../../src/modules/faults/faults.types.ts";
import { createEventBus } from "../../../src/platform/core/event-bus.ts";
import { configureLogging, createLogger } from "../../../src/platform/core/log.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const MINUTE_MS = 60_000;
const lines: string[] = [];
beforeEach(() => {
  lines.length = 0;
  configureLogging({ level: "info", format: "text", write: (line) => lines.push(line) });
});
afterAll(() => configureLogging({ level: "error", format: "text", write: () => undefined }));

function createFixture() {
  const stored = new Map<string, FaultEntry>();
  let transactions = 0;
  const clock = new FakeClock();
  const log = createLogger("test of faults");
  const events = createEventBus<DomainEvents>(log);
  const faults = new Faults({
    repository: {
      list: () => [...stored.values()],
      save(saved, removed) {
        transactions++;
        for (const entry of saved) stored.set(entry.faultId, structuredClone(entry));
        for (const faultId of removed) stored.delete(faultId);
      },
    },
    ports: { get: () => 1883 },
    clock,
    events,
    log,
  });
  faults.subscribe();
  faults.start();
  const report = refusalReporter(events);
  const refuse = (address: string, name: string) =>
    report({
      edge: "mqtt",
      reason: "token_wrong",
      protocol: "mqtt",
      address,
      identity: { kind: "token", name },
    });
  return { faults, clock, stored, events, refuse, transactions: () => transactions };
}

test("keeps 5,000 rows, few lines and a few writes of 100,000 refusals from 1,000 addresses", () => {
  const { faults, clock, stored, refuse, transactions } = createFixture();
  refuse("10.0.0.1", "honest");
  for (let index = 0; index < 100_000; index++) {
    refuse(`10.1.${(index % 1_000) >> 8}.${index & 255}`, `guess ${index}`);
    if (index % 1_000 === 0) refuse("10.0.0.1", "honest");
  }
  expect(faults.refusedTotal).toBe(100_101);
  expect(faults.counts()).toEqual([{ source: "mqtt", code: "refusal.token_wrong", count: 100_101 }]);
  expect(faults.list(undefined).length).toBe(5_000);
  expect(transactions()).toBe(0);
  clock.advance(5 * MINUTE_MS - 1);
  expect(transactions()).toBe(0);
  clock.advance(MINUTE_MS);
  expect([transactions(), stored.size]).toEqual([5, 5_000]);
  expect(lines.length).toBeLessThan(60);
  expect(faults.list(undefined).some(({ identity }) => identity?.name === "honest")).toBe(true);
  faults.stop();
});

test("writes a line when a refusal begins and a summary ten minutes later", () => {
  const { faults, clock, refuse } = createFixture();
  for (let index = 0; index < 10_000; index++) refuse("10.0.0.1", "Abcd… (20)");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("credential refused edge=mqtt reason=token_wrong address=10.0.0.1");
  clock.advance(11 * MINUTE_MS);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain("credential refused again");
  expect(lines[1]).toContain("count=9999");
  clock.advance(60 * MINUTE_MS);
  faults.stop();
  expect(lines).toHaveLength(2);
});

test("counts what it does not log of one address in one line", () => {
  const { faults, refuse } = createFixture();
  for (let index = 0; index < 1_000; index++) refuse("10.0.0.1", `guess ${index}`);
  expect(lines).toHaveLength(5);
  faults.stop();
  expect(lines.at(-1)).toContain("more credentials refused count=995");
});

test("writes new faults of devices within seconds and in slices, all of them at the stop", () => {
  const { faults, clock, stored, events, transactions } = createFixture();
  const reject = (id: number, where: string) =>
    events.emit("fault.occurred", {
      source: "mqtt",
      code: "body.malformed",
      params: {},
      tenantId: "one" as TenantId,
      subject: { kind: "device", id: `device ${id}` },
      where,
    });
  for (let id = 0; id < 50; id++) for (let topic = 0; topic < 60; topic++) reject(id, `topic ${topic}`);
  clock.advance(5_000);
  expect([stored.size, transactions()]).toEqual([1_000, 1]);
  clock.advance(5_000);
  expect([stored.size, transactions()]).toEqual([2_000, 2]);
  faults.stop();
  expect(stored.size).toBe(2_500);
  expect(faults.about({ kind: "device", id: "device 7" }).at(-1)).toMatchObject({ where: "topic 10" });
});

test("writes nothing for the repetitions of a fault but their number, once in five minutes", () => {
  const { faults, clock, stored, events, transactions } = createFixture();
  const occur = () =>
    events.emit("fault.occurred", { source: "uplink", code: "c", params: {}, tenantId: "one" as TenantId });
  occur();
  clock.advance(5_000);
  expect(transactions()).toBe(1);
  for (let second = 0; second < 240; second++) {
    occur();
    clock.advance(1_000);
  }
  expect(transactions()).toBe(1);
  clock.advance(2 * MINUTE_MS);
  expect([...stored.values()].map(({ count }) => count)).toEqual([241]);
  expect(transactions()).toBe(2);
  faults.stop();
});
