import { expect, test } from "bun:test";
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
