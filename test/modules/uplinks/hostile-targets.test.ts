import { expect, test } from "bun:test";
import { connect, createServer, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { checkTarget } from "../../../src/modules/uplinks/target-settings.ts";
import { createTarget } from "../../../src/modules/uplinks/targets/targets.ts";
import { LimitedRelay } from "../../../src/platform/network/limited-relay.ts";
import { createAuthority, createServerCertificate } from "../../../src/platform/network/tls-certificates.ts";
import { batchOf, deviceOf, rowsOf } from "../../support/uplink-batches.ts";

const addressContext = {
  uplinkId: "u",
  authorities: undefined,
  resolve: async () => ["127.0.0.1"],
  now: Date.now,
};

const CHUNK = Buffer.alloc(1024 * 1024, "A");

/** First answer of a server, after which it sends without end; undefined while it waits for more from the client. */
type Greeting = (received: string, socket: Socket) => string | Buffer | undefined;

/** Sends without end after the greeting, at the pace of the reader. Returns the bytes that were handed over. */
async function bytesTaken(
  greeting: Greeting,
  target: (port: number) => Record<string, unknown>,
  first = "",
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
    socket.write(first);
    const take = (chunk: Buffer) => {
      const head = greeting(chunk.toString("latin1"), socket);
      if (head === undefined) return;
      socket.off("data", take);
      socket.on("data", () => undefined);
      socket.write(head);
      flood(socket);
    };
    socket.on("data", take);
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
  const bytes = await bytesTaken(
    () => head,
    (port) => ({ type: "KAFKA", brokers: [`127.0.0.1:${port}`] }),
  );
  expect(bytes).toBeLessThan(200 * 1024 * 1024);
});

test("a bucket server whose answer is too long is left", async () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n";
  const place = { kind: "S3", bucket: "b", accessKeyId: "a", secretAccessKey: "s" };
  const bytes = await bytesTaken(
    () => head,
    (port) => ({
      type: "PARQUET",
      place: { ...place, endpoint: `http://127.0.0.1:${port}` },
    }),
  );
  expect(bytes).toBeLessThan(200 * 1024 * 1024);
});

test("a bucket server whose list never ends is left", async () => {
  let pages = 0;
  const names = `<Contents><Key>_staging/u/telemetry/${"n".repeat(900)}</Key></Contents>`.repeat(1_000);
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch() {
      pages++;
      return new Response(
        `<ListBucketResult>${names}<IsTruncated>true</IsTruncated><NextContinuationToken>${pages}</NextContinuationToken></ListBucketResult>`,
      );
    },
  });
  const place = { kind: "S3", bucket: "b", accessKeyId: "a", secretAccessKey: "s" };
  const settings = checkTarget({ type: "PARQUET", place: { ...place, endpoint: server.url.origin } });
  const target = await createTarget(settings, { ...addressContext });
  const rows = rowsOf(deviceOf(), [Date.now()], { a: [1] });
  const failure = await target.send(batchOf("1", rows), AbortSignal.timeout(20_000)).then(
    () => undefined,
    (error: unknown) => error,
  );
  await target.close();
  await server.stop(true);
  expect(String(failure)).toContain("too long");
  expect(pages).toBeLessThan(60);
});

