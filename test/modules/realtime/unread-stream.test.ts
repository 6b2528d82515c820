import { expect, test } from "bun:test";
import type { DeviceId, TenantId, UserId } from "../../../src/lib/core/ids.ts";
import type { DomainEvents } from "../../../src/modules/events.types.ts";
import type { IngestDevice } from "../../../src/modules/ingest/ingest.types.ts";
import { RealtimeHub } from "../../../src/modules/realtime/realtime-hub.ts";
import {
  type RealtimeDeps,
  RealtimeSession,
  UNCOUNTED_BYTES,
} from "../../../src/modules/realtime/realtime-session.ts";
import { SUBSCRIBED_KEYS_MAX } from "../../../src/modules/realtime/subscribed-keys.ts";
import type { Principal } from "../../../src/modules/users/users.types.ts";
import { createEventBus } from "../../../src/platform/core/event-bus.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { ResponseSpace } from "../../../src/platform/load/response-space.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/until.ts";

const DEVICES = 5_000;
const deviceIds = Array.from({ length: DEVICES }, (_, index) => `device-${index}` as DeviceId);
const principal = {
  userId: "anna" as UserId,
  tenantId: "A" as TenantId,
  role: "TENANT_READ_ONLY",
  sessionId: "s",
  devices: "all",
} as Principal;
const values = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`key${index}`, index]));

const createHub = () => new RealtimeHub(createEventBus<DomainEvents>(createLogger()), () => []);

/** A session whose peer has `buffered` bytes still to read. */
async function open(
  space = new ResponseSpace(),
  { hub = createHub(), as = principal, latest = values as object } = {},
) {
  const clock = new FakeClock();
  const peer = {
    buffered: 0,
    sent: [] as string[],
    closed: undefined as number | undefined,
    reads: 0,
    devicesRead: 0,
    looks: 0,
  };
  const deps = {
    hub,
    authenticator: { authenticate: async () => as },
    devices: {
      listVisibleIds: () => deviceIds,
      ensureAllVisible: (_: Principal, ids: DeviceId[]) => ids,
    },
    activityOf: () => ({ active: true, lastActivityAt: 1 }),
    store: {
      latestJson: async (ids: DeviceId[]) => {
        peer.reads++;
        peer.devicesRead += ids.length;
        const snapshot = { values: JSON.stringify(latest), timestamps: JSON.stringify(values), ts: 1 };
        return new Map(ids.map((deviceId) => [deviceId, snapshot]));
      },
    },
    responses: space,
    clock,
    log: createLogger(),
  } as unknown as RealtimeDeps; // what a session uses of them
  const session = new RealtimeSession(
    {
      peer: {} as never,
      send: (text) => {
        peer.sent.push(text);
        if (text.includes("snapshot")) peer.buffered += text.length;
      },
      bufferedBytes: () => {
        peer.looks++;
        return peer.buffered;
      },
      close: (code) => {
        peer.closed = code;
      },
    },
    deps,
  );
  await session.message(JSON.stringify({ type: "auth", token: "t" }));
  const report = (deviceId: DeviceId, ts: number) =>
    hub.onTelemetry({ deviceId, tenantId: principal.tenantId } as IngestDevice, [{ ts, values }]);
  const received = () => peer.sent.map((text) => JSON.parse(text));
  return { session, hub, clock, peer, report, received };
}

const subscribe = (id: string, fields: object = {}) =>
  JSON.stringify({ type: "subscribe", id, topics: ["telemetry"], ...fields });
const turn = () => new Promise((resolve) => setImmediate(resolve));
/** Bytes with which a peer leaves no more room. */
const FULL = 256 * 1024;

test("a reader who does not read gets no more of a snapshot, and nothing is read for the reader", async () => {
  const { session, peer } = await open();
  const done = Promise.all(["a", "b", "c"].map((id) => session.message(subscribe(id))));
  await until(() => peer.buffered > 256 * 1024);
  const before = { ...peer };
  for (let count = 0; count < 50; count++) await turn();
  // Each of the three subscriptions may have begun a read.
  expect([peer.buffered, peer.reads - before.reads <= 3]).toEqual([before.buffered, true]);
  expect(peer.buffered).toBeLessThan(1024 * 1024);
  const devices = new Set<string>();
  let isDone = false;
  done.then(() => {
    isDone = true;
  });
  await until(() => {
    peer.buffered = 0;
    session.drain();
    return isDone;
  });
  const snapshots = peer.sent.map((text) => JSON.parse(text)).filter(({ type }) => type === "snapshot");
  for (const { id, devices: part } of snapshots)
    for (const { deviceId } of part) devices.add(`${id} ${deviceId}`);
  expect(devices.size).toBe(3 * DEVICES);
  expect(snapshots.filter(({ more }) => more !== true)).toHaveLength(3);
  session.close(1000, "");
});

test("of devices with long values, few are read ahead of a reader who does not read", async () => {
  const { session, peer } = await open(undefined, { latest: { text: "x".repeat(60_000) } });
  void session.message(subscribe("a"));
  await until(() => peer.buffered > FULL);
  for (let count = 0; count < 50; count++) await turn();
  expect(peer.devicesRead).toBeLessThan(30);
  session.close(1000, "");
});

