// Requests from a trusted proxy (127.0.0.1 here), and the same headers from anybody else (127.0.0.2).
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let token: string;
let device: { deviceId: string; token: string };

beforeAll(async () => {
  fixture = await createTestApp({
    config: { trusted_proxies: "127.0.0.1, 10.0.0.0/8", mqtt_connections_per_address_max: 1 },
  });
  token = (await fixture.signIn("TENANT_OWNER")).token;
  device = await fixture.createDevice(token);
});
afterAll(() => fixture.stop());

const change = (headers: Record<string, string> = {}) =>
  fixture.call("PATCH", `/api/devices/${device.deviceId}`, {
    token,
    headers: { "content-type": "application/json", ...headers },
    body: { label: crypto.randomUUID() },
  });
const newestAddress = async () =>
  (await fixture.call("GET", "/api/audit?limit=1", { token })).body[0].address;

/** Sends a request from a loopback address other than the trusted proxy's. */
async function fromElsewhere(path: string, ...args: string[]): Promise<string> {
  const child = Bun.spawn(["curl", "-sS", "--interface", "127.0.0.2", ...args, `${fixture.app.url}${path}`]);
  return child.stdout.text();
}

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["198.51.100.1, 203.0.113.7, 10.1.2.3", "203.0.113.7"],
  ["[2001:DB8::7]:4711", "2001:db8::7"],
  ["nonsense", "127.0.0.1"],
])("a trusted proxy that forwards for %s has the client %s in the audit log", async (list, expected) => {
  await change({ "x-forwarded-for": list });
  expect(await newestAddress()).toBe(expected);
});

test("any other client cannot claim an address", async () => {
  await fromElsewhere(
    `/api/devices/${device.deviceId}`,
    ...["-X", "PATCH", "-H", `authorization: Bearer ${token}`, "-H", "content-type: application/json"],
    ...["-H", "x-forwarded-for: 203.0.113.9", "-d", '{"label":"forged"}'],
  );
  expect(await newestAddress()).toBe("127.0.0.2");
});

test("limits on failed attempts count the client", async () => {
  const guess = async (client: string) =>
    (
      await fixture.call("POST", "/api/v1/no-such-token/telemetry", {
        headers: { "x-forwarded-for": client },
        body: { t: 1 },
      })
    ).status;
  let attempts = 0;
  while ((await guess("203.0.113.20")) === 400) expect(++attempts).toBeLessThan(1_000);
  expect(await guess("203.0.113.20")).toBe(429);
  expect(await guess("203.0.113.21")).toBe(400);
});

test("limits on MQTT over WebSocket count the client", async () => {
  const opened: MqttClient[] = [];
  const open = async (client: string) => {
    const { token: username } = await fixture.createDevice(token);
    const url = `${fixture.app.url.replace("http", "ws")}/mqtt`;
    const wsOptions = { headers: { "x-forwarded-for": client } };
    opened.push(await connectAsync(url, { username, reconnectPeriod: 0, wsOptions }, false));
  };
  try {
    await open("203.0.113.30");
    await open("203.0.113.31");
    await expect(open("203.0.113.30")).rejects.toThrow();
  } finally {
    for (const client of opened) await client.endAsync(true);
  }
});

test("links use the host that a trusted proxy forwards, and no other", async () => {
  const headers = { "x-forwarded-host": "plant.example:8443", "x-forwarded-proto": "https" };
  const catalog = await fixture.call("GET", "/api/v1/connectivity/catalog", { headers });
  expect(JSON.stringify(catalog.body)).toContain("https://plant.example:8443/api/v1/");
  const forged = await fromElsewhere(
    "/api/v1/connectivity/catalog",
    ...["-H", "x-forwarded-host: evil.example", "-H", "x-forwarded-proto: https"],
  );
  expect(forged).toContain("/api/v1/");
  expect(forged).not.toMatch(/evil|https:/);
});

test("cookies are for HTTPS only where the browser uses it", async () => {
  const cookieOf = async (headers: Record<string, string>) => {
    const { user } = await fixture.signIn("TENANT_RW");
    const form = new URLSearchParams({ email: user.email, password: "a long enough password 7" });
    const response = await fetch(`${fixture.app.url}/idp/authorize`, {
      method: "POST",
      headers,
      body: form,
      redirect: "manual",
    });
    return response.headers.get("set-cookie");
  };
  expect(await cookieOf({ "x-forwarded-proto": "https" })).toEndWith("; Secure");
  expect(await cookieOf({ "x-forwarded-proto": "http" })).not.toContain("Secure");
});

test("requests are served whatever the headers hold", async () => {
  const host = { "x-forwarded-host": "pi", "x-forwarded-proto": "http" };
  const rows: Record<string, string>[] = [
    host,
    { "x-forwarded-host": "[::1", "x-forwarded-proto": "gopher" },
    { "x-forwarded-for": ",".repeat(5_000) },
    { "x-forwarded-for": "10.0.0.1,".repeat(1_000) },
  ];
  for (const headers of rows) {
    expect((await fixture.call("GET", "/api/auth/me", { token, headers })).status).toBe(200);
    expect((await fixture.call("GET", "/api/nonsense", { token, headers })).status).toBe(404);
    const page = await fetch(`${fixture.app.url}/devices`, { headers: { ...headers, accept: "text/html" } });
    expect(page.status).toBe(200);
  }
});
