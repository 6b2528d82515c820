import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const MEGABYTE = 1_000_000;

let fixture: TestApp;
beforeAll(async () => {
  fixture = await createTestApp();
});
afterAll(() => fixture.stop());

const bodySpace = () => fixture.app.services.bodySpace;

/** Sends a body but for its end, many times. Returns the status lines of the responses, as they come. */
function hold(
  count: number,
  path: string,
  { bytes, headers = "", from = "127.0.0.1" }: { bytes: number; headers?: string; from?: string },
) {
  const responses: string[] = [];
  const sockets: Socket[] = Array.from({ length: count }, () => {
    const port = Number(new URL(fixture.app.url).port);
    const socket = connect({ port, host: "127.0.0.1", localAddress: from });
    socket.on("data", (data) => responses.push(data.toString("latin1").split("\r\n", 1)[0] ?? ""));
    socket.on("error", () => undefined);
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}`;
    socket.write(`${head}Content-Length: ${bytes}\r\n\r\n{"a":`);
    return socket;
  });
  return { responses, end: () => sockets.map((socket) => socket.destroy()) };
}

test("bodies in progress of a device have a limit, and leave space for other sites", async () => {
  const { token } = await fixture.signIn("TENANT_OWNER");
  const other = await fixture.signIn("TENANT_OWNER", { tenant: "two" });
  const [device, neighbor] = await Promise.all([
    fixture.createDevice(token),
    fixture.createDevice(other.token),
  ]);
  const { responses, end } = hold(30, `/api/v1/${device.token}/telemetry`, { bytes: 5 * MEGABYTE });
  await until(() => responses.length === 20);
  expect(new Set(responses)).toEqual(new Set(["HTTP/1.1 503 Service Unavailable"]));
  expect(bodySpace().used).toBe(50 * MEGABYTE);
  const send = (deviceToken: string, raw: string) =>
    fixture.call("POST", `/api/v1/${deviceToken}/telemetry`, {
      raw,
      headers: { "content-type": "application/json" },
    });
  const long = `{"a":1}${" ".repeat(100_000)}`;
  expect((await send(neighbor.token, long)).status).toBe(200);
  expect((await send(device.token, '{"a":2}')).status).toBe(200);
  end();
  await until(() => bodySpace().used === 0);
  expect((await send(device.token, long)).status).toBe(200);
  expect(bodySpace().used).toBe(0);
});

test("the space is given back whatever becomes of the request", async () => {
  const { token } = await fixture.signIn("TENANT_OWNER");
  const { token: reader } = await fixture.signIn("TENANT_READ_ONLY");
  const device = await fixture.createDevice(token);
  const long = `{"a":"${"x".repeat(100_000)}"`;
  const json = { "content-type": "application/json" };
  for (const [path, raw, status, caller] of [
    ["/api/devices/bulk/validate", `{"rows":[${long}}]}`, 201, token],
    ["/api/devices/bulk/validate", long, 400, token],
    ["/api/devices/bulk/validate", `{"rows":[${long}}]}`, 403, reader],
    ["/api/devices", long, 400, token],
    ["/api/devices", `${long}}`, 400, token],
    [`/api/devices/${device.deviceId}/telemetry/import`, "x".repeat(100_000), 415, token],
    [`/api/v1/${device.token}/telemetry`, long, 400, undefined],
    [`/write?p=${device.token}`, "x".repeat(100_000), 400, undefined],
  ] as const) {
    const response = await fixture.call("POST", path, { token: caller, raw, headers: json });
    expect([path, response.status, bodySpace().used]).toEqual([path, status, 0]);
  }
});

test("long bodies of a user have a limit in all", async () => {
  const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "three" });
  const headers = `Authorization: Bearer ${token}\r\n`;
  const lists = hold(2, "/api/devices/bulk/import", { bytes: 16 * MEGABYTE, headers });
  await until(() => bodySpace().used === 32 * MEGABYTE);
  const devices = hold(20, "/api/devices", { bytes: MEGABYTE, headers });
  await until(() => devices.responses.length === 2);
  expect(bodySpace().used).toBe(50 * MEGABYTE);
  expect(bodySpace().refusals).toBeGreaterThanOrEqual(2);
  lists.end();
  devices.end();
  await until(() => bodySpace().used === 0);
});

test("webhooks of strangers have little space for each address, and leave space for those with the secret", async () => {
  const { token, user } = await fixture.signIn("TENANT_OWNER", { tenant: "four" });
  const rotated = await fixture.call("POST", "/api/tenant/integration/rotate-secret", { token });
  const { secret } = rotated.body;
  const settings = { name: "a", type: "HTTP", status: "active" };
  const { body } = await fixture.call("POST", "/api/integrations", { token, body: settings });
  const path = `/api/v1/integrations/generic/${body.integrationId}/telemetry`;
  const headers = `X-Tenant-Id: ${user.tenantId}\r\nX-Webhook-Secret: guessed\r\n`;
  const first = hold(60, path, { bytes: 250_000, headers });
  await until(() => first.responses.length === 10);
  expect(new Set(first.responses)).toEqual(new Set(["HTTP/1.1 503 Service Unavailable"]));
  const others = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"].map((from) =>
    hold(51, path, { bytes: 250_000, headers, from }),
  );
  const refused = () => others.flatMap(({ responses }) => responses).length;
  await until(() => refused() === 4 * 51 - 151);
  expect(bodySpace().used).toBe(201 * 250_000);
  const raw = `{"externalDeviceId":"a","telemetry":{"a":1}}${" ".repeat(100_000)}`;
  const send = (own: string) =>
    fixture.call("POST", path, {
      raw,
      headers: { "content-type": "application/json", "x-webhook-secret": own },
    });
  expect((await send("guessed")).status).toBe(503);
  expect((await send(secret)).status).not.toBe(503);
  for (const { end } of [first, ...others]) end();
  await until(() => bodySpace().used === 0);
  expect((await send("guessed")).status).toBe(400);
  expect(bodySpace().used).toBe(0);
});
