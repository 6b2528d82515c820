import { afterAll, beforeEach, expect, test } from "bun:test";
import type { DomainEvents } from "../../../src/modules/events.types.ts";
import { Refusals } from "../../../src/modules/refusals/refusals.service.ts";
import type { RefusalEntry } from "../../../src/modules/refusals/refusals.types.ts";
import { createEventBus } from "../../../src/platform/event-bus.ts";
import { configureLogging, createLogger } from "../../../src/platform/log.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const MINUTE_MS = 60_000;
const lines: string[] = [];
beforeEach(() => {
  lines.length = 0;
  configureLogging({ level: "info", format: "text", write: (line) => lines.push(line) });
});
afterAll(() => configureLogging({ level: "error", format: "text", write: () => undefined }));

function createFixture() {
  const stored = new Map<string, RefusalEntry>();
  let transactions = 0;
  const clock = new FakeClock();
  const log = createLogger("test of refusals");
  const events = createEventBus<DomainEvents>(log);
  const refusals = new Refusals({
    repository: {
      list: () => [...stored.values()],
      save(saved, removed) {
        transactions++;
        for (const entry of saved) stored.set(entry.refusalId, structuredClone(entry));
        for (const refusalId of removed) stored.delete(refusalId);
      },
    },
    ports: { get: () => 1883 },
    clock,
    events,
    log,
  });
  refusals.subscribe();
  refusals.start();
  const refuse = (address: string, name: string) =>
    events.emit("credential.refused", {
      edge: "mqtt",
      reason: "token_wrong",
      protocol: "mqtt",
      address,
      identity: { kind: "token", name },
    });
  return { refusals, clock, stored, refuse, transactions: () => transactions };
}

test("keeps 1,000 rows, few lines and no writes of 100,000 refusals from 1,000 addresses", () => {
  const { refusals, clock, stored, refuse, transactions } = createFixture();
  refuse("10.0.0.1", "honest");
  for (let index = 0; index < 100_000; index++) {
    refuse(`10.1.${(index % 1_000) >> 8}.${index & 255}`, `guess ${index}`);
    if (index % 1_000 === 0) refuse("10.0.0.1", "honest");
  }
  expect(refusals.total).toBe(100_101);
  expect(refusals.counts()).toEqual([{ edge: "mqtt", reason: "token_wrong", count: 100_101 }]);
  expect(refusals.list().length).toBe(1_000);
  expect(transactions()).toBe(0);
  clock.advance(5 * MINUTE_MS);
  expect([transactions(), stored.size]).toEqual([1, 1_000]);
  expect(lines.length).toBeLessThan(60);
  expect(refusals.list().some(({ identity }) => identity.name === "honest")).toBe(true);
  refusals.stop();
});

test("writes a line when a refusal begins and a summary ten minutes later", () => {
  const { refusals, clock, refuse } = createFixture();
  for (let index = 0; index < 10_000; index++) refuse("10.0.0.1", "Abcd… (20)");
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("a credential was refused edge=mqtt reason=token_wrong address=10.0.0.1");
  clock.advance(11 * MINUTE_MS);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain("a credential was refused again");
  expect(lines[1]).toContain("count=9999");
  clock.advance(60 * MINUTE_MS);
  refusals.stop();
  expect(lines).toHaveLength(2);
});

test("counts what it does not log of one address in one line", () => {
  const { refusals, refuse } = createFixture();
  for (let index = 0; index < 1_000; index++) refuse("10.0.0.1", `guess ${index}`);
  expect(lines).toHaveLength(5);
  refusals.stop();
  expect(lines.at(-1)).toContain("more credentials were refused count=995");
});
