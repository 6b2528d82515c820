import { expect, test } from "bun:test";
import { generate, type Packet } from "mqtt-packet";
import { until } from "../support/until.ts";
import { connectPacket, RawClient } from "./raw-client.ts";
import { serverPerTest } from "./running.ts";
import { serveWebSocket } from "./websocket.ts";

const start = serverPerTest();
const bytesOf = (packet: Packet) => Uint8Array.from(generate(packet));
const message = (no: number, bytes: number) =>
  bytesOf({
    cmd: "publish",
    topic: "v1/devices/me/telemetry",
    payload: JSON.stringify({ no, text: "x".repeat(bytes) }),
    qos: 1,
    messageId: no,
    retain: false,
    dup: false,
  });

/** A WebSocket client that is signed in. */
async function openWebSocket(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/mqtt`, "mqtt");
  socket.binaryType = "arraybuffer";
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
  const signedIn = new Promise((resolve) => socket.addEventListener("message", resolve, { once: true }));
  socket.send(bytesOf(connectPacket(4, { username: "token" })));
  await signedIn;
  return socket;
}

test("what a WebSocket client sends while commits are pending is kept, in order", async () => {
  const { server, ingest } = await start({ limits: { inFlightMax: 10 } });
  const http = serveWebSocket(server);
  const socket = await openWebSocket(http.port ?? 0);
  ingest.held = true;
  for (let no = 1; no <= 500; no++) socket.send(message(no, 1_000));
  await until(() => ingest.taken.length === 10, "the first messages");
  ingest.held = false;
  ingest.commit();
  await until(() => ingest.taken.length === 500, "all messages");
  expect(ingest.taken.map(({ body }) => JSON.parse(body).no)).toEqual(
    Array.from({ length: 500 }, (_, index) => index + 1),
  );
  socket.close();
  await http.stop(true);
});

test("a WebSocket client that goes on sending while commits are pending is cut off", async () => {
  const { server, ingest } = await start({ limits: { inFlightMax: 10 } });
  const http = serveWebSocket(server);
  const socket = await openWebSocket(http.port ?? 0);
  let closed = false;
  socket.addEventListener("close", () => {
    closed = true;
  });
  ingest.held = true;
  for (let no = 1; no <= 200; no++) socket.send(message(no, 50_000));
  await until(() => closed, "the end of the connection");
  expect(ingest.taken.length).toBe(10);
  await http.stop(true);
});

test("a client keeps a thousand subscriptions, and is refused more", async () => {
  const { port } = await start();
  const client = await RawClient.connect(port, 5, { username: "token" });
  const subscribe = async (messageId: number, first: number, count: number) => {
    const subscriptions = Array.from({ length: count }, (_, index) => ({
      topic: `v1/devices/me/rpc/request/${first + index}`,
      qos: 0 as const,
    }));
    client.send({ cmd: "subscribe", messageId, subscriptions } as Packet);
    return ((await client.next("suback")) as unknown as { granted: number[] }).granted;
  };
  expect(new Set(await subscribe(1, 0, 999))).toEqual(new Set([0]));
  expect(await subscribe(2, 999, 3)).toEqual([0, 0x97, 0x97]);
  expect(await subscribe(3, 0, 2)).toEqual([0, 0]); // those it has may be renewed
  client.send({
    cmd: "unsubscribe",
    messageId: 4,
    unsubscriptions: ["v1/devices/me/rpc/request/7"],
  } as Packet);
  await client.next("unsuback");
  expect(await subscribe(5, 2_000, 2)).toEqual([0, 0x97]);
  client.drop();
});
