import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Session } from "../../src/mqtt/session.ts";
import { SessionStore } from "../../src/mqtt/session-store.ts";
import { createLogger } from "../../src/platform/core/log.ts";
import { ManualClock } from "./mqtt-fixture.ts";

const OVERHEAD = 256;
const TOPIC = "s/t";
/** What a message of `payload` bytes counts as. */
const weightOf = (payload: number) => payload + TOPIC.length + OVERHEAD;
const MESSAGE = 1_000 - TOPIC.length - OVERHEAD;

let directory: string;
let clock: ManualClock;
let store: SessionStore;

const open = (limits: { perCredential?: number; perTenant?: number; all?: number } = {}) =>
  new SessionStore({
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
