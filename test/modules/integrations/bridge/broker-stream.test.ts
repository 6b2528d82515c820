import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { BrokerStream, REPLY_BYTES_MAX } from "../../../../src/platform/broker/broker-stream.ts";
import { until } from "../../../support/until.ts";

const SENT_BYTES = 64 * 1024 * 1024;

test("a broker that does not read the replies is not read, until it does", async () => {
  const peer = Promise.withResolvers<Socket>();
  const server = createServer((socket) => {
    socket.pause();
    socket.on("error", () => undefined);
    peer.resolve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  let received = 0;
  let largest = 0;
  const stream: BrokerStream = new BrokerStream({
    settings: { brokerUrl: `mqtt://broker.example:${port}` },
    addresses: { resolve: async () => ["127.0.0.1"] },
    receive(chunk) {
      received += chunk.length;
      largest = Math.max(largest, chunk.length);
      stream.reply(chunk);
      return true;
    },
  });
  const socket = await peer.promise;
  socket.write(Buffer.alloc(SENT_BYTES));
  await until(() => stream.isHeldBack);
  expect(stream.writableLength).toBeLessThan(REPLY_BYTES_MAX + 2 * largest);
  expect(received).toBeLessThan(SENT_BYTES);
  let read = 0;
  socket.on("data", (chunk) => {
    read += chunk.length;
  });
  socket.resume();
  await until(() => read === SENT_BYTES);
  expect(stream.isHeldBack).toBe(false);
  stream.destroy();
  server.close();
});

/** A stream to a server that begins to send once the client has said hello. */
async function connected(scheme: string, greet: (socket: Socket, hello: string) => void) {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (hello) => greet(socket, hello.toString("latin1")));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const received: number[] = [];
  const stream: BrokerStream = new BrokerStream({
    settings: { brokerUrl: `${scheme}://broker.example:${port}` },
    addresses: { resolve: async () => ["127.0.0.1"] },
    receive(chunk) {
      received.push(chunk.length);
      stream.push(chunk);
      return true;
    },
  });
  stream.write("hello");
  const stop = () => {
    stream.destroy();
    server.close();
  };
  return { stream, received, stop };
}

/** Answers the request for a WebSocket, and sends frames. */
const upgraded = (frames: Buffer) => (socket: Socket, hello: string) => {
  const key = /Sec-WebSocket-Key: (\S+)/.exec(hello)?.[1] ?? "";
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  socket.end(
    Buffer.concat([Buffer.from(`HTTP/1.1 101 Switching\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`), frames]),
  );
};

test("others have their turn between many small frames, which are all read although the broker hangs up", async () => {
  const frames = Buffer.alloc(6_400 * 3, Buffer.from([0x82, 1, 0]));
  const { stream, received, stop } = await connected("ws", upgraded(frames));
  let turns = 0;
  const turn = () => {
    turns++;
    if (!stream.closed) setImmediate(turn);
  };
  stream.once("readable", turn);
  stream.resume();
  await until(() => stream.closed);
  expect(received.reduce((sum, bytes) => sum + bytes, 0)).toBe(6_400);
  expect(Math.max(...received)).toBe(64);
  expect(turns).toBeGreaterThan(50);
  stop();
});

test("a broker is not read while mqtt.js has not read what it sent, and it goes on afterwards", async () => {
  const { stream, received, stop } = await connected("mqtt", (socket) =>
    socket.end(Buffer.alloc(SENT_BYTES)),
  );
  await until(() => stream.isHeldBack);
  const sum = () => received.reduce((total, bytes) => total + bytes, 0);
  expect(sum()).toBeLessThan(SENT_BYTES);
  stream.resume();
  await until(() => stream.closed);
  expect(sum()).toBe(SENT_BYTES);
  stop();
});
