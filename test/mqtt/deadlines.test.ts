import { describe, expect, test } from "bun:test";
import { until } from "../support/until.ts";
import { ManualClock } from "./mqtt-fixture.ts";
import { connectPacket, RawClient } from "./raw-client.ts";
import { serverPerTest } from "./running.ts";

const start = serverPerTest();
const startManual = async () => {
  const clock = new ManualClock();
  return { clock, ...(await start({ clock })) };
};
/** Time passes in steps that leave the server's sockets their turn. */
const pass = async (clock: ManualClock, ms: number) => {
  for (let passed = 0; passed < ms; passed += 250) {
    clock.advance(250);
    await Bun.sleep(0);
  }
};

describe.each([4, 5] as const)("MQTT version %d", (version) => {
  test("a client that is silent for one and a half keep-alives is cut off, and not before", async () => {
    const { clock, port } = await startManual();
    const client = await RawClient.connect(port, version, { keepalive: 10 });
    client.bytes.length = 0;
    await pass(clock, 14_500);
    await client.ping();
    await pass(clock, 14_500);
    expect(client.closed).toBe(false);
    client.bytes.length = 0;
    await pass(clock, 1_500);
    await client.end();
    expect(client.received).toBe(version === 5 ? "e0018d" : "");
  });

  test("without keep-alive a client may be silent", async () => {
    const { clock, port } = await startManual();
    const client = await RawClient.connect(port, version, { keepalive: 0 });
    await pass(clock, 100_000);
    await client.ping();
  });

  test("a stalled process does not expire its clients", async () => {
    const { clock, port } = await startManual();
    const client = await RawClient.connect(port, version, { keepalive: 1 });
    clock.jump(60_000);
    clock.advance(250);
    await client.ping();
  });
});

test("a socket that does not sign in is closed in time", async () => {
  const { clock, port, server } = await startManual();
  const silent = await RawClient.open(port);
  const slow = await RawClient.open(port);
  slow.hex("10");
  await until(() => server.stats().sockets === 2, "both sockets");
  await pass(clock, 4_500);
  expect(silent.closed).toBe(false);
  await pass(clock, 750);
  await silent.end();
  await slow.end();
  expect(server.stats().refusedConnections).toBe(2);
});

test("a session ends when its time is over", async () => {
  const { clock, port, events } = await startManual();
  const lasting = { clean: false, properties: { sessionExpiryInterval: 60 } };
  const present = async () => {
    const client = await RawClient.open(port, 5);
    client.send(connectPacket(5, lasting));
    const { sessionPresent } = await client.next("connack");
    const count = events.length;
    client.drop();
    await until(() => events.length === count + 1, "the disconnect");
    return sessionPresent;
  };
  expect(await present()).toBe(false);
  await pass(clock, 59_000);
  expect(await present()).toBe(true);
  await pass(clock, 61_000);
  expect(await present()).toBe(false);
});