test("what waits for a reader counts as bytes in flight, and a reader who leaves no room is disconnected", async () => {
  const space = new ResponseSpace({ all: 4, tenant: 4, user: 1 });
  const { session, peer, report } = await open(space);
  peer.buffered = FULL;
  void session.message(subscribe("a"));
  await until(() => session.subscriptions.size === 1);
  let ts = 0;
  await until(() => {
    for (const deviceId of deviceIds.slice(0, 1_000)) report(deviceId, ++ts);
    return peer.closed !== undefined;
  });
  expect(peer.closed).toBe(4429);
  expect(space.used).toBe(0);
  expect(space.refusals.find(({ limit }) => limit === "too_large")?.count).toBe(1);
});

test("frames that wait for a snapshot are bounded by their size, too", async () => {
  const space = new ResponseSpace();
  const { session, peer } = await open(space);
  peer.buffered = FULL;
  const frame = JSON.stringify({ type: "unsubscribe", id: "x".repeat(64), pad: "y".repeat(900_000) });
  void session.message(subscribe("a"));
  for (let count = 0; count < 4; count++) void session.message(frame);
  expect(peer.closed).toBeUndefined();
  expect(space.used).toBeGreaterThan(7 * frame.length);
  void session.message(frame);
  expect(peer.closed).toBe(4429);
  expect(space.used).toBe(0);
});

test("frames that wait take space of their user, and a user without space is disconnected", async () => {
  const { session, peer } = await open(new ResponseSpace({ all: 4, tenant: 4, user: 1 }));
  peer.buffered = FULL;
  void session.message(subscribe("a"));
  void session.message(JSON.stringify({ type: "unsubscribe", id: "x", pad: "y".repeat(600_000) }));
  expect(peer.closed).toBe(4429);
});

test("subscriptions to the same keys share what waits, all of which takes space from the first reading on", async () => {
  const space = new ResponseSpace();
  const { session, clock, peer, report, received } = await open(space);
  const ids = Array.from({ length: 100 }, (_, index) => `s${index}`);
  for (const [index, id] of ids.entries()) {
    const keys = index % 2 === 0 ? undefined : ["key1"];
    await session.message(subscribe(id, { deviceIds: deviceIds.slice(0, 100), keys }));
    peer.buffered = 0;
  }
  clock.advance(50);
  await turn();
  peer.sent.length = 0;
  peer.buffered = FULL;
  session.drain();
  const before = space.used;
  for (const deviceId of deviceIds.slice(0, 100)) report(deviceId, 1);
  await until(() => space.used - before > 2 * 100 * 500);
  for (let count = 0; count < 10; count++) await turn();
  expect(space.used - before).toBeLessThan(2 * 100 * 1_500);
  peer.buffered = 0;
  session.drain();
  clock.advance(50);
  await until(() => peer.sent.length === 100 * 100);
  await until(() => space.used < before);
  const seen = received().map(
    ({ id, deviceId, values }) => `${id} ${deviceId} ${Object.keys(values).length}`,
  );
  expect(new Set(seen).size).toBe(100 * 100);
  expect(seen.filter((text) => text.endsWith(" 1"))).toHaveLength(50 * 100);
});

test("a subscription that begins while others wait gets what comes after it, once and in order", async () => {
  const { session, clock, peer, report, received } = await open();
  const [deviceId = "" as DeviceId] = deviceIds;
  const named = { deviceIds: [deviceId] };
  await session.message(subscribe("a", named));
  clock.advance(50);
  await turn();
  peer.buffered = FULL;
  session.drain();
  report(deviceId, 1);
  await turn();
  peer.buffered = 0;
  await session.message(subscribe("b", named));
  peer.buffered = FULL;
  for (const ts of [2, 3]) report(deviceId, ts);
  await turn();
  peer.buffered = 0;
  session.drain();
  for (let count = 0; count < 10; count++) {
    clock.advance(50);
    await turn();
  }
  report(deviceId, 4);
  await until(() => {
    clock.advance(50);
    return peer.sent.at(-1)?.includes('"ts":4') ?? false;
  });
  await turn();
  const seen = received().filter(({ type }) => type === "data");
  const timesOf = (id: string) => seen.filter((message) => message.id === id).map(({ ts }) => ts);
  expect([timesOf("a"), timesOf("b")]).toEqual([
    [1, 2, 3, 4],
    [2, 3, 4],
  ]);
});

test("a reader who does not read costs nothing until there is room again", async () => {
  const { session, clock, peer, report } = await open();
  await session.message(subscribe("a", { deviceIds: deviceIds.slice(0, 100) }));
  peer.buffered = FULL;
  for (const deviceId of deviceIds.slice(0, 100)) report(deviceId, 1);
  for (let count = 0; count < 10; count++) {
    clock.advance(50);
    await turn();
  }
  const { looks } = peer;
  for (let count = 0; count < 100; count++) {
    clock.advance(50);
    await turn();
  }
  expect(peer.looks).toBe(looks);
  session.close(1000, "");
});

