import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Config } from "../../src/platform/config/config.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** Connections that hold a place and send little or nothing. The limits are small, and each test waits for the gateway to close. */

const HEADERS = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n";

class Client {
  text = "";
  isClosed = false;
  readonly #socket: Socket;
  #timer: Timer | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (bytes) => {
      this.text += bytes.toString("latin1");
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.isClosed = true;
      clearInterval(this.#timer);
    });
  }

  static async open(port: number, options: { tls?: boolean; from?: string } = {}): Promise<Client> {
    const to = { port, host: "127.0.0.1", ...(options.from && { localAddress: options.from }) };
    const socket = options.tls ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
    await once(socket, options.tls ? "secureConnect" : "connect");
    return new Client(socket);
  }

  write(text: string): void {
    this.#socket.write(text);
  }

  /** Sends one byte after the other, slowly and without an end. */
  drip(): void {
    this.#timer = setInterval(() => this.write("x"), 50);
  }

  async get(): Promise<void> {
    this.text = "";
    this.write(`${HEADERS}\r\n`);
    await until(() => this.isClosed || this.text.includes('"status":"ok"'), "an answer or the end");
    if (this.isClosed) throw new Error("the connection was closed");
  }

  closed(): Promise<void> {
    return until(() => this.isClosed, "the end of the connection");
  }

  end(): void {
    this.#socket.destroy();
  }
}

const portOf = (fixture: TestApp) => Number(new URL(fixture.app.url).port);
/** Not under the limit of an address in any of the tests. */
const PROXY = "127.0.0.9";

async function withApp(config: Partial<Config>, run: (fixture: TestApp) => Promise<void>): Promise<void> {
  const fixture = await createTestApp({
    config: { http_connections_exempt: PROXY, http_first_request_timeout_ms: 200, ...config },
  });
  try {
    await run(fixture);
  } finally {
    await fixture.stop();
  }
}

/** Resolves when the gateway has looked at every connection that is open now: it closes a younger one. */
async function allInspected(fixture: TestApp): Promise<void> {
  const client = await Client.open(portOf(fixture), { from: PROXY });
  client.write("G"); // the kernel keeps back connections that have sent nothing
  await client.closed();
}

async function openWith(count: number, fixture: TestApp, from?: string): Promise<Client[]> {
  const clients: Client[] = [];
  for (let index = 0; index < count; index++) {
    const client = await Client.open(portOf(fixture), { ...(from && { from }) });
    await client.get();
    clients.push(client);
  }
  return clients;
}

