import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Session } from "../../../src/mqtt/session/session.ts";
import { SessionFile } from "../../../src/mqtt/session/session-file.ts";
import { SessionStore } from "../../../src/mqtt/session/session-store.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { ManualClock } from "../mqtt-fixture.ts";

const OVERHEAD = 256;
const TOPIC = "s/t";
/** What a message of `payload` bytes counts as. */
const weightOf = (payload: number) => payload + TOPIC.length + OVERHEAD;
const MESSAGE = 1_000 - TOPIC.length - OVERHEAD;

let directory: string;
let clock: ManualClock;
let store: SessionStore;

/** Reported losses: client id and number of messages. */
let losses: [clientId: string, count: number][];

const open = (limits: { perCredential?: number; perTenant?: number; all?: number } = {}) =>
  new SessionStore({
    onDropped: ({ clientId }, _, count) => losses.push([clientId, count]),
    file: join(directory, "mqtt.db"),
    clock,
    log: createLogger("test"),
    queuedPerClientMax: 10_000,
    queuedBytes: {
      perCredential: limits.perCredential ?? 1_000_000,
      perTenant: () => limits.perTenant ?? null,
      all: limits.all ?? 1_000_000,
    },
  });

function add(tenantId: string, credentialId: string, clientId = "client"): Session {
  const key = `app~${credentialId}~${clientId}`;
  const owner = { tenantId, credentialId };
  const session = new Session({ key, space: `tenant~${tenantId}`, owner, clientId, expirySeconds: 60 });
  store.add(session);
  return session;
}
let counter = 0;
const enqueue = (session: Session, count = 1, bytes = MESSAGE) => {
  for (let index = 0; index < count; index++)
    store.enqueue(session, {
      brokerId: "b",
      brokerCounter: ++counter,
      topic: TOPIC,
      payload: Buffer.alloc(bytes),
      qos: 1,
      retain: false,
    });
};

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lineside-queues-"));
  clock = new ManualClock();
  losses = [];
});
afterEach(() => {
  store.close();
  rmSync(directory, { recursive: true, force: true });
});

describe("the queues of sessions", () => {
  test("of one credential share its limit: its oldest message goes first", () => {
    store = open({ perCredential: 5_000 });
    const [first, second] = [add("t", "key", "a"), add("t", "key", "b")];
    const other = add("t", "another key");
    enqueue(other, 3);
    enqueue(first, 4);
    enqueue(second, 3);
    // A session with messages of its own gives up those; one without takes the place of the oldest.
    expect([first.queue.length, second.queue.length, other.queue.length]).toEqual([4, 1, 3]);
    enqueue(add("t", "key", "c"));
    expect([first.queue.length, second.queue.length, other.queue.length]).toEqual([3, 1, 3]);
    expect(store.dropped).toBe(3);
  });

  test("of one tenant share its limit and leave those of another alone", () => {
    store = open({ perTenant: 5_000 });
    const [greedy, sameTenant, neighbour] = [add("t", "1"), add("t", "2"), add("u", "3")];
    enqueue(neighbour, 4);
    enqueue(sameTenant, 2);
    enqueue(greedy, 50);
    expect([greedy.queue.length, sameTenant.queue.length, neighbour.queue.length]).toEqual([3, 2, 4]);
    expect(store.usageOf("u")).toMatchObject({ sessions: 1, queuedBytes: 4_000, dropped: 0 });
    expect(store.usageOf("t")).toMatchObject({ sessions: 2, queuedBytes: 5_000, dropped: 47 });
  });

  test("when all tenants together have too much, the one with the most gives way", () => {
    store = open({ all: 10_000 });
    const [greedy, modest] = [add("t", "1"), add("u", "2")];
    enqueue(greedy, 50);
    expect(greedy.queue).toHaveLength(10);
    enqueue(modest, 4);
    expect([greedy.queue.length, modest.queue.length]).toEqual([6, 4]);
    enqueue(modest, 4);
    expect([greedy.queue.length, modest.queue.length]).toEqual([5, 5]);
  });

  test("a message that is larger than its limit is dropped alone", () => {
    store = open({ perTenant: 5_000 });
    const session = add("t", "1");
    enqueue(session, 1, 6_000);
    expect([session.queue.length, store.dropped]).toEqual([0, 1]);
    enqueue(session, 2);
    expect(session.queue).toHaveLength(2);
    store.delete(session);
    expect(store.usageOf("t")).toMatchObject({ sessions: 0, queuedBytes: 0 });
  });

  test("report a loss once, however many messages one large message pushes out", () => {
    store = open({ perCredential: 500_000 });
    const [small, large] = [add("t", "key", "small"), add("t", "key", "large")];
    enqueue(small, 1_000, 500 - TOPIC.length - OVERHEAD);
    enqueue(large, 1, 100_000 - TOPIC.length - OVERHEAD);
    expect(losses).toEqual([["small", 200]]);
    expect([small.queue.length, large.queue.length, store.dropped]).toEqual([800, 1, 200]);
    enqueue(large, 1, 450_000 - TOPIC.length - OVERHEAD);
    // Its own message goes first, then those that wait longest.
    expect(losses.slice(1)).toEqual([
      ["large", 1],
      ["small", 700],
    ]);
    expect(store.usageOf("t")).toMatchObject({ queuedBytes: 500_000, dropped: 901 });
  });

  test("are written in batches of bounded size, however large the messages are", () => {
    const batches: number[] = [];
    const begun = spyOn(SessionFile.prototype, "batch");
    const saved = spyOn(SessionFile.prototype, "saveMessage");
    const write = begun.getMockImplementation() as SessionFile["batch"];
    begun.mockImplementation(function (this: SessionFile, work) {
      batches.push(0);
      return write.call(this, work);
    });
    const save = saved.getMockImplementation() as SessionFile["saveMessage"];
    saved.mockImplementation(function (this: SessionFile, key, message) {
      batches[batches.length - 1]! += message.payload.length; // within its bounds
      return save.call(this, key, message);
    });
    try {
      store = open({ perCredential: 100_000_000, all: 100_000_000 });
      const session = add("t", "key");
      enqueue(session, 200, 60_000);
      clock.advance(100);
    } finally {
      begun.mockRestore();
      saved.mockRestore();
    }
    expect(batches.reduce((total, bytes) => total + bytes, 0)).toBe(200 * 60_000);
    expect(Math.max(...batches)).toBeLessThan(1_200_000);
  });

  test("count the same after a restart, also when thousands of messages are written", () => {
    store = open();
    const sessions = [add("t", "1"), add("t", "2"), add("u", "3")];
    for (const session of sessions) enqueue(session, 1_200, 10);
    clock.advance(100); // the first batch; the rest follows without anybody waiting for it
    store.close();
    store = open();
    expect(store.usageOf("t")).toMatchObject({ sessions: 2, queuedBytes: 2_400 * weightOf(10), dropped: 0 });
    expect(store.get(sessions[2]?.key ?? "")?.queue).toHaveLength(1_200);
  });
});

test("sessions that end at the same time are deleted as far as there is time in a turn, the others later", () => {
  store = open();
  for (const clientId of ["a", "b", "c"]) {
    const session = add("t", "key", clientId);
    session.awaySince = 0;
    enqueue(session, 10, 10);
  }
  let looks = 0;
  const expire = () => store.expire(61_000, 0, () => ++looks === 2);
  expire();
  expect(store.usageOf("t")).toMatchObject({ sessions: 1, queuedBytes: 10 * weightOf(10) });
  expire();
  expect(store.usageOf("t")).toMatchObject({ sessions: 0, queuedBytes: 0 });
});
