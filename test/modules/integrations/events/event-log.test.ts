import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEventGroupsRepository } from "../../../../src/modules/integrations/events/event-groups.repository.ts";
import { EventLog } from "../../../../src/modules/integrations/events/event-log.ts";
import { createIntegrationEventsRepository } from "../../../../src/modules/integrations/events/integration-events.repository.ts";
import { createIntegrationsRepository } from "../../../../src/modules/integrations/integrations.repository.ts";
import type { Integration } from "../../../../src/modules/integrations/integrations.resource.ts";
import type { EventStatus } from "../../../../src/modules/integrations/integrations.types.ts";
import { createLogger } from "../../../../src/platform/core/log.ts";
import { type MainDatabase, openMainDatabase } from "../../../../src/platform/database/database.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

let directory: string;
let database: MainDatabase;
let isFull: boolean;
/** Stands for the sync of the disk while it is set. */
let held: PromiseWithResolvers<void> | undefined;

/** Number of integrations that the tenant has. */
let integrations = 1;

beforeEach(() => {
  integrations = 1;
  directory = mkdtempSync(join(tmpdir(), "lineside-events-"));
  database = openMainDatabase(join(directory, "lineside.db"), "lineside", createLogger("test"));
  database.sqlite.run("PRAGMA foreign_keys=OFF"); // no integrations are needed here
  isFull = false;
  held = undefined;
});
afterEach(() => {
  database.close();
  rmSync(directory, { recursive: true, force: true });
});

/** A log of a new run of the program; the one before was killed. */
function startLog() {
  const repository = createIntegrationEventsRepository(database);
  const log = new EventLog({
    repository,
    groups: createEventGroupsRepository(database),
    integrations: {
      ...createIntegrationsRepository(database, new FakeClock()),
      countBeside: () => integrations,
      findAcrossTenants: (integrationId) =>
        integrationId === "gone" ? undefined : ({ integrationId } as Integration),
    },
    transact: (work) =>
      database.transact(() => {
        work();
        if (isFull) throw new Error("the disk is full");
      }),
    durable: () => held?.promise ?? database.durable(),
    onFailed: () => undefined,
    onLogged: () => undefined,
    clock: new FakeClock(),
    log: createLogger("test"),
  });
  log.start();
  const add = (n: number, { status = "OK" as EventStatus, of = "one", bytes = 0 } = {}) =>
    log.add({
      integrationId: of,
      direction: "IN",
      status,
      stage: "ingest",
      text: { code: "integration_event.pending", params: {} },
      payload: bytes > 0 ? Buffer.alloc(bytes) : n % 10 === 0 ? null : Buffer.from(`payload ${n}`),
      origin: null,
      result: String(n),
      isReplayable: true,
    });
  const read = (of = "one") => {
    log.flush();
    return repository.list(of, { limit: 2_000, offset: 0 }).items;
  };
  const search = (text: string, page: { limit: number; offset: number }) => {
    log.flush();
    return repository.search("one", text, page);
  };
  return { log, add, read, search, resultsOf: (of?: string) => read(of).map(({ result }) => Number(result)) };
}

const countOf = (table: string) =>
  database.sqlite.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n;
const rows = () => [countOf("integration_events"), countOf("integration_event_groups")];
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

test("events that come together are one row until they are read", async () => {
  const { add, read } = startLog();
  const written = numbers(0, 25).map((n) => add(n).written);
  await Promise.all(written);
  expect(rows()).toEqual([0, 1]);
  const events = read();
  expect(rows()).toEqual([25, 0]);
  expect(events.map(({ result, payload }) => [result, payload && Buffer.from(payload).toString()])).toEqual(
    numbers(0, 25)
      .map((n) => [String(n), n % 10 === 0 ? null : `payload ${n}`])
      .reverse(),
  );
});

test("a search goes through all events, some at a time, and pages what it finds", async () => {
  const { add, search } = startLog();
  await Promise.all(numbers(0, 1_000).map((n) => add(n).written));
  await Promise.all(numbers(1_000, 1_990).map((n) => add(n, { status: "ERROR" }).written));
  // Payloads of every tenth event are not kept; the numbers are results, too.
  const { items, total } = await search("77", { limit: 5, offset: 2 });
  const found = numbers(0, 1_990).filter((n) => String(n).includes("77"));
  expect(total).toBe(found.length);
  expect(items.map(({ result }) => Number(result))).toEqual(found.toReversed().slice(2, 7));
});

test("events are in the order in which they came, whenever they get rows of their own", async () => {
  const { log, add, resultsOf } = startLog();
  await add(1).written;
  const waiting = add(2, { status: "PENDING" });
  await add(3).written;
  expect(countOf("integration_events")).toBe(1);
  await add(4, { status: "ERROR" }).written;
  expect(resultsOf()).toEqual([4, 3, 2, 1]);
  await add(5).written;
  const outcome = { stage: "ingest", text: { code: "integration_event.pending", params: {} } } as const;
  await log.finish(
    { eventId: waiting.eventId, integrationId: "one", direction: "IN" },
    { ...outcome, status: "OK", result: "22", payload: null, isReplayable: false },
  );
  expect(resultsOf()).toEqual([5, 4, 3, 22, 1]);
});

