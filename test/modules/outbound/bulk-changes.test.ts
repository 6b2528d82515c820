import { afterEach, expect, test } from "bun:test";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import type { OutboundRepository, TargetRow } from "../../../src/modules/outbound/outbound.repository.ts";
import { createOutboundService } from "../../../src/modules/outbound/outbound.service.ts";
import { createEventBus } from "../../../src/platform/core/event-bus.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import type { OutboundAddresses } from "../../../src/platform/network/outbound-address.ts";
import { createSealedBox } from "../../../src/platform/secrets/sealed-box.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { createRig, database, repository, runTasks, useDatabase } from "./delivery-fixture.ts";

useDatabase();

const TENANT = "t" as TenantId;
const SOURCE = { kind: "pipeline", id: "a" } as const;
const PART = 500;

const turnOfOthers = () => new Promise<void>((resolve) => void setImmediate(resolve));

let ticker: ReturnType<typeof setImmediate>;
afterEach(() => clearImmediate(ticker));

/** A service that counts what it does per turn of the event loop. */
async function createBulk() {
  await turnOfOthers(); // what earlier tests left to do
  await turnOfOthers();
  const rig = createRig({ rows: 100_000, bytes: 100_000_000 });
  /** Rows changed in each turn. */
  const turns: number[] = [];
  let isNewTurn = true;
  const nextTurn = () => {
    isNewTurn = true;
    ticker = setImmediate(nextTurn);
  };
  ticker = setImmediate(nextTurn);
  const work = {
    /** Times that the waiting rows of each target were read. */
    reads: new Map<string, number>(),
    /** Called before each part, with the number of parts so far. */
    beforePart: (_: number): void => undefined,
    mostPerTurn: () => Math.max(...turns),
    turns: () => turns.length,
  };
  const count = (change: () => number): number => {
    work.beforePart(turns.length);
    if (isNewTurn) {
      turns.push(0);
      isNewTurn = false;
    }
    const rows = change();
    turns.push((turns.pop() ?? 0) + rows);
    return rows;
  };
  const counting: OutboundRepository = {
    ...repository,
    revive: (...of) => count(() => repository.revive(...of)),
    deleteOf: (...of) => count(() => repository.deleteOf(...of)),
  };
  const { queue } = rig.delivery;
  const changed = queue.changed.bind(queue);
  queue.changed = (target, options) => {
    work.reads.set(target.targetId, (work.reads.get(target.targetId) ?? 0) + 1);
    changed(target, options);
  };
  const outbound = createOutboundService({
    repository: counting,
    delivery: rig.delivery,
    sender: { attempt: () => Promise.reject(new Error("not used")) },
    addresses: {} as OutboundAddresses, // for tests of an address alone
    box: createSealedBox(new Uint8Array(32), "test"),
    transact: database.transact,
    durable: () => Promise.resolve(),
    clock: rig.clock,
    events: createEventBus(createLogger("test")),
  });
  return { rig, outbound, work };
}

/** Inserts requests with numbers as bodies, as if they had died or waited for long. */
function fill(targets: readonly TargetRow[], state: "DEAD" | "WAITING", count: number): string[] {
  const now = new FakeClock().now();
  const bodies = Array.from({ length: count }, (_, index) => `${state} ${index}`);
  database.transact(() => {
    for (const [index, body] of bodies.entries()) {
      const target = targets[index % targets.length];
      if (target === undefined) continue;
      repository.insert({
        ...{ tenantId: target.tenantId, targetId: target.targetId, orderKey: `d${index % 7}`, body, state },
        ...{ contentType: "a/b", bytes: body.length, attempts: 0, queuedAt: 0, dueAt: 1e12, triedAt: null },
        ...{ lastStatus: null, lastError: null, createdAt: 1, diedAt: state === "DEAD" ? now : null },
        dedupeKey: null,
      });
    }
  });
  return bodies;
}

const numbers = () => repository.numbersOf(TENANT, SOURCE);