const pgMessage = (type: string, body: Buffer) => {
  const head = Buffer.alloc(5);
  head.write(type, 0, "latin1");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

test("a PostgreSQL server whose row is too long is left", async () => {
  const ready = Buffer.concat([
    pgMessage("R", Buffer.alloc(4)),
    pgMessage("S", Buffer.from("server_version\x0016.0\0")),
    pgMessage("Z", Buffer.from("I")),
  ]);
  const column = Buffer.concat([
    Buffer.from("\x00\x01a\0", "latin1"),
    Buffer.alloc(6),
    Buffer.from([0, 0, 0, 25, 255, 255, 255, 255, 255, 255, 0, 0]),
  ]);
  const row = Buffer.alloc(11);
  row.write("D", 0, "latin1");
  row.writeInt32BE(1_900_000_010, 1);
  row.writeInt16BE(1, 5);
  row.writeInt32BE(1_900_000_000, 7);
  const response = Buffer.concat([
    pgMessage("1", Buffer.alloc(0)),
    pgMessage("2", Buffer.alloc(0)),
    pgMessage("T", column),
    row,
  ]);
  let isStarted = false;
  const bytes = await bytesTaken(
    (_, socket) => {
      if (isStarted) return response;
      isStarted = true;
      socket.write(ready);
      return undefined;
    },
    (port) => ({ type: "POSTGRESQL", host: "127.0.0.1", port, database: "d", user: "u", password: "p" }),
  );
  expect(isStarted).toBe(true);
  expect(bytes).toBeGreaterThan(1024 * 1024);
  expect(bytes).toBeLessThan(64 * 1024 * 1024);
});

test("a NATS server whose message is too long is left", async () => {
  let subscription = "";
  const bytes = await bytesTaken(
    (received, socket) => {
      if (received.includes("PING")) socket.write("PONG\r\n");
      subscription ||= /SUB (\S+)\s+(?:\S+\s+)?\d+\r\n/.exec(received)?.[1] ?? "";
      const inbox = /PUB \S+ (\S+) /.exec(received)?.[1];
      return inbox === undefined ? undefined : `MSG ${inbox} 1 900000000\r\n`;
    },
    (port) => ({ type: "NATS", servers: [`127.0.0.1:${port}`] }),
    `INFO {"server_id":"x","version":"2.10.0","max_payload":1048576,"proto":1,"headers":true,"jetstream":true}\r\n`,
  );
  expect(subscription).not.toBe("");
  expect(bytes).toBeGreaterThan(1024 * 1024);
  expect(bytes).toBeLessThan(64 * 1024 * 1024);
});

const redirected: Record<string, (url: string) => Record<string, unknown>> = {
  HTTP: (url) => ({ type: "HTTP", url, token: "sesame" }),
  InfluxDB: (url) => ({ type: "INFLUXDB", api: "V1", url, database: "d", user: "u", password: "sesame" }),
  S3: (endpoint) => ({
    type: "PARQUET",
    place: { kind: "S3", endpoint, bucket: "b", accessKeyId: "a", secretAccessKey: "sesame" },
  }),
};
for (const [name, settings] of Object.entries(redirected))
  test.each([301, 302, 303, 307, 308])(
    `${name} with the status %d is not followed elsewhere`,
    async (status) => {
      let [asked, elsewhere] = [0, 0];
      const other = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch() {
          elsewhere++;
          return new Response(null, { status: 204 });
        },
      });
      const server = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch() {
          asked++;
          return new Response(null, { status, headers: { Location: `http://127.0.0.1:${other.port}/` } });
        },
      });
      const client = await createTarget(
        checkTarget(settings(`http://127.0.0.1:${server.port}/`)),
        addressContext,
      );
      await expect(client.check(AbortSignal.timeout(5_000))).rejects.toBeInstanceOf(Error);
      await client.close();
      await Promise.all([server.stop(true), other.stop(true)]);
      expect(asked).toBeGreaterThan(0);
      expect(elsewhere).toBe(0);
    },
  );

