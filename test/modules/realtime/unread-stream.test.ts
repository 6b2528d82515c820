import { expect, test } from "bun:test";
import type { DeviceId, TenantId, UserId } from "../../../src/lib/ids.ts";
import type { DomainEvents } from "../../../src/modules/events.types.ts";
import type { IngestDevice } from "../../../src/modules/ingest/ingest.types.ts";
import { RealtimeHub } from "../../../src/modules/realtime/realtime-hub.ts";
import { type RealtimeDeps, RealtimeSession } from "../../../src/modules/realtime/realtime-session.ts";
import type { Principal } from "../../../src/modules/users/users.types.ts";
import { AnswerSpace } from "../../../src/platform/answer-space.ts";
import { createEventBus } from "../../../src/platform/event-bus.ts";
import { createLogger } from "../../../src/platform/log.ts";
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

/** A session whose peer has `buffered` bytes still to read. */
async function open(space = new AnswerSpace()) {
  const log = createLogger();
  const hub = new RealtimeHub(createEventBus<DomainEvents>(log));
  const peer = { buffered: 0, sent: [] as string[], closed: undefined as number | undefined, reads: 0 };
  const deps = {
    hub,
    authenticator: { authenticate: async () => principal },
    devices: { listVisibleIds: () => deviceIds, ensureAllVisible: () => deviceIds },
    activityOf: () => ({ active: true, lastActivityAt: 1 }),
    store: {
      latest: async (ids: DeviceId[]) => {
        peer.reads++;
        return ids.map((deviceId) => ({ deviceId, values, timestamps: values, ts: 1 }));
      },
    },
    answers: space,
    clock: new FakeClock(),
    log,
  } as unknown as RealtimeDeps; // what a session uses of them
  const session = new RealtimeSession(
    {
      peer: {} as never,
      send: (text) => {
        peer.sent.push(text);
        if (text.includes("snapshot")) peer.buffered += text.length;
      },
      bufferedBytes: () => peer.buffered,
      close: (code) => {
        peer.closed = code;
      },
    },
    deps,
  );
  await session.message(JSON.stringify({ type: "auth", token: "t" }));
  return { session, hub, peer };
}

const subscribe = (id: string) => JSON.stringify({ type: "subscribe", id, topics: ["telemetry"] });

test("a reader who does not read gets no more of a snapshot, and nothing is read for the reader", async () => {
  const { session, peer } = await open();
  const done = Promise.all(["a", "b", "c"].map((id) => session.message(subscribe(id))));
  await until(() => peer.buffered > 256 * 1024);
  const before = { ...peer };
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect([peer.buffered, peer.reads - before.reads <= 2]).toEqual([before.buffered, true]);
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

test("what waits for a reader counts as bytes in flight, and a reader who leaves no room is disconnected", async () => {
  const space = new AnswerSpace({ all: 4, tenant: 4, user: 1 });
  const { session, hub, peer } = await open(space);
  peer.buffered = 1e9;
  void session.message(subscribe("a"));
  await until(() => session.subscriptions.size === 1);
  const report = (deviceId: DeviceId, ts: number) =>
    hub.onTelemetry({ deviceId, tenantId: principal.tenantId } as IngestDevice, [{ ts, values }]);
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
  const { session, peer } = await open();
  peer.buffered = 1e9;
  const frame = JSON.stringify({ type: "unsubscribe", id: "x".repeat(64), pad: "y".repeat(900_000) });
  void session.message(subscribe("a"));
  for (let count = 0; count < 5; count++) void session.message(frame);
  expect(peer.closed).toBe(4429);
});