test("a connection on which a device has only sent telemetry stays open", () =>
  withApp({}, async (fixture) => {
    const { token: owner } = await fixture.signIn("TENANT_OWNER");
    const { token } = await fixture.createDevice(owner);
    const device = await Client.open(portOf(fixture));
    const send = async (): Promise<void> => {
      device.text = "";
      const body = '{"a":1}';
      device.write(
        `POST /api/v1/${token}/telemetry HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      await until(() => device.isClosed || device.text.includes('"success":true'), "an answer or the end");
    };
    await send();
    await allInspected(fixture);
    await allInspected(fixture);
    await send();
    expect([device.isClosed, device.text.split("\r\n")[0]]).toEqual([false, "HTTP/1.1 200 OK"]);
    device.end();
  }));

test("a device whose first message comes slowly is not cut off", () =>
  withApp({}, async (fixture) => {
    const { token: owner } = await fixture.signIn("TENANT_OWNER");
    const { token } = await fixture.createDevice(owner);
    const device = await Client.open(portOf(fixture));
    device.write(
      `POST /api/v1/${token}/telemetry HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 7\r\n\r\n{"a"`,
    );
    await allInspected(fixture);
    await allInspected(fixture);
    device.write(":1}");
    await until(() => device.isClosed || device.text.includes('"success":true'), "an answer or the end");
    expect([device.isClosed, device.text.split("\r\n")[0]]).toEqual([false, "HTTP/1.1 200 OK"]);
    device.end();
  }));

test.each(["http", "https"] as const)("bodies that come too slowly over %s are given up", (scheme) =>
  withApp({ tls: "auto", http_idle_timeout_s: 2 }, async (fixture) => {
    const isSecure = scheme === "https";
    const port = isSecure ? (fixture.app.tlsPorts.https ?? 0) : portOf(fixture);
    const { token } = await fixture.signIn("TENANT_OWNER");
    const head = (bytes: number) =>
      `PATCH /api/users/profile HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`;
    const [short, long] = await Promise.all([
      Client.open(port, { tls: isSecure }),
      Client.open(port, { tls: isSecure }),
    ]);
    short.write(head(60_000));
    short.drip();
    long.write(head(70_000));
    long.drip();
    await short.closed();
    expect([short.text, long.isClosed]).toEqual(["", false]);
    long.write(" ".repeat(70_000)); // bytes beyond the length are ignored
    await until(() => long.text.startsWith("HTTP/1.1 400"), "an answer to the longer body");
    long.end();
  }),
);

test("connections whose first request stays incomplete are closed, and others are not", () =>
  withApp({ tls: "auto" }, async (fixture) => {
    const port = portOf(fixture);
    const https = fixture.app.tlsPorts.https ?? 0;
    const kept = await Client.open(port);
    await kept.get();
    const keptTls = await Client.open(https, { tls: true });
    await keptTls.get();
    const uploading = await Client.open(port);
    uploading.write(
      'POST /api/auth/exchange HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 12\r\n\r\n{"code"',
    );
    // The HTTP server closes such connections by itself, but later.
    const unguarded = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    const control = await Client.open(unguarded.port ?? 0);
    control.write("GET / HT");
    const slow = await Promise.all([
      Client.open(port),
      Client.open(port),
      Client.open(port),
      Client.open(https),
      Client.open(https, { tls: true }),
    ]);
    slow[1]?.write("GET / HT");
    slow[2]?.write("GET / HTTP/1.1\r\nx: ");
    slow[2]?.drip();
    for (const client of slow) await client.closed();
    expect(control.isClosed).toBe(false);
    await unguarded.stop(true);
    uploading.write(':"x"}');
    await until(() => uploading.text.startsWith("HTTP/1.1 40"), "an answer to the upload");
    await kept.get();
    await keptTls.get();
    for (const client of [kept, keptTls, uploading]) client.end();
  }));

test("the connections of one address are limited, those of exempt addresses are not", () =>
  withApp({ http_connections_per_address_max: 3 }, async (fixture) => {
    const clients = await openWith(3, fixture);
    const proxied = await openWith(5, fixture, PROXY);
    await allInspected(fixture);
    const refused = await Client.open(portOf(fixture));
    await refused.get().catch(() => undefined); // the refusal may come first
    await refused.closed();
    const others = await openWith(3, fixture, "127.0.0.2");
    await allInspected(fixture);
    for (const client of [...clients, ...proxied, ...others]) await client.get();
    clients.pop()?.end();
    await allInspected(fixture);
    const [next] = await openWith(1, fixture);
    await allInspected(fixture);
    await next?.get();
    for (const client of [...clients, ...proxied, ...others, next]) client?.end();
  }));

test("the connections of all addresses together are limited", () =>
  withApp({ http_connections_max: 4 }, async (fixture) => {
    const clients = [...(await openWith(2, fixture)), ...(await openWith(2, fixture, "127.0.0.2"))];
    await allInspected(fixture);
    for (const from of ["127.0.0.1", "127.0.0.3", PROXY]) {
      const refused = await Client.open(portOf(fixture), { from });
      await refused.get().catch(() => undefined); // the refusal may come first
      await refused.closed();
    }
    for (const client of clients) await client.get();
    for (const client of clients) client.end();
  }));

test("WebSockets of devices have limits of their own", () =>
  withApp({ http_connections_per_address_max: 2, mqtt_connect_timeout_ms: 60_000 }, async (fixture) => {
    const { token } = await fixture.signIn("TENANT_OWNER");
    const url = fixture.app.url.replace(/^http/, "ws");
    const devices = [];
    for (let index = 0; index < 3; index++) devices.push((await fixture.createDevice(token)).token);
    const sockets = [
      ...devices.map((device) => new WebSocket(`${url}/api/v1/${device}/ws`)),
      ...[1, 2, 3].map(() => new WebSocket(`${url}/mqtt`, "mqtt")),
    ];
    await until(() => sockets.every(({ readyState }) => readyState === WebSocket.OPEN), "six connections");
    await allInspected(fixture);
    await allInspected(fixture);
    expect(sockets.map(({ readyState }) => readyState)).toEqual(sockets.map(() => WebSocket.OPEN));
    for (const socket of sockets) socket.close();
  }));

test("a request to /mqtt that becomes no WebSocket still counts", () =>
  withApp({ http_connections_per_address_max: 1 }, async (fixture) => {
    const [kept] = await openWith(1, fixture);
    await allInspected(fixture);
    const refused = await Client.open(portOf(fixture));
    refused.write("GET /mqtt HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await refused.closed();
    await kept?.get();
    kept?.end();
  }));

let fixture: TestApp;
beforeAll(async () => {
  fixture = await createTestApp({ config: { mqtt_connect_timeout_ms: 200 } });
});
afterAll(() => fixture.stop());

/** The code that a WebSocket is closed with after it has sent the frames. */
async function closeCode(
  path: string,
  frames: readonly (string | Uint8Array<ArrayBuffer>)[],
): Promise<number> {
  const socket = new WebSocket(
    fixture.app.url.replace(/^http/, "ws") + path,
    path === "/mqtt" ? ["mqtt"] : [],
  );
  socket.onopen = () => {
    for (const frame of frames) socket.send(frame);
  };
  return new Promise((resolve) => {
    socket.onclose = ({ code }) => resolve(code);
  });
}

const auth = (length: number) => JSON.stringify({ type: "auth", token: "x".repeat(length) });

test.each([
  ["nothing", [], 4401],
  ["9 KB at once", [auth(9_000)], 1009],
  ["9 KB in many frames", Array.from({ length: 200 }, () => '{"type":"ping"}'.padEnd(50)), 1009],
  ["1 MB", [auth(1_000_000)], 1009],
] as const)("a reader of /api/ws that sends %s before it is signed in is closed", async (_, frames, code) => {
  expect(await closeCode("/api/ws", frames)).toBe(code);
});

/** CONNECT with a remaining length of 12,000. */
const longConnect = () => new Uint8Array([0x10, 0xe0, 0x5d, ...new Uint8Array(12_000)]);

test.each([
  ["nothing", []],
  ["a CONNECT of 12 KB", [longConnect()]],
  ["text", ["x"]],
] as const)("an MQTT client over WebSocket that sends %s is closed", async (_, frames) => {
  expect(await closeCode("/mqtt", frames)).toBeGreaterThanOrEqual(1000);
});

test("the HTTP server itself closes bodies that drip in and answers that nobody reads", async () => {
  const response = new Uint8Array(50_000_000);
  const aborted = new Map<string, PromiseWithResolvers<void>>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 4, // seconds, 60 in the gateway
    development: false,
    async fetch(request) {
      const path = new URL(request.url).pathname;
      request.signal.addEventListener("abort", () => aborted.get(path)?.resolve());
      if (path === "/body") await request.arrayBuffer().catch(() => undefined);
      return new Response(path === "/answer" ? response : "ok");
    },
  });
  for (const path of ["/body", "/answer"]) aborted.set(path, Promise.withResolvers());
  const port = server.port ?? 0;
  const body = await Client.open(port);
  body.write("POST /body HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\r\n");
  body.drip();
  const reader = connect({ port, host: "127.0.0.1" }).pause();
  reader.on("error", () => undefined);
  reader.write("GET /answer HTTP/1.1\r\nhost: localhost\r\n\r\n");
  await Promise.all([body.closed(), ...[...aborted.values()].map(({ promise }) => promise)]);
  reader.destroy();
  await server.stop(true);
});
