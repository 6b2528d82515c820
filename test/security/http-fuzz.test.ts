import { afterAll, beforeAll, expect, test } from "bun:test";
import { createRandom } from "../../src/lib/data/random.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** Every route, called with what no client should send: no answer is a 500, none repeats what was sent, and the gateway still serves. */

let fixture: TestApp;
let owner: string;
let device: { deviceId: string; token: string };

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  device = await fixture.createDevice(owner);
});
afterAll(() => fixture.stop());

const MARK = "zq-marker-7351";
const bodies: ReadonlyArray<string | Uint8Array> = [
  "",
  "{",
  "null",
  "[]",
  "0",
  '"text"',
  "true",
  "[[[[]]]]",
  `{"${MARK}":`,
  `{"__proto__":{"role":"TENANT_OWNER"},"constructor":{"prototype":{"a":1}}}`,
  `{"name":"${MARK}","deviceType":5,"scope":["SHARED"],"attributes":"x","deviceIds":{},"keys":7,"from":"a","to":{},"token":[],"code":{}}`,
  `{"deviceIds":["${MARK}"],"keys":[],"from":1e308,"to":-1e308}`,
  `{"deviceIds":[null],"from":0,"to":1}`,
  `{"name":"${"x".repeat(100_000)}","deviceType":"t"}`,
  `{"name":"a\\u0000b","deviceType":"\\ud800","email":"a@b","password":"${MARK}"}`,
  `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
  `{"payload":${'{"payload":'.repeat(5_000)}1${"}".repeat(5_000)}}`,
  `{"ts":99999999999999999999,"values":{"a":1e999}}`,
  `{"scope":"SHARED","attributes":{"${"k".repeat(300)}":1}}`,
  new Uint8Array([0xff, 0xfe, 0x00, 0x80]),
  new Uint8Array([0xbf, 0xbf, 0xbf]),
];
const segments = [
  "%00",
  "%2e%2e%2f",
  "..",
  "'",
  "1 OR 1=1",
  "%F0%9F%92%A9",
  "%",
  "a".repeat(3_000),
  "__proto__",
  "constructor",
  "0",
  "-1",
  "null",
  MARK,
];
const queries = [
  "",
  "?from=&to=",
  "?from=0&to=9e99&maxDataPoints=-1",
  "?limit=-5&offset=1e9",
  "?limit=999999999",
  "?scope[]=SHARED&scope=X",
  "?%",
  `?search=${"%25".repeat(500)}`,
  "?active=maybe",
  "?from=0&to=1&interval=0.5h",
  "?from=0&to=8640000000000001",
  "?token=%00",
];
const types = [
  "application/json",
  "application/cbor",
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/json; charset=utf-16",
  "nonsense",
];

test("no answer is a server error", async () => {
  const random = createRandom(20_261_120);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const routes = fixture.app.http.routes.filter(({ path }) => !["/api/ws", "/mqtt"].includes(path));
  const bad: string[] = [];
  let calls = 0;
  for (let round = 0; round < 12; round++)
    for (const { method, path } of routes) {
      const filled = path.replace(/:(\w+)|\*/g, (_, name: string | undefined) => {
        if (random() < 0.5) return encodeURI(pick(segments)).replaceAll("%25", "%");
        if (name === "deviceId") return device.deviceId;
        return name === "deviceToken" ? device.token : "SHARED";
      });
      const hasBody = method !== "GET" && method !== "HEAD";
      const response = await fixture
        .call(method, filled + pick(queries), {
          token: path === "/api/auth/logout" ? "none" : owner,
          ...(hasBody ? { raw: pick(bodies), headers: { "content-type": pick(types) } } : {}),
        })
        .catch((error) => ({ status: 0, text: String(error) }));
      calls++;
      if (response.status >= 500 || response.status === 0)
        bad.push(`${method} ${path} → ${response.status} ${response.text.slice(0, 100)}`);
      if (response.status >= 400 && response.text.includes(MARK) && hasBody)
        bad.push(`${method} ${path} repeats what was sent`);
    }
  expect(bad).toEqual([]);
  expect(calls).toBeGreaterThan(1_500);
  expect((await fixture.call("GET", "/readyz")).status).toBe(200);
});

test("raw bytes that are no HTTP do not disturb others", async () => {
  const { port } = new URL(fixture.app.url);
  for (const text of [
    "\0\0\0\0",
    "GET",
    "GET / HTTP/9.9\r\n\r\n",
    "POST /api/devices HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    `GET /${"a".repeat(50_000)} HTTP/1.1\r\n\r\n`,
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  ]) {
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: Number(port),
      socket: { data() {}, error() {}, close() {} },
    });
    socket.write(text);
    await Bun.sleep(5);
    socket.terminate();
  }
  expect((await fixture.call("GET", "/readyz")).status).toBe(200);
});

test("a body in a loop of small chunks beyond the limit is refused", async () => {
  let sent = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent > 8 * 1024 * 1024) return controller.close();
      sent += 65_536;
      controller.enqueue(new Uint8Array(65_536).fill(0x20));
    },
  });
  const { token } = await fixture.createDevice(owner);
  const response = await fetch(`${fixture.app.url}/api/v1/${token}/telemetry`, {
    method: "POST",
    body: stream,
    headers: { "content-type": "application/json" },
  });
  expect(response.status).toBe(413);
});

test("a Host that is none is told so, whatever was asked", async () => {
  for (const target of ["/api/devices", "/readyz", "/", `/api/v1/${device.token}/telemetry`]) {
    const url = new URL(fixture.app.url);
    const { promise, resolve } = Promise.withResolvers<string>();
    let response = "";
    const socket = await Bun.connect({
      hostname: url.hostname,
      port: Number(url.port),
      socket: {
        data(_, bytes) {
          response += Buffer.from(bytes).toString();
        },
        close: () => resolve(response),
      },
    });
    socket.write(`GET ${target} HTTP/1.1\r\nHost: a b<%>\r\nConnection: close\r\n\r\n`);
    expect(await promise).toMatch(/^HTTP\/1\.1 400 /);
  }
});
