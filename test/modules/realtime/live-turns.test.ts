import { describe, expect, test } from "bun:test";
import type { DeviceId, TenantId, UserId } from "../../../src/lib/core/ids.ts";
import type { DomainEvents } from "../../../src/modules/events.types.ts";
import type { IngestDevice } from "../../../src/modules/ingest/ingest.types.ts";
import { ReadingTexts } from "../../../src/modules/realtime/reading-texts.ts";
import { RealtimeHub, TelemetryFanOut } from "../../../src/modules/realtime/realtime-hub.ts";
import { type RealtimeDeps, RealtimeSession } from "../../../src/modules/realtime/realtime-session.ts";
import { WaitingReadings, WaitingTotal } from "../../../src/modules/realtime/waiting-readings.ts";
import type { Reading } from "../../../src/modules/telemetry/telemetry.types.ts";
import type { Principal } from "../../../src/modules/users/users.types.ts";
import { createEventBus } from "../../../src/platform/core/event-bus.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { workShare } from "../../../src/platform/load/fair-share.ts";
import { ResponseSpace } from "../../../src/platform/load/response-space.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/until.ts";

interface Frame {
  readonly user: string;
  readonly message: {
    readonly type: string;
    readonly id: string;
    readonly deviceId: string;
    readonly until?: string | null;
    readonly ts: number;
    readonly values: object;
  };
}

/** Live sessions of users, named by tenant and user ("A anna"), each of whose messages takes `sendMs` to send. */
function createWorld({
  sendMs = 0,
  buffered = (_: number): number => 0,
  childrenOf = (_: DeviceId): readonly DeviceId[] => [],
  devicesOf = (_: string): ReadonlySet<DeviceId> | "all" => "all",
} = {}) {
  const log = createLogger();
  const events = createEventBus<DomainEvents>(log);
  const hub = new RealtimeHub(events, childrenOf);
  const clock = new FakeClock();
  const frames: Frame[] = [];
  const gaps: number[] = [];
  const deps = {
    hub,
    authenticator: {
      authenticate: async (token: string) =>
        ({
          userId: token as UserId,
          tenantId: token.charAt(0) as TenantId,
          devices: devicesOf(token),
        }) as Principal,
    },
    devices: { ensureAllVisible: (_: Principal, ids: DeviceId[]) => ids, listVisibleIds: () => [] },
    activityOf: () => ({ active: true, lastActivityAt: 1 }),
    store: { latestJson: async () => new Map() },
    responses: new ResponseSpace(),
    clock,
    log,
  } as unknown as RealtimeDeps; // what a session uses of them
  async function open(
    user: string,
    subscriptions: number,
    keys?: string[],
    ids: readonly string[] | null = [],
  ) {
    let sent = 0;
    const session = new RealtimeSession(
      {
        peer: {} as never,
        send(text) {
          const message = JSON.parse(text);
          if (message.type === "gap") gaps.push(message.dropped);
          if (message.type !== "data") return;
          const end = performance.now() + sendMs;
          while (performance.now() < end);
          sent++;
          frames.push({ user, message });
        },
        bufferedBytes: () => buffered(sent),
        close() {},
      },
      deps,
    );
    void session.message(JSON.stringify({ type: "auth", token: user }));
    const topics = ["telemetry", "attributes", "devices"];
    const deviceIds = ids === null ? undefined : [`${user.charAt(0)} pump`, ...ids];
    for (let index = 0; index < subscriptions; index++)
      void session.message(JSON.stringify({ type: "subscribe", id: `s${index}`, topics, deviceIds, keys }));
    await session.message('{"type":"ping"}');
    clock.advance(50); // the flush that each subscription schedules
    return session;
  }
  const report = (tenant: string, readings: Reading[]) => {
    hub.onTelemetry({ deviceId: `${tenant} pump`, tenantId: tenant } as IngestDevice, readings);
    clock.advance(50);
  };
  /** Lets everything happen that waits for nothing but its turn. */
  const turns = async () => {
    for (let turn = 0; turn < 20; turn++) {
      await workShare.next();
      clock.advance(50);
    }
  };
  return { frames, gaps, events, clock, open, report, turns };
}

const readings = (count: number): Reading[] =>
  Array.from({ length: count }, (_, index) => ({ ts: index, values: { a: index } }));