test("an event that has no row yet is taken back", async () => {
  const { log, add, read } = startLog();
  const { eventId } = add(1);
  await log.finish(
    { eventId, integrationId: "one", direction: "IN" },
    {
      status: "DROPPED",
      stage: "ingest",
      text: { code: "integration_event.not_stored", params: {} },
      result: null,
      payload: null,
      isReplayable: false,
    },
  );
  expect(read().map(({ status }) => status)).toEqual(["DROPPED"]);
});

test("a run that was killed leaves its events, and the next one numbers on", async () => {
  const first = startLog();
  await Promise.all(numbers(0, 30).map((n) => first.add(n).written));
  const second = startLog();
  await second.add(30).written;
  expect(second.resultsOf()).toEqual(numbers(0, 31).reverse());
  const third = startLog();
  await third.add(31).written;
  const seqs = third.read().map(({ seq }) => seq);
  expect(seqs).toEqual(numbers(1, 33).reverse());
});

test("groups whose events are superseded are deleted, and an integration that says little keeps its events", async () => {
  const { add, resultsOf } = startLog();
  await add(1, { of: "two" }).written;
  await add(2, { status: "ERROR" }).written;
  for (let n = 0; n < 20_000; n += 100)
    await Promise.all(numbers(n, n + 100).map((each) => add(each).written));
  expect(countOf("integration_event_groups")).toBeLessThanOrEqual(40);
  const results = resultsOf();
  expect(results.slice(0, 1_000)).toEqual(numbers(19_000, 20_000).reverse());
  expect(results.length).toBeLessThanOrEqual(1_501);
  expect(results.at(-1)).toBe(2);
  expect(resultsOf("two")).toEqual([1]);
});

test("a transaction that fails fails whoever waits for it, and costs no event that was acknowledged", async () => {
  const { add, resultsOf } = startLog();
  await Promise.all(numbers(0, 3_950).map((n) => add(n).written));
  isFull = true;
  const refused = numbers(0, 100).map((n) => add(-n).written);
  expect((await Promise.allSettled(refused)).every(({ status }) => status === "rejected")).toBe(true);
  expect(rows()).toEqual([0, 1]);
  isFull = false;
  await add(3_950).written;
  expect(resultsOf().slice(0, 1_000)).toEqual(numbers(2_951, 3_951).reverse());
});

test("what comes in while the disk is written to is the next transaction, and waits for its own", async () => {
  const { add } = startLog();
  const first = Promise.withResolvers<void>();
  held = first;
  const begun = add(0).written;
  await new Promise(setImmediate);
  expect(rows()).toEqual([0, 1]);
  const second = Promise.withResolvers<void>();
  held = second;
  let isSecondWritten = false;
  const next = numbers(1, 10).map((n) => add(n).written.then(() => (isSecondWritten = true)));
  await new Promise(setImmediate);
  expect(rows()).toEqual([0, 1]);
  first.resolve();
  await begun;
  expect([rows(), isSecondWritten]).toEqual([[0, 2], false]);
  second.resolve();
  await Promise.all(next);
});

test("large events that come together are written one megabyte after the other", async () => {
  const { add, resultsOf } = startLog();
  await Promise.all(numbers(0, 3).map((n) => add(n, { bytes: 512 * 1024 }).written));
  expect(rows()).toEqual([0, 2]);
  isFull = true;
  const refused = numbers(3, 6).map((n) => add(n, { bytes: 512 * 1024 }).written);
  expect((await Promise.allSettled(refused)).every(({ status }) => status === "rejected")).toBe(true);
  isFull = false;
  for (const n of numbers(6, 9)) add(n, { bytes: 512 * 1024 });
  expect(resultsOf()).toEqual([...numbers(0, 3), ...numbers(6, 9)].reverse());
});

test("a sync that fails fails its events, and the next ones are tried again", async () => {
  const { add } = startLog();
  held = Promise.withResolvers<void>();
  const first = add(0).written;
  await new Promise(setImmediate);
  const next = add(1).written;
  const failing = held;
  held = undefined;
  failing.reject(new Error("no disk"));
  await expect(first).rejects.toThrow("no disk");
  await next;
});

test("events of an integration that is deleted get no rows", async () => {
  const { add, resultsOf } = startLog();
  const gone = add(1, { of: "gone" }).written;
  await add(2).written;
  await expect(gone).rejects.toThrow();
  expect(resultsOf("gone")).toEqual([]);
});

test("integrations of one tenant share the space of large events", async () => {
  const MIB = 1024 * 1024;
  const { add, read } = startLog();
  for (const [count, expected] of [
    [1, 16],
    [4, 16],
    [16, 4],
    [64, 1],
  ] as const) {
    integrations = count;
    for (const status of ["OK", "ERROR"] as const)
      for (const n of numbers(0, 40)) await add(n, { of: `of ${count}`, status, bytes: MIB / 2 }).written;
    read();
    const sum = "SELECT sum(length(payload)) AS n FROM integration_events WHERE integration_id = ?";
    const kept = database.sqlite.query<{ n: number }, [string]>(sum).get(`of ${count}`)?.n ?? 0;
    expect(kept / MIB).toBeGreaterThanOrEqual(2 * expected - 1);
    expect(kept / MIB).toBeLessThanOrEqual(2 * (expected * (1 + 1 / 16) + 0.5));
  }
});