test("a connection names a limited number of keys, equal lists once", async () => {
  const space = new ResponseSpace();
  const { session, received } = await open(space);
  const many = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${name}${index}`);
  const half = many("a", SUBSCRIBED_KEYS_MAX / 2);
  for (const id of ["a", "b", "c"]) await session.message(subscribe(id, { deviceIds: [], keys: half }));
  expect(space.used).toBeGreaterThan(half.length * 100);
  expect(space.used).toBeLessThan(2 * half.length * 200);
  await session.message(subscribe("d", { deviceIds: [], keys: many("d", half.length + 1) }));
  const error = { type: "error", id: "d", code: "realtime.too_many_keys" };
  expect(received().at(-1)).toMatchObject(error);
  await session.message(subscribe("d", { deviceIds: [], keys: many("d", half.length) }));
  expect(received().at(-1)).toMatchObject({ type: "snapshot", id: "d" });
  for (const id of ["a", "b", "c", "d"]) await session.message(JSON.stringify({ type: "unsubscribe", id }));
  expect(space.used).toBe(0);
});

test("a subscription for which there is no space is refused and counted; the others go on", async () => {
  const space = new ResponseSpace({ all: 4, tenant: 4, user: 1 });
  const { session, peer, received } = await open(space);
  await session.message(subscribe("a", { deviceIds: [] }));
  await session.message(subscribe("b", { deviceIds }));
  expect(received().at(-1)).toMatchObject({ type: "error", id: "b", code: "realtime.no_space" });
  expect([peer.closed, [...session.subscriptions.keys()]]).toEqual([undefined, ["a"]]);
  expect(space.refusals.find(({ limit }) => limit === "too_large")?.count).toBe(1);
  await session.message(subscribe("c", { deviceIds: [] }));
  expect(received().at(-1)).toMatchObject({ type: "snapshot", id: "c" });
});

test("a visitor of a link keeps only keys that its dashboards show", async () => {
  const keysOf = new Map([
    ["device-1" as DeviceId, new Set(["key1", "key2"])],
    ["device-2" as DeviceId, new Set(["key2", "key3"])],
  ]);
  const visitor = { ...principal, shared: { keysOf, version: "1" } };
  const space = new ResponseSpace();
  const { session, clock, report, received } = await open(space, { as: visitor });
  const keys = ["key2", ...Array.from({ length: 9_999 }, (_, index) => `other${index}`)];
  await session.message(subscribe("a", { deviceIds: [...keysOf.keys()], keys }));
  expect(space.used).toBeLessThan(5_000);
  for (const deviceId of keysOf.keys()) report(deviceId, 1);
  await until(() => {
    clock.advance(50);
    return received().filter(({ type }) => type === "data").length === 2;
  });
  for (const { values: shown } of received().slice(-2)) expect(Object.keys(shown)).toEqual(["key2"]);
});

test("readers who ask for little and read are not disconnected when others with the same link have taken all space", async () => {
  const hub = createHub();
  const space = new ResponseSpace({ all: 4, tenant: 4, user: 1 });
  const slow = await open(space, { hub });
  await slow.session.message(subscribe("a", { deviceIds: deviceIds.slice(0, 10) }));
  const reader = await open(space, { hub });
  await reader.session.message(subscribe("a", { deviceIds: deviceIds.slice(0, 10) }));
  slow.peer.buffered = 725 * 1024;
  slow.session.drain();
  expect(space.used).toBeGreaterThan(1_000_000);
  for (const deviceId of deviceIds.slice(0, 10)) reader.report(deviceId, 1);
  await until(() => {
    reader.clock.advance(50);
    return reader.received().filter(({ type }) => type === "data").length === 10;
  });
  await reader.session.message(JSON.stringify({ type: "ping" }));
  expect(reader.received().at(-1)).toEqual({ type: "pong" });
  expect(reader.peer.closed).toBeUndefined();
});

test("readers with one link share what does not count, and what those keep who do not read counts as a whole", async () => {
  const hub = createHub();
  const space = new ResponseSpace();
  const readers = await Promise.all(Array.from({ length: 20 }, () => open(space, { hub })));
  for (const { session, peer } of readers) {
    await session.message(subscribe("a", { deviceIds: deviceIds.slice(0, 50) }));
    peer.buffered = 0;
    session.drain();
  }
  expect(space.used).toBe(0);
  for (const deviceId of deviceIds.slice(0, 50)) readers[0]?.report(deviceId, 1);
  await until(() => space.used > 0);
  expect(hub.uncounted.of(principal.userId)).toBe(UNCOUNTED_BYTES);
  const [slow] = readers;
  if (slow === undefined) throw new Error("no reader");
  const before = space.used;
  slow.peer.buffered = FULL;
  slow.session.drain();
  expect(space.used - before).toBeGreaterThan(1.3 * FULL);
  for (const { session } of readers) session.close(1000, "");
  expect([space.used, hub.uncounted.of(principal.userId)]).toEqual([0, 0]);
});