test("many dead letters are sent again in parts, each once and in order, and each target is read once", async () => {
  const { rig, outbound, work } = await createBulk();
  const targets = [rig.target("a"), rig.target("a"), rig.target("a")];
  const bodies = fill(targets, "DEAD", 2_300);
  expect(await outbound.replayAll(TENANT, SOURCE)).toBe(2_300);
  expect(work.mostPerTurn()).toBe(PART);
  expect(work.turns()).toBe(5);
  expect([...work.reads.values()]).toEqual([1, 1, 1]);
  await rig.pass(60_000, 100);
  expect(rig.sent.length).toBe(2_300);
  expect(new Set(rig.sent)).toEqual(new Set(bodies));
  const lane = (index: number) => index % 21 === 5;
  const numberOf = (body: string) => Number(body.split(" ")[1]);
  expect(rig.sent.filter((body) => lane(numberOf(body)))).toEqual(
    bodies.filter((body) => lane(numberOf(body))),
  );
  expect(numbers()).toEqual({ waiting: 0, dead: 0 });
  await rig.delivery.stop();
});

test("what dies again while others are revived is not sent a second time", async () => {
  const { rig, outbound, work } = await createBulk();
  const target = rig.target("a");
  rig.answer = () => "dead";
  rig.add(target, "d0", "live");
  fill([target], "DEAD", 1_200);
  work.beforePart = (part) => {
    if (part > 0) rig.delivery.queue.changed(target, { tryNow: true });
  };
  expect(await outbound.replayAll(TENANT, SOURCE)).toBe(1_200);
  await rig.pass(60_000, 100);
  expect(rig.sent.length).toBe(1_201);
  expect(numbers()).toEqual({ waiting: 0, dead: 1_201 });
  await rig.delivery.stop();
});

test("an interrupted replay leaves each request waiting or dead, and what waits is sent", async () => {
  const { rig, outbound, work } = await createBulk();
  const bodies = fill([rig.target("a")], "DEAD", 1_200);
  work.beforePart = (part) => {
    if (part === 2) throw new Error("the disk failed");
  };
  await expect(outbound.replayAll(TENANT, SOURCE)).rejects.toThrow("the disk failed");
  expect(numbers().dead).toBe(200);
  await rig.pass(60_000, 100);
  expect(rig.sent.toSorted()).toEqual(bodies.slice(0, 1_000).toSorted());
  expect(numbers()).toEqual({ waiting: 0, dead: 200 });
  await rig.delivery.stop();
});

test("a replay that outlasts a stop is continued by the next start", async () => {
  const { rig, outbound, work } = await createBulk();
  fill([rig.target("a")], "DEAD", 1_200);
  let stopped: Promise<void> | undefined;
  work.beforePart = (part) => {
    if (part === 1) stopped = rig.delivery.stop();
  };
  await outbound.replayAll(TENANT, SOURCE);
  await stopped;
  expect(rig.sent).toEqual([]);
  rig.boot();
  await rig.pass(60_000, 100);
  expect(rig.sent.length).toBe(1_200);
  expect(new Set(rig.sent).size).toBe(1_200);
  await rig.delivery.stop();
});

test("requests are deleted in parts, those of one state and all of them", async () => {
  const { rig, outbound, work } = await createBulk();
  const targets = [rig.target("a"), rig.target("a")];
  const other = rig.target("b");
  fill([other], "DEAD", 3);
  fill(targets, "DEAD", 1_100);
  fill(targets, "WAITING", 1_300);
  expect(await outbound.deleteAll(TENANT, SOURCE, "DEAD")).toBe(1_100);
  expect(numbers()).toEqual({ waiting: 1_300, dead: 0 });
  await turnOfOthers();
  expect(await outbound.deleteAll(TENANT, SOURCE)).toBe(1_300);
  expect(work.mostPerTurn()).toBe(PART);
  expect([...work.reads.values()]).toEqual([2, 2]);
  expect(rig.states().length).toBe(3);
  await rig.delivery.stop();
});

test("a source is removed with the last of its requests, or not at all", async () => {
  const { rig, outbound, work } = await createBulk();
  const target = rig.target("a");
  fill([target], "WAITING", 1_200);
  const removed: number[] = [];
  const remove = () => void removed.push(numbers().waiting);
  work.beforePart = (part) => {
    if (part === 2) throw new Error("the disk failed");
  };
  await expect(outbound.removeSource(TENANT, SOURCE, remove)).rejects.toThrow("the disk failed");
  expect(removed).toEqual([]);
  expect(numbers()).toEqual({ waiting: 200, dead: 0 });
  work.beforePart = () => undefined;
  await outbound.removeSource(TENANT, SOURCE, remove);
  expect(removed).toEqual([0]);
  expect(work.mostPerTurn()).toBe(PART);
  await runTasks();
  expect(rig.sent).toEqual([]);
  await rig.delivery.stop();
});
