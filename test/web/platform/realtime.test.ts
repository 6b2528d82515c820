// The live connection against a real WebSocket server.
import { afterEach, expect, test } from "bun:test";
import type { RealtimeMessage, Refusal } from "../../../src/web/lib/realtime-types.ts";
import { type ConnectionState, RealtimeClient } from "../../../src/web/platform/realtime.ts";
import { until } from "../../support/until.ts";

interface Frame {
  readonly type: string;
  readonly id?: string;
  readonly token?: string;
}

function startServer() {
  const frames: Frame[] = [];
  const sockets = new Set<Bun.ServerWebSocket<unknown>>();
  const server = Bun.serve({
    port: 0,
    fetch: (request, s) => (s.upgrade(request) ? undefined : new Response(null, { status: 400 })),
    websocket: {
      open: (socket) => void sockets.add(socket),
      close: (socket) => void sockets.delete(socket),
      message(socket, text) {
        const frame = JSON.parse(String(text)) as Frame;
        frames.push(frame);
        if (frame.type === "auth" && frame.token === "good") socket.send('{"type":"ready"}');
        else if (frame.type === "auth") socket.close(4401, "unauthorized");
        else if (frame.type === "subscribe") {
          socket.send(JSON.stringify({ type: "snapshot", id: frame.id, telemetry: [], devices: [] }));
        }
      },
    },
  });
  return { server, frames, sockets };
}

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

function connect(token: string) {
  const backend = startServer();
  let refused = 0;
  const refusals: Refusal[] = [];
  const client = new RealtimeClient({
    url: () => `ws://localhost:${backend.server.port}`,
    token: () => token,
    onUnauthorized: () => refused++,
    onRefused: (reason) => refusals.push(reason),
    random: () => 0,
    gapWaitMs: 1,
  });
  cleanups.push(
    () => client.stop(),
    () => backend.server.stop(true),
  );
  client.start();
  return { ...backend, client, refusals, refused: () => refused };
}

function reached(client: RealtimeClient, kind: ConnectionState["kind"]): Promise<void> {
  return new Promise((resolve) => {
    const stop = client.state.subscribe((state) => {
      if (state.kind !== kind) return;
      resolve();
      queueMicrotask(() => stop());
    });
  });
}

test("a subscription made before the sign-in is sent after it and gets its snapshot", async () => {
  const { client, frames } = connect("good");
  const realtimeMessages: RealtimeMessage[] = [];
  client.subscribe({ topics: ["telemetry"], deviceIds: ["d1"] }, (message) => realtimeMessages.push(message));
  await until(() => realtimeMessages.length === 1);
  expect(frames.map((f) => f.type)).toEqual(["auth", "subscribe"]);
  expect(realtimeMessages[0]).toMatchObject({ type: "snapshot" });
});

test("after the line broke, it signs in again and renews what is still wanted, nothing else", async () => {
  const { client, frames, sockets } = connect("good");
  const realtimeMessages: RealtimeMessage[] = [];
  client.subscribe({ topics: ["devices"] }, (message) => realtimeMessages.push(message));
  const end = client.subscribe({ topics: ["events"] }, () => undefined);
  await until(() => realtimeMessages.length === 1);
  end();
  await until(() => frames.some((f) => f.type === "unsubscribe"));
  frames.length = 0;
  const waiting = reached(client, "waiting");
  for (const socket of sockets) socket.close();
  await waiting;
  await reached(client, "ready");
  await until(() => realtimeMessages.length === 2);
  expect(frames.map((f) => f.type)).toEqual(["auth", "subscribe"]);
});

test("data goes to the subscription that it names", async () => {
  const { client, sockets } = connect("good");
  const [first, second]: RealtimeMessage[][] = [[], []];
  client.subscribe({ topics: ["telemetry"] }, (message) => first!.push(message));
  client.subscribe({ topics: ["telemetry"] }, (message) => second!.push(message));
  await until(() => first!.length === 1 && second!.length === 1);
  for (const socket of sockets) {
    socket.send('{"type":"something.new"}');
    socket.send('{"type":"data","id":"s2","topic":"telemetry","deviceId":"d","ts":1,"values":{"a":1}}');
  }
  await until(() => second!.length === 2);
  expect(second![1]).toMatchObject({ deviceId: "d", values: { a: 1 } });
  expect(first!.length).toBe(1);
});

test("a subscription that the server refuses is told to the person", async () => {
  const { client, sockets, refusals } = connect("good");
  const messages: RealtimeMessage[] = [];
  client.subscribe({ topics: ["telemetry"] }, (message) => messages.push(message));
  await until(() => messages.length === 1);
  const refusal = { code: "realtime.too_many_keys", params: { max: 10 }, message: "too many" };
  for (const socket of sockets) socket.send(JSON.stringify({ type: "error", id: "s1", ...refusal }));
  await until(() => refusals.length === 1);
  expect(refusals[0]).toMatchObject(refusal);
  expect(messages.length).toBe(1);
});

test("a refused token ends the attempts and asks for sign-in", async () => {
  const { client, refused, frames } = connect("bad");
  await until(() => refused() === 1);
  expect(client.state.value.kind).toBe("idle");
  expect(frames.map((f) => f.type)).toEqual(["auth"]);
});

test("after events were left out, subscriptions to events are renewed and get a snapshot, those to values are not", async () => {
  const { client, frames, sockets } = connect("good");
  const seen: RealtimeMessage[] = [];
  client.subscribe({ topics: ["telemetry"], deviceIds: ["d1"] }, () => undefined);
  client.subscribe({ topics: ["devices", "telemetry"] }, (message) => seen.push(message));
  await until(() => seen.length === 1);
  for (const socket of sockets)
    for (let count = 0; count < 2; count++) socket.send('{"type":"gap","dropped":3}');
  await until(() => seen.length >= 2);
  expect(seen.at(-1)).toMatchObject({ type: "snapshot" });
  const subscribed = frames.filter(({ type }) => type === "subscribe").map(({ id }) => id);
  expect(new Set(subscribed.slice(2))).toEqual(new Set([subscribed[1]]));
});

test("on a line that stays slow, each fetch of what was left out waits twice as long", async () => {
  const { client, frames, sockets } = connect("good");
  client.subscribe({ topics: ["devices"] }, () => undefined);
  const renewals = () => frames.filter(({ type }) => type === "subscribe").length - 1;
  await until(() => renewals() === 0);
  for (let round = 1; round <= 6; round++) {
    const before = performance.now();
    for (const socket of sockets) socket.send('{"type":"gap","dropped":1}');
    await until(() => renewals() === round);
    // The first wait is a millisecond.
    expect(performance.now() - before).toBeGreaterThanOrEqual(2 ** (round - 1) - 1);
  }
});
