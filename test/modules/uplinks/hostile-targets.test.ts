import { expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { checkTarget } from "../../../src/modules/uplinks/target-settings.ts";
import { createTarget } from "../../../src/modules/uplinks/targets/targets.ts";

const CHUNK = Buffer.alloc(1024 * 1024, "A");

/** Sends without end, at the pace of the reader. Returns the bytes that were handed over. */
async function bytesTaken(
  head: string | Buffer,
  target: (port: number) => Record<string, unknown>,
): Promise<number> {
  let bytes = 0;
  const flood = (socket: Socket) => {
    while (!socket.destroyed && socket.write(CHUNK)) bytes += CHUNK.length;
    socket.once("drain", () => flood(socket));
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.write(head);
      flood(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const context = {
    uplinkId: "u",
    authorities: undefined,
    resolve: async () => ["127.0.0.1"],
    now: Date.now,
  };
  const client = await createTarget(checkTarget(target(port)), context);
  const failure = await client.check(AbortSignal.timeout(1_500)).then(
    () => undefined,
    (error: unknown) => error,
  );
  await client.close();
  for (const socket of sockets) socket.destroy();
  server.close();
  expect(failure).toBeInstanceOf(Error);
  return bytes;
}

test("a Kafka broker whose answer is too long is left", async () => {
  const head = Buffer.from([0x7f, 0xff, 0xff, 0xff]);
  const bytes = await bytesTaken(head, (port) => ({ type: "KAFKA", brokers: [`127.0.0.1:${port}`] }));
  expect(bytes).toBeLessThan(200 * 1024 * 1024);
});

test("a bucket server whose answer is too long is left", async () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n";
  const place = { kind: "S3", bucket: "b", accessKeyId: "a", secretAccessKey: "s" };
  const bytes = await bytesTaken(head, (port) => ({
    type: "PARQUET",
    place: { ...place, endpoint: `http://127.0.0.1:${port}` },
  }));
  expect(bytes).toBeLessThan(200 * 1024 * 1024);
});
