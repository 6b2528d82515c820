import { expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import type { DeviceId, TenantId } from "../../../src/lib/core/ids.ts";
import type { MqttApplication, StateReceiver } from "../../../src/mqtt/mqtt.types.ts";
import { ApplicationFeed } from "../../../src/mqtt/topics/application-feed.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { systemClock } from "../../../src/platform/time/clock.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/until.ts";
import { startMqtt } from "../mqtt-fixture.ts";

// The newest values of a device may be 20 MB: they are read for those who can take them, and not for many subscriptions at once.

const MIB = 1024 * 1024;
/** Delay after which the feed looks again whether a client is ready. */
const WAIT_MS = 50;

const applicationOf = (tenantId: string): MqttApplication => ({
  applicationId: "program",
  tenantId: tenantId as TenantId,
  revoked: false,
  caller: { tenantId, devices: "all" } as never, // what the feed uses of it
  maySubscribe: () => true,
  mayPublish: () => false,
});

/** A client that takes one message at a time. */
class SlowReceiver implements StateReceiver {
  readiness: StateReceiver["readiness"] = "ready";
  readonly sent: string[] = [];

  send(topic: string): void {
    this.sent.push(topic);
    this.readiness = "later";
  }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

function createFeed(bytes: number) {
  const clock = new FakeClock();
  const reads = { running: 0, max: 0, total: 0 };
  const feed = new ApplicationFeed({
    devices: { get: (_: unknown, deviceId: DeviceId) => ({ deviceId, activity: {} }) },
    store: {
      async latestJson(ids: readonly DeviceId[]) {
        reads.total++;
        reads.max = Math.max(reads.max, ++reads.running);
        await nextTurn();
        reads.running--;
        const latest = { values: `{"k":"${"x".repeat(bytes)}"}`, timestamps: '{"k":1}', ts: 1 };
        return new Map(ids.map((deviceId) => [deviceId, latest]));
      },
    },
    openAlarms: () => [],
    activityOf: () => undefined,
    clock,
    log: createLogger(),
  } as never); // what the feed uses of them
  const ask = (receiver: StateReceiver, tenantId = "tenant") =>
    feed.onSubscribed(applicationOf(tenantId), "lineside/devices/one/telemetry", receiver);
  return { ask, reads, clock };
}

test("a message of many readings is published in turns, before later ones of its device", async () => {
  const published: number[] = [];
  const applications = {
    idle: false,
    async publishToSubscribers(_: unknown, __: string, payload: () => Uint8Array) {
      published.push(JSON.parse(Buffer.from(payload()).toString()).ts);
      Bun.sleepSync(1); // many subscribers
    },
  };
  const feed = new ApplicationFeed({
    ...{ mqtt: { applications }, clock: systemClock, log: createLogger() },
  } as never); // what the feed uses of them
  const device = { tenantId: "tenant", deviceId: "one" } as never;
  const readings = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({ ts: from + index, values: { a: 1 } }));
  const written = [feed.onTelemetry(device, readings(0, 50)), feed.onTelemetry(device, readings(50, 1))];
  await nextTurn();
  expect(published.length).toBeLessThan(50);
  await Promise.all(written);
  expect(published).toEqual(Array.from({ length: 51 }, (_, index) => index));
  expect(feed.onTelemetry(device, readings(51, 1))).toBeUndefined();
  expect(published).toHaveLength(52);
});

test("newest values are read for one subscription of a tenant at a time", async () => {
  const { ask, reads } = createFeed(10);
  const receivers = Array.from({ length: 20 }, () => new SlowReceiver());
  await Promise.all(receivers.map((receiver) => ask(receiver)));
  expect(receivers.map(({ sent }) => sent.length)).toEqual(Array(20).fill(1));
  expect(reads).toMatchObject({ max: 1, total: 20 });
});

test("nothing is read for a client that cannot take it", async () => {
  const { ask, reads, clock } = createFeed(10);
  const receiver = new SlowReceiver();
  receiver.readiness = "later";
  const asked = ask(receiver);
  for (let wait = 0; wait < 3; wait++) {
    clock.advance(WAIT_MS);
    await nextTurn();
  }
  expect(reads.total).toBe(0);
  receiver.readiness = "ready";
  clock.advance(WAIT_MS);
  await asked;
  expect(receiver.sent).toHaveLength(1);
});

test("long values wait until clients have taken others, but not those of another tenant", async () => {
  const { ask, reads, clock } = createFeed(16 * MIB);
  const receivers = Array.from({ length: 6 }, () => new SlowReceiver());
  const asked = Promise.all(receivers.map((receiver) => ask(receiver)));
  const served = () => receivers.filter(({ sent }) => sent.length > 0);
  await until(() => reads.total === 6 && reads.running === 0);
  for (let wait = 0; wait < 3; wait++) {
    clock.advance(WAIT_MS);
    await nextTurn();
  }
  expect(served().length).toBeWithin(1, 3);
  const other = new SlowReceiver();
  await ask(other, "neighbor");
  expect(other.sent).toHaveLength(1);
  for (let round = 0; round < 6; round++) {
    for (const receiver of served()) receiver.readiness = "ready";
    await until(() => {
      clock.advance(WAIT_MS);
      return served().length > round;
    });
  }
  await asked;
  expect(served()).toHaveLength(6);
});

test("a client that subscribes again and again gets one current state at a time", async () => {
  let greetings = 0;
  const greeted = Promise.withResolvers<void>();
  const mqtt = await startMqtt({
    authenticate: () => ({ ok: true, application: applicationOf("tenant") }),
    onApplicationSubscribed() {
      greetings++;
      return greeted.promise;
    },
  });
  const client = await connectAsync(`mqtt://127.0.0.1:${mqtt.port}`, { username: "a", reconnectPeriod: 0 });
  for (let index = 0; index < 50; index++) await client.subscribeAsync("lineside/devices/+/state");
  expect(greetings).toBe(1);
  greeted.resolve();
  await until(() => greetings === 2);
  await client.endAsync(true);
  await mqtt.stop();
});