test("a NATS server that names other servers does not lead there", async () => {
  let elsewhere = 0;
  const other = createServer((socket) => {
    elsewhere++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const named = `127.0.0.1:${(other.address() as { port: number }).port}`;
  const info = {
    server_id: "s",
    version: "2.10.0",
    headers: true,
    max_payload: 1_000_000,
    connect_urls: [named],
  };
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
    // Once the client has said hello it is sent away.
    socket.on("data", (data) => {
      if (data.toString().includes("PING")) {
        socket.write(`PONG\r\nINFO ${JSON.stringify({ ...info, ldm: true })}\r\n`);
        socket.end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const client = await createTarget(
    checkTarget({ type: "NATS", servers: [`127.0.0.1:${port}`] }),
    addressContext,
  );
  await expect(client.check(AbortSignal.timeout(3_000))).rejects.toBeInstanceOf(Error);
  await client.close();
  server.close();
  other.close();
  expect(elsewhere).toBe(0);
});

/** Answers of a Kafka broker up to the sign-in by SCRAM, by the id of the request. */
function scramResponse(request: Buffer, iterations: number): Buffer {
  const [apiKey, version] = [request.readInt16BE(4), request.readInt16BE(6)];
  const int16 = (value: number) => Buffer.from([value >> 8, value & 255]);
  const text = (value: string) => Buffer.concat([int16(value.length), Buffer.from(value)]);
  const apis = [
    [3, 12],
    [17, 1],
    [18, 1],
    [36, 0],
  ].flatMap(([key = 0, max = 0]) => [int16(key), int16(0), int16(max)]);
  const nonce = /r=([^,\0]+)/.exec(request.toString("latin1"))?.[1];
  const salt = Buffer.from("sixteen bytes of").toString("base64");
  const first = Buffer.from(`r=${nonce}more,s=${salt},i=${iterations}`);
  const bodies: Record<number, Buffer[]> = {
    18: [int16(0), int16(0), int16(apis.length / 3), ...apis, ...(version > 0 ? [Buffer.alloc(4)] : [])],
    17: [int16(0), int16(0), int16(1), text("SCRAM-SHA-512")],
    36: [int16(0), int16(-1), int16(0), int16(first.length), first],
  };
  const response = Buffer.concat([request.subarray(8, 12), ...(bodies[apiKey] ?? [])]);
  return Buffer.concat([int16(0), int16(response.length), response]);
}

test("a Kafka broker that demands too many iterations of SCRAM is left", async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", (request: Buffer) => socket.write(scramResponse(request, 3_000_000)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const sasl = { mechanism: "SCRAM-SHA-512", username: "u", password: "p" };
  const target = checkTarget({ type: "KAFKA", brokers: [`127.0.0.1:${port}`], ...sasl });
  const client = await createTarget(target, addressContext);
  const failure = await client.check(AbortSignal.timeout(20_000)).catch((error: unknown) => error);
  await client.close();
  for (const socket of sockets) socket.destroy();
  server.close();
  expect(String(failure)).toContain("3000000 SCRAM iterations");
});

/** Answers of a PostgreSQL server up to the sign-in by SCRAM. */
function postgresResponse(request: Buffer, iterations: number): Buffer {
  const received = request.toString("latin1");
  const nonce = /n=,r=([^,]+)/.exec(received)?.[1];
  const kind = Buffer.from([0, 0, 0, nonce === undefined ? 10 : 11]);
  const salt = Buffer.from("sixteen bytes of").toString("base64");
  const body = nonce === undefined ? "SCRAM-SHA-256\0\0" : `r=${nonce}more,s=${salt},i=${iterations}`;
  return pgMessage("R", Buffer.concat([kind, Buffer.from(body)]));
}

test.each([false, true])(
  "a PostgreSQL server that demands too many iterations of SCRAM is left (TLS %p)",
  async (isEncrypted) => {
    const authority = await createAuthority(Date.now(), "test");
    const certificate = await createServerCertificate(authority, { dns: [], ip: ["127.0.0.1"] }, Date.now());
    const sockets = new Set<Socket>();
    const serve = (socket: Socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("data", (request: Buffer) => socket.write(postgresResponse(request, 9_000_000)));
    };
    const server = createServer((socket) => {
      if (!isEncrypted) return serve(socket);
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.once("data", () => {
        socket.pause();
        serve(new TLSSocket(socket, { isServer: true, ...certificate }));
        socket.write("S");
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const credentials = { host: "127.0.0.1", port, database: "d", user: "u", password: "p" };
    const tls = isEncrypted ? { ca: authority.cert } : null;
    const target = checkTarget({ type: "POSTGRESQL", ...credentials, tls });
    const client = await createTarget(target, addressContext);
    const failure = await client.check(AbortSignal.timeout(20_000)).catch((error: unknown) => error);
    await client.close();
    for (const socket of sockets) socket.destroy();
    server.close();
    expect(failure).toMatchObject({ reaction: "settings", code: "uplink.scram_iterations" });
  },
);

test("a relay that has signed in admits only its own client", async () => {
  const upstreams: Socket[] = [];
  const server = createServer((socket) => upstreams.push(socket.on("error", () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const relay = await LimitedRelay.open({
    ...{ host: "127.0.0.1", port, timeoutMs: 5_000, signal: AbortSignal.timeout(20_000), bytesPerSent: 1 },
    signIn: async (upstream) => ({
      upstream,
      first: Buffer.from("signed in"),
      admits: (message) => message.toString() === "ticket",
    }),
  });
  let received = "";
  const stranger = connect({ host: relay.host, port: relay.port }, () => stranger.write("other"));
  stranger.on("data", (bytes) => {
    received += bytes.toString();
  });
  await new Promise((resolve) => stranger.on("close", resolve));
  for (const socket of upstreams) socket.destroy();
  server.close();
  expect(received).toBe("");
});