/** An object that counts how often it is serialized. */
function counted() {
  const value = {
    serialized: 0,
    toJSON() {
      value.serialized++;
      return { a: 1 };
    },
  };
  return value;
}

test("screens of a tenant take turns with the screens of others", async () => {
  const { frames, clock, open, report } = createWorld({ sendMs: 4 });
  for (let index = 0; index < 5; index++) await open("A anna", 4);
  await open("B ben", 1);
  report("A", readings(2));
  const first = frames.length;
  expect(first).toBeLessThan(10);
  report("B", readings(1));
  let most = 0;
  for (let before = first; frames.length < 41; before = frames.length) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(50);
    most = Math.max(most, frames.length - before);
  }
  expect(most).toBeLessThan(10);
  expect(frames.findIndex(({ user }) => user === "B ben")).toBeLessThan(20);
});

test("a message reaches many subscriptions in several turns of the event loop", async () => {
  let reached = 0;
  const slow = new Set<string>();
  slow.has = () => {
    const end = performance.now() + 1;
    while (performance.now() < end);
    return false;
  };
  const texts = new ReadingTexts();
  const total = new WaitingTotal(texts, 0); // merges immediately
  const fanOut = new TelemetryFanOut(texts, function* (_, data) {
    for (let reader = 0; reader < 60; reader++) {
      new WaitingReadings(total, slow).add(data);
      reached++;
      yield;
    }
  });
  fanOut.add({ deviceId: "A pump", tenantId: "A" } as IngestDevice, readings(1));
  expect(reached).toBeLessThan(40);
  let most = 0;
  for (let before = reached; reached < 60; before = reached) {
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, reached - before);
  }
  expect(most).toBeLessThan(40);
});

test("messages that wait for their turn are kept once for all readers, merged beyond a limit", async () => {
  const { frames, clock, open, report } = createWorld();
  await open("A anna", 2);
  workShare.pause();
  const end = performance.now() + 20;
  while (performance.now() < end); // uses up this round
  for (const reading of readings(100)) report("A", [reading]);
  expect(frames).toEqual([]);
  await until(() => {
    clock.advance(50);
    return frames.length > 1;
  });
  expect(frames.map(({ message }) => message)).toMatchObject(
    ["s0", "s1"].map((id) => ({ id, ts: 99, values: { a: 99 }, merged: true })),
  );
});

test("messages of a subscription keep their order while a session pauses", async () => {
  const { frames, clock, open, report } = createWorld({ sendMs: 1 });
  await open("A anna", 2);
  report("A", readings(20));
  report(
    "A",
    readings(40).map(({ ts, values }) => ({ ts: ts + 20, values })),
  );
  await until(() => {
    clock.advance(50);
    return frames.length === 120;
  });
  for (const subscription of ["s0", "s1"])
    expect(
      frames.filter(({ message }) => message.id === subscription).map(({ message }) => message.ts),
    ).toEqual(Array.from({ length: 60 }, (_, index) => index));
});

test("a message is serialized once for all sessions and subscriptions with the same keys", async () => {
  const { frames, clock, open, report } = createWorld();
  for (const user of ["A anna", "A otto"]) {
    await open(user, 20);
    await open(user, 20, ["a", "b"]);
    await open(user, 20, ["b", "a"]);
  }
  const a = counted();
  report("A", [{ ts: 1, values: { a: a as never, c: 1 } }]);
  await until(() => {
    clock.advance(50);
    return frames.length === 120;
  });
  expect(frames.filter(({ message }) => "c" in message.values)).toHaveLength(40);
  expect(a.serialized).toBe(3); // to weigh it, with all keys and with two keys
});

test("an event is serialized once", async () => {
  const { frames, events, clock, open } = createWorld();
  for (const user of ["A anna", "A otto"]) await open(user, 20);
  const value = counted();
  events.emit("attributes.changed", {
    tenantId: "A" as TenantId,
    deviceId: "A pump" as DeviceId,
    scope: "SERVER",
    values: { value: value as never },
    deleted: [],
  });
  await until(() => {
    clock.advance(50); // an event that waits for its turn is sent later
    return frames.length === 40;
  });
  expect(value.serialized).toBe(1);
  expect(frames[0]?.message).toMatchObject({
    type: "data",
    id: "s0",
    topic: "attributes",
    deviceId: "A pump",
  });
});

