import { expect, test } from "bun:test";
import { connect, createServer, type Socket } from "node:net";
import { checkTarget } from "../../../src/modules/uplinks/target-settings.ts";
import { createTarget } from "../../../src/modules/uplinks/targets/targets.ts";
import { LimitedRelay } from "../../../src/platform/network/limited-relay.ts";
import { contextOf, failureOf } from "../../support/uplink-batches.ts";

/** Answers that are short enough, and take much work or memory. */

async function serve(response: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    response(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Returns why the test of a target has failed. */
async function refusalBy(settings: Record<string, unknown>): Promise<string> {
  const target = await createTarget(checkTarget(settings), contextOf());
  const { message } = await failureOf(target.check(AbortSignal.timeout(5_000)));
  await target.close();
  return message;
}

test("a NATS server that has page after page to say of a stream is left", async () => {
  let requests = 0;
  const info = { server_id: "x", version: "2.10.0", max_payload: 1_048_576, headers: true, jetstream: true };
  const page = JSON.stringify({
    state: { subjects: { a: 1 } },
    config: {},
    total: 1e15,
    limit: 1,
    offset: 0,
  });
  const server = await serve((socket) => {
    socket.write(`INFO ${JSON.stringify({ ...info, proto: 1 })}\r\n`);
    socket.on("data", (received) => {
      const text = received.toString();
      if (text.includes("PING")) socket.write("PONG\r\n");
      for (const [, inbox] of text.matchAll(/PUB \S+ (\S+) /g)) {
        requests++;
        socket.write(`MSG ${inbox} 1 ${page.length}\r\n${page}\r\n`);
      }
    });
  });
  expect(await refusalBy({ type: "NATS", servers: [`127.0.0.1:${server.port}`] })).toContain("too long");
  expect(requests).toBe(1);
  server.stop();
});

test("a client behind a relay is given small parts, with other work in between", async () => {
  const BYTES = 512 * 1024;
  const server = await serve((socket) => socket.end(Buffer.alloc(BYTES, "PING\r\n")));
  const { host, port } = await LimitedRelay.open({
    ...{ host: "127.0.0.1", port: server.port, timeoutMs: 5_000, bytesPerSent: 1 },
    signal: AbortSignal.timeout(20_000),
  });
  const client = connect({ host, port });
  const parts: number[] = [];
  client.on("data", (part) => parts.push(part.length));
  await new Promise((resolve) => client.on("close", resolve));
  server.stop();
  expect(parts.reduce((sum, length) => sum + length, 0)).toBe(BYTES);
  expect(Math.max(...parts)).toBeLessThan(32 * 1024);
});

const [KAFKA_METADATA, KAFKA_VERSIONS] = [3, 18];
const NOTHING = Buffer.from([0]);
const int16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const int32 = (value: number) => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value]);

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; ; left >>>= 7) {
    if (left < 128) return Buffer.from([...bytes, left]);
    bytes.push((left & 127) | 128);
  }
}

const list = (items: readonly Buffer[]) => Buffer.concat([varint(items.length + 1), ...items]);
const text = (value: string) => Buffer.concat([varint(value.length + 1), Buffer.from(value)]);

/** A partition without replicas, with an error. */
const partition = (error: number) =>
  Buffer.concat([int16(error), int32(0), int32(1), int32(0), Buffer.from([1, 1, 1, 0])]);

function kafkaMetadata(port: number, partitions: readonly Buffer[]): Buffer {
  const broker = Buffer.concat([int32(1), text("127.0.0.1"), int32(port), NOTHING, NOTHING]);
  const name = text("lineside.telemetry");
  const topic = [int16(0), name, Buffer.alloc(17), list(partitions), int32(0), NOTHING];
  const topics = list([Buffer.concat(topic)]);
  return Buffer.concat([NOTHING, int32(0), list([broker]), NOTHING, int32(1), topics, NOTHING]);
}

test.each([
  ["errors", 5, 20_000],
  ["partitions", 0, 100_000],
])("a Kafka broker whose answer has very many %s is left", async (_, error, count) => {
  let requests = 0;
  const partitions = Array.from({ length: count }, () => partition(error));
  const apis = [KAFKA_METADATA, 12, KAFKA_VERSIONS, 3];
  const api = (index: number) =>
    Buffer.concat([int16(apis[index] ?? 0), int16(0), int16(apis[index + 1] ?? 0), NOTHING]);
  const versions = Buffer.concat([int16(0), list([api(0), api(2)]), int32(0), NOTHING]);
  const server = await serve((socket) =>
    socket.on("data", (request: Buffer) => {
      const isMetadata = request.readInt16BE(4) === KAFKA_METADATA;
      if (isMetadata) requests++;
      const body = isMetadata ? kafkaMetadata(server.port, partitions) : versions;
      socket.write(Buffer.concat([int32(body.length + 4), request.subarray(8, 12), body]));
    }),
  );
  const settings = { type: "KAFKA", brokers: [`127.0.0.1:${server.port}`], eventTopic: null };
  expect(await refusalBy(settings)).toContain("too long");
  expect(requests).toBe(1);
  server.stop();
});

const pgMessage = (type: string, ...parts: readonly Buffer[]) => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
};
const JSON_TYPE = 114;
const pgColumn = (name: string) =>
  Buffer.concat([
    Buffer.from(`${name}\0`),
    Buffer.alloc(6),
    int32(JSON_TYPE),
    int16(-1),
    int32(-1),
    int16(0),
  ]);
const pgReady = pgMessage("Z", Buffer.from("I"));

/** A PostgreSQL server that signs everybody in and answers each query with the rows. */
const servePostgres = (rows: readonly string[], onQuery: () => void) =>
  serve((socket) => {
    let isSignedIn = false;
    socket.on("data", (received) => {
      if (!isSignedIn) {
        isSignedIn = true;
        socket.write(Buffer.concat([pgMessage("R", int32(0)), pgReady]));
        return;
      }
      if (received[0] === "P".charCodeAt(0)) {
        const [parameters, columns] = [
          pgMessage("t", int16(0)),
          pgMessage("T", int16(1), pgColumn("relname")),
        ];
        socket.write(Buffer.concat([pgMessage("1"), parameters, columns, pgReady]));
        return;
      }
      onQuery();
      const data = rows.map((row) => pgMessage("D", int16(1), int32(row.length), Buffer.from(row)));
      const end = pgMessage("C", Buffer.from("SELECT 1\0"));
      socket.write(Buffer.concat([pgMessage("2"), ...data, end, pgReady]));
    });
  });

test.each([
  ["a response of very many objects", [`[${"{},".repeat(100_000)}{}]`], 1],
  ["columns that are no names", Array.from({ length: 500 }, () => "[]"), 2],
])("a PostgreSQL server with %s is left", async (_, rows, queriesExpected) => {
  let queries = 0;
  const { port, stop } = await servePostgres(rows, () => queries++);
  const settings = { type: "POSTGRESQL", host: "127.0.0.1", port, database: "d", user: "u", password: "p" };
  expect(await refusalBy(settings)).toContain("too long");
  expect(queries).toBe(queriesExpected);
  stop();
});
