import { expect, test } from "bun:test";
import type { DeviceId, TenantId, UserId } from "../../../src/lib/ids.ts";
import type { DomainEvents } from "../../../src/modules/events.types.ts";
import type { IngestDevice } from "../../../src/modules/ingest/ingest.types.ts";
import { RealtimeHub } from "../../../src/modules/realtime/realtime-hub.ts";
import { type RealtimeDeps, RealtimeSession } from "../../../src/modules/realtime/realtime-session.ts";
import type { Reading } from "../../../src/modules/telemetry/telemetry.types.ts";
import type { Principal } from "../../../src/modules/users/users.types.ts";
import { AnswerSpace } from "../../../src/platform/answer-space.ts";
import { createEventBus } from "../../../src/platform/event-bus.ts";
import { createLogger } from "../../../src/platform/log.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/until.ts";

interface Frame {
  readonly user: string;
  readonly message: {
    readonly type: string;
    readonly id: string;
    readonly ts: number;
    readonly values: object;
  };
}

/** Live sessions of users, named by tenant and user ("A anna"), each of whose messages takes `sendMs` to send. */
function createWorld({ sendMs = 0, buffered = (_: number): number => 0 } = {}) {
  const log = createLogger();
  const events = createEventBus<DomainEvents>(log);
  const hub = new RealtimeHub(events);
  const clock = new FakeClock();
  const frames: Frame[] = [];
  const deps = {
    hub,
    authenticator: {
      authenticate: async (token: string) =>
        ({
          userId: token as UserId,
          tenantId: token.charAt(0) as TenantId,
          devices: "all",
        }) as Principal,
    },
    devices: { ensureAllVisible: (_: Principal, ids: DeviceId[]) => ids },
    activityOf: () => ({ active: true, lastActivityAt: 1 }),
    store: { latest: async () => [] },
    answers: new AnswerSpace(),
    clock,
    log,
  } as unknown as RealtimeDeps; // what a session uses of them
  async function open(user: string, subscriptions: number, keys?: string[]) {
    let sent = 0;
    const session = new RealtimeSession(
      {
        peer: {} as never,
        send(text) {
          const message = JSON.parse(text);
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
    const topics = ["telemetry", "attributes"];
    const deviceIds = [`${user.charAt(0)} pump`];
    for (let index = 0; index < subscriptions; index++)
      void session.message(JSON.stringify({ type: "subscribe", id: `s${index}`, topics, deviceIds, keys }));
    await session.message('{"type":"ping"}');
    clock.advance(50); // the flush that each subscription schedules
  }
  const report = (tenant: string, readings: Reading[]) => {
    hub.onTelemetry({ deviceId: `${tenant} pump`, tenantId: tenant } as IngestDevice, readings);
    clock.advance(50);
  };
  return { frames, events, clock, open, report };
}

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
  clock.advance(50);
  await until(() => frames.length === 40);
  expect(value.serialized).toBe(1);
  expect(frames[0]?.message).toMatchObject({
    type: "data",
    id: "s0",
    topic: "attributes",
    deviceId: "A pump",
  });
});
