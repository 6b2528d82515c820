// A connection in the whole program: deleted and disabled while it reads, limited by its device's rate, and refused addresses.
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  addressesPdu,
  type ModbusServer,
  responseFrame,
  type ServerRequest,
  startModbusServer,
} from "../../support/modbus-server.ts";
import { createTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

let fixture: TestApp;
let host: string;
const servers: ModbusServer[] = [];
const good = (request: ServerRequest) => responseFrame("TCP", { ...request, pdu: addressesPdu(request) });

beforeAll(async () => {
  fixture = await createTestApp({ config: { outbound_allow: "127.0.0.1", outbound_private: "host" } });
  host = (await fixture.signIn("TENANT_OWNER", { tenant: "host" })).token;
});
afterAll(async () => {
  await fixture.stop();
  for (const server of servers) await server.stop();
});

const call = async (method: string, path: string, body?: unknown, token = host) => {
  const response = await fixture.call(method, path, { token, body });
  if (response.status >= 400) throw new Error(`${response.status} ${response.text}`);
  return response.body;
};
const register = { key: "power", area: "HOLDING_REGISTER", address: 7, type: "UINT16" };

/** A connection with a unit whose server answers when the test says so. */
async function line({ token = host, profileId }: { token?: string; profileId?: string } = {}) {
  const waiting: (() => void)[] = [];
  const peer = await startModbusServer((request) => {
    waiting.push(() => request.socket.write(good(request)));
    return undefined;
  });
  servers.push(peer);
  const fields = { name: crypto.randomUUID(), host: "127.0.0.1", port: peer.port, timeoutMs: 60_000 };
  const { connectionId } = await call("POST", "/api/modbus/connections", fields, token);
  const { deviceId } = await fixture.createDevice(token, { ...(profileId && { profileId }) });
  const path = `/api/modbus/connections/${connectionId}`;
  const unit = { deviceId, intervalMs: 100, registers: [register] };
  const { modbusUnitId } = await call("POST", `${path}/units`, unit, token);
  const latest = async () =>
    (await call("GET", `/api/devices/${deviceId}/telemetry/latest`, undefined, token)).values;
  return { peer, waiting, path, unitPath: `${path}/units/${modbusUnitId}`, latest };
}

test.each([
  ["the connection is deleted", "DELETE", "path", undefined],
  ["the connection is disabled", "PATCH", "path", { enabled: false }],
  ["its unit is deleted", "DELETE", "unitPath", undefined],
  ["its unit loses the register", "PATCH", "unitPath", { registers: [] }],
] as const)("an answer that comes after %s is not stored", async (_, method, target, body) => {
  const { peer, waiting, latest, ...paths } = await line();
  await until(() => waiting.length === 1);
  await call(method, paths[target], body);
  waiting[0]?.();
  // The next connection or request, or the end of this one, comes after the answer.
  if (target === "path") await until(() => peer.open === 0);
  else
    await call("POST", `${paths.path}/units`, {
      deviceId: (await fixture.createDevice(host)).deviceId,
      registers: [register],
    });
  if (target === "unitPath") await until(() => waiting.length === 2);
  expect(await latest()).toEqual({});
});

test("the connections of a tenant end with it, while they are read", async () => {
  const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "gone" });
  const { peer, waiting } = await line({ token });
  await until(() => waiting.length === 1);
  const { status } = await fixture.call("DELETE", "/api/tenant", { token, body: { tenantName: "gone" } });
  expect(status).toBe(200);
  waiting[0]?.();
  await until(() => peer.open === 0);
  expect([peer.connections, peer.requests.length]).toEqual([1, 1]);
});

test("values beyond the rate of the device are refused, and the unit says so", async () => {
  const limits = { messagesPerSecond: 1, messagesBurst: 1 };
  const { profileId } = await call("POST", "/api/device-profiles", { name: "slow", ...limits });
  const { peer, waiting, path } = await line({ profileId });
  await until(() => waiting.length === 1);
  waiting[0]?.();
  peer.use(good);
  const unit = async () => (await call("GET", `${path}/units`))[0];
  await until(async () => (await unit()).health.lastError?.code === "device.messages_limit");
  expect((await call("GET", path)).state.status).toBe("connected");
});

test.each([
  ["169.254.169.254", 502, "metadata"],
  ["169.254.1.1", 502, "link_local"],
  ["fe80::1", 502, "link_local"],
  ["224.0.0.1", 502, "multicast"],
  ["127.0.0.1", "http", "own_port"],
  ["127.0.0.1", "mqtt", "own_port"],
  ["127.0.0.2", 502, "own_machine"],
] as const)("%s, port %p is refused, and the state says why", async (address, port, refusal) => {
  const own = { http: Number(new URL(fixture.app.url).port), mqtt: fixture.app.mqttPort };
  const fields = {
    name: crypto.randomUUID(),
    host: address,
    port: typeof port === "number" ? port : own[port],
  };
  const { connectionId } = await call("POST", "/api/modbus/connections", fields);
  const path = `/api/modbus/connections/${connectionId}`;
  await until(async () => (await call("GET", path)).state.status === "waiting");
  const { problem } = (await call("GET", path)).state;
  expect(problem.code).toBe("outbound.address_refused");
  expect(JSON.stringify(problem.params)).toContain(`address_refusal.${refusal}`);
});