test("the messages of a device stop where the peer has no more room", async () => {
  const room = { messages: 10 };
  const { frames, clock, open, report, turns } = createWorld({
    buffered: (sent) => (sent < room.messages ? 0 : 1e6),
  });
  const session = await open("A anna", 1);
  report("A", readings(60));
  await until(() => {
    clock.advance(50);
    return frames.length === 10;
  });
  await turns();
  expect(frames).toHaveLength(10);
  room.messages = 100;
  session.drain();
  await until(() => {
    clock.advance(50);
    return frames.length === 60;
  });
  expect(frames.map(({ message }) => message.ts)).toEqual(Array.from({ length: 60 }, (_, index) => index));
});

test("long objects wait as the newest value, like long strings", async () => {
  const room = { bytes: 0 };
  const { frames, clock, open, report, turns } = createWorld({ buffered: () => room.bytes });
  const session = await open("A anna", 1);
  room.bytes = 1e6;
  report(
    "A",
    Array.from({ length: 20 }, (_, ts) => ({ ts, values: { a: { text: "x".repeat(60_000), ts } } })),
  );
  await turns(); // the session may have had to wait for its turn
  room.bytes = 0;
  session.drain();
  await until(() => {
    clock.advance(50);
    return frames.length > 0;
  });
  expect(frames.map(({ message }) => message)).toMatchObject([
    { ts: 19, merged: true, values: { a: { ts: 19 } } },
  ]);
});

describe("maintenance of a gateway with many children", () => {
  const gateway = { tenantId: "A" as TenantId, deviceId: "A gateway" as DeviceId };
  const children = Array.from({ length: 1_200 }, (_, index) => `child ${index}` as DeviceId);
  const seen = new Set(children);

  test("is not looked up if nobody of the tenant listens", async () => {
    let lookups = 0;
    const { events, open } = createWorld({
      childrenOf: () => {
        lookups++;
        return children;
      },
    });
    await open("B ben", 1, undefined, null);
    events.emit("device.maintenance", { ...gateway, until: 1 });
    expect(lookups).toBe(0);
    await open("A anna", 1, undefined, null);
    events.emit("device.maintenance", { ...gateway, until: 1 });
    expect(lookups).toBe(1);
  });

  test("reaches those who name a child, and others as far as there is room, which is told", async () => {
    const { frames, gaps, events, clock, open, turns } = createWorld({
      childrenOf: () => children,
      devicesOf: (user) => (user === "A anna" ? "all" : seen),
    });
    await open("A anna", 2, undefined, ["child 1100"]);
    await open("A otto", 1, undefined, null);
    events.emit("device.maintenance", { ...gateway, until: 1 });
    await until(() => {
      clock.advance(50);
      return frames.length >= 502 && gaps.length > 0;
    });
    await turns();
    const ofAnna = frames.filter(({ user }) => user === "A anna").map(({ message }) => message);
    expect(ofAnna.map(({ deviceId }) => deviceId)).toEqual(["child 1100", "child 1100"]);
    expect(frames.filter(({ user }) => user === "A otto")).toHaveLength(500);
    expect(gaps.reduce((sum, gap) => sum + gap, 0)).toBe(700);
  });

  test("lets others have their turn, and stays before the end of the maintenance", async () => {
    const looked = { count: 0 };
    const slow = new Set(children);
    slow.has = () => {
      looked.count++;
      const end = performance.now() + 0.2;
      while (performance.now() < end);
      return true;
    };
    const few = children.slice(0, 200);
    const { frames, events, clock, open } = createWorld({ childrenOf: () => few, devicesOf: () => slow });
    await open("A otto", 1, undefined, few);
    events.emit("device.maintenance", { ...gateway, until: 1 });
    expect(looked.count).toBeLessThan(few.length);
    events.emit("device.maintenance", { ...gateway, until: null });
    await until(() => {
      clock.advance(50);
      return frames.length === 2 * few.length;
    });
    const last = new Map(frames.map(({ message }) => [message.deviceId, message.until]));
    expect(new Set(last.values())).toEqual(new Set([null]));
  });
});
