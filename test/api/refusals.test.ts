// Credentials that were refused, at every edge, and who sees them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectAsync, type IClientOptions } from "mqtt";
import { configureLogging } from "../../src/platform/core/log.ts";
import { createTestApp, PASSWORD } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { WebSocketClient } from "../support/websocket-client.ts";
import { fixture, list as listAt, METRICS_TOKEN, ownerEmail, tokens, useFaults } from "./faults-fixture.ts";

const PATH = "/api/gateway/refusals";
const logged: string[] = [];
let device: { deviceId: string; token: string };

beforeAll(() => {
  configureLogging({ level: "info", format: "text", write: (line) => logged.push(line) });
});
useFaults();
beforeAll(async () => {
  device = await fixture.createDevice(tokens.owner);
});
afterAll(() => configureLogging({ level: "error", format: "text", write: () => undefined }));

const list = (token: string, query = "", path = PATH) => listAt(token, query, path);
const search = (text: string, token = tokens.operator, path = PATH) =>
  list(token, `?search=${encodeURIComponent(text)}`, path);
/** Connects over MQTT, which must fail, and returns the reason code. */
async function refusedConnect(options: IClientOptions): Promise<number | undefined> {
  const url = `mqtt://127.0.0.1:${fixture.app.mqttPort}`;
  const error = await connectAsync(url, { protocolVersion: 5, reconnectPeriod: 0, ...options }).catch(
    (failure: { code?: number }) => failure,
  );
  return (error as { code?: number }).code;
}
async function setPassword(deviceId: string, username: string): Promise<void> {
  const credentials = { type: "MQTT_BASIC", username, password: PASSWORD };
  const path = `/api/devices/${deviceId}/credentials`;
  expect((await fixture.call("PUT", path, { token: tokens.owner, body: credentials })).status).toBe(200);
}

describe("each edge lists what it refuses", () => {
  test("MQTT: a wrong token, of which only the beginning is shown", async () => {
    const token = "Wrong0TokenOfADevice";
    expect(await refusedConnect({ username: token, clientId: "pump 7" })).toBe(0x86);
    expect(await refusedConnect({ username: token, clientId: "pump 7" })).toBe(0x86);
    const [entry] = await search("Wron");
    expect(entry).toMatchObject({
      edge: "mqtt",
      protocol: "mqtt",
      port: fixture.app.mqttPort,
      address: "127.0.0.1",
      client: "pump 7",
      identityKind: "token",
      identity: "Wron… (20)",
      reason: { code: "refusal.token_wrong", message: "The token or the user name belongs to no device." },
      hint: { code: "refusal_hint.token_wrong" },
      count: 2,
    });
    expect(JSON.stringify(await list(tokens.operator))).not.toContain(token);
    expect(logged.filter((line) => line.includes("Wron…"))).toHaveLength(1);
    expect(logged.join()).not.toContain(token);
  });

  test.skipIf(Bun.which("mosquitto_pub") === null)("MQTT: mosquitto_pub with a wrong token", async () => {
    const port = String(fixture.app.mqttPort);
    const args = [
      "-h",
      "127.0.0.1",
      "-p",
      port,
      "-u",
      "MosquittoTokenOfNobody",
      "-i",
      "mosq",
      "-t",
      "a",
      "-m",
      "{}",
    ];
    expect(await Bun.spawn(["mosquitto_pub", ...args], { stderr: "ignore" }).exited).not.toBe(0);
    expect(await search("mosq")).toMatchObject([{ edge: "mqtt", identity: "Mosq… (22)", client: "mosq" }]);
  });

  test("MQTT over WebSocket", async () => {
    const url = `${fixture.app.url.replace(/^http/, "ws")}/mqtt`;
    await connectAsync(url, { username: "WebSocketTokenOfNobody", reconnectPeriod: 0 }).catch(
      () => undefined,
    );
    expect(await search("WebS")).toMatchObject([{ edge: "mqtt", protocol: "ws" }]);
  });

  test("MQTT: a wrong password of a known device, for its tenant and on the device", async () => {
    const { deviceId } = await fixture.createDevice(tokens.owner, { name: "press" });
    await setPassword(deviceId, "press");
    expect(await refusedConnect({ username: "press", password: "not the password" })).toBe(0x86);
    const expected = [
      { identity: "press", deviceId, deviceName: "press", reason: { code: "refusal.password_wrong" } },
    ];
    expect(await list(tokens.owner, "", `/api/devices/${deviceId}/refusals`)).toMatchObject(expected);
    expect(await search("press", tokens.owner, "/api/refusals")).toMatchObject(expected);
    expect(await search("press", tokens.other, "/api/refusals")).toEqual([]);
  });

  test("MQTT: no credential, and an API key that does not exist", async () => {
    await refusedConnect({ clientId: "nobody" });
    expect(await search("nobody")).toMatchObject([{ reason: { code: "refusal.credential_missing" } }]);
    await refusedConnect({ username: "program", password: "lsk_doesnotexist" });
    expect(await search("lsk_")).toMatchObject([
      { identityKind: "api_key", reason: { code: "refusal.key_wrong" } },
    ]);
  });

  test("the device API and a device's WebSocket", async () => {
    const response = await fixture.call("POST", "/api/v1/HttpTokenOfNobody/telemetry", { body: { t: 1 } });
    expect(response.status).toBe(400);
    expect(await search("Http")).toMatchObject([
      { edge: "device_api", protocol: "http", identity: "Http… (17)" },
    ]);
    await fixture.call("GET", "/api/v1/SocketTokenOfNobody/ws");
    expect(await search("Sock")).toMatchObject([{ edge: "device_websocket", protocol: "ws" }]);
  });

  test("the device API, for a token that is not text", async () => {
    const response = await fetch(`${fixture.app.url}/api/v1/%FF%FE/telemetry`, {
      method: "POST",
      body: "{}",
    });
    expect(response.status).toBe(400);
    expect(await search("… (2)")).toMatchObject([
      { edge: "device_api", reason: { code: "refusal.token_wrong" } },
    ]);
  });

  test("REST: a forged token, an ended session and a revoked API key", async () => {
    expect((await fixture.call("GET", "/api/devices", { token: "forged.token.text" })).text).toBe("");
    await until(async () => (await list(tokens.operator, "?edge=api")).length === 1);
    expect(await list(tokens.operator, "?edge=api")).toMatchObject([
      { reason: { code: "refusal.session_token_wrong" } },
    ]);
    const { token, user } = await fixture.signIn("TENANT_ADMIN");
    await fixture.call("POST", "/api/auth/logout", { token });
    expect((await fixture.call("GET", "/api/devices", { token })).status).toBe(401);
    await until(async () => (await search(user.email)).length === 1);
    expect(await search(user.email, tokens.owner, "/api/refusals")).toMatchObject([
      { reason: { code: "refusal.session_ended" }, userId: user.userId },
    ]);
  });

  test("sign-in with a password", async () => {
    const signIn = (email: string, password: string) =>
      fixture.call("POST", "/idp/authorize", { body: { email, password } });
    expect((await signIn(ownerEmail, "wrong password 1")).status).toBe(401);
    expect(await search(ownerEmail, tokens.owner, "/api/refusals")).toMatchObject([
      { edge: "sign_in", protocol: "http", reason: { code: "refusal.password_wrong" } },
    ]);
    await signIn("nobody@one.example", "wrong password 1");
    expect(await search("nobody@one")).toMatchObject([{ reason: { code: "refusal.user_unknown" } }]);
    await signIn("MyPasswordAtTheWrongPlace", "wrong password 1");
    expect(JSON.stringify(await list(tokens.operator))).not.toContain("MyPasswordAt");
  });

  test("links that are valid once: setup, a new password and the download of a backup", async () => {
    const secret = "AnInvalidSecretOfALink";
    const owner = { email: "a@b.example", password: PASSWORD, fullName: "A", tenantName: "T" };
    const responses = [
      await fixture.call("GET", `/api/setup?token=${secret}`),
      await fixture.call("POST", "/api/setup", { body: { token: secret, ...owner } }),
      await fixture.call("POST", "/api/setup/restore", { body: { token: secret } }),
      await fixture.call("GET", `/idp/reset?token=${secret}`),
      await fixture.call("GET", `/api/gateway/backup/downloads/${secret}`),
    ];
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    const listed = await list(tokens.operator, "?edge=link&sort=-count");
    expect(
      listed.map(
        ({ reason, count }: { reason: { code: string }; count: number }) => `${reason.code} ${count}`,
      ),
    ).toEqual([
      "refusal.setup_link_invalid 3",
      expect.stringMatching(/^refusal.(reset|download)_link_invalid 1$/),
      expect.stringMatching(/^refusal.(reset|download)_link_invalid 1$/),
    ]);
    expect(listed[0]).toMatchObject({ identityKind: "token", identity: "AnIn… (22)" });
    expect(JSON.stringify(listed)).not.toContain(secret);
  });

  test("the live connection of screens", async () => {
    const client = await WebSocketClient.open(`${fixture.app.url}/api/ws`);
    client.send({ type: "auth", token: "forged.token.text" });
    expect((await client.closed).code).toBe(4401);
    expect(await list(tokens.operator, "?edge=realtime")).toMatchObject([{ protocol: "ws" }]);
  });

  test("webhooks", async () => {
    const response = await fixture.call("POST", "/api/v1/integrations/generic/telemetry", {
      body: { externalDeviceId: "a", telemetry: { t: 1 } },
      headers: { "x-tenant-id": "no-such-tenant", "x-webhook-secret": "a wrong webhook secret" },
    });
    expect(response.status).toBe(400);
    expect(await list(tokens.operator, "?edge=webhook")).toMatchObject([
      { identity: "no-such-tenant", reason: { code: "refusal.secret_wrong" } },
    ]);
    expect(JSON.stringify(await list(tokens.operator))).not.toContain("a wrong webhook secret");
  });

  test("provisioning and the metrics", async () => {
    const claim = {
      deviceName: "new pump",
      provisionDeviceKey: "wrong key",
      provisionDeviceSecret: "wrong secret",
    };
    await fixture.call("POST", "/api/v1/provision", {
      body: claim,
      headers: { "content-type": "application/json" },
    });
    expect(await search("new pump")).toMatchObject([
      { edge: "provisioning", reason: { code: "refusal.claim_key_wrong" } },
    ]);
    expect((await fixture.call("GET", "/metrics", { token: "wrong" })).status).toBe(401);
    expect(await list(tokens.operator, "?edge=metrics")).toHaveLength(1);
  });
});

test("counts by edge and reason for Prometheus", async () => {
  const { text } = await fixture.call("GET", "/metrics", { token: METRICS_TOKEN });
  expect(text).toContain('lineside_refused_credentials_total{edge="webhook",reason="secret_wrong"} 1');
});

describe("who may see them", () => {
  test.each([
    ["another tenant's owner", () => tokens.other, PATH, 403],
    ["the tenant's owner, of the gateway", () => tokens.owner, PATH, 403],
    ["the tenant's owner, of the tenant", () => tokens.owner, "/api/refusals", 200],
  ] as const)("%s", async (_, token, path, status) => {
    expect((await fixture.call("GET", path, { token: token() })).status).toBe(status);
  });

  test("users who are no administrators do not see those of the tenant", async () => {
    for (const role of ["TENANT_RW", "TENANT_READ_ONLY"] as const) {
      const { token } = await fixture.signIn(role);
      expect((await fixture.call("GET", "/api/refusals", { token })).status).toBe(403);
    }
  });

  test("an administrator with some devices sees those of these devices alone", async () => {
    const [granted, hidden] = [
      await fixture.createDevice(tokens.owner, { name: "granted" }),
      await fixture.createDevice(tokens.owner, { name: "hidden" }),
    ];
    for (const [name, { deviceId }] of [
      ["granted", granted],
      ["hidden", hidden],
    ] as const) {
      await setPassword(deviceId, name);
      await refusedConnect({ username: name, password: "not the password" });
    }
    const { token } = await fixture.signIn("TENANT_ADMIN", { devices: [granted.deviceId] });
    const listed = await list(token, "", "/api/refusals");
    expect(listed.map(({ deviceName }: { deviceName: string }) => deviceName)).toEqual(["granted"]);
    expect((await list(tokens.owner, "", "/api/refusals")).length).toBeGreaterThan(2);
  });

  test("a device's are hidden from other tenants", async () => {
    const path = `/api/devices/${device.deviceId}/refusals`;
    expect((await fixture.call("GET", path, { token: tokens.other })).status).toBe(404);
  });
});

describe("a gateway under attack", () => {
  test("limits tries over MQTT and lists that it does", async () => {
    const codes = new Set<number | undefined>();
    for (let index = 0; index < 80 && !codes.has(0x9f); index++)
      codes.add(await refusedConnect({ username: `GuessOfAnAttacker${index}`, clientId: "attacker" }));
    expect(codes.has(0x9f)).toBe(true);
    expect(await search("attacker")).toContainEqual(
      expect.objectContaining({ reason: expect.objectContaining({ code: "refusal.too_many_tries" }) }),
    );
    const client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, { username: device.token });
    await client.endAsync();
  });

  test("keeps the list over a restart", async () => {
    const directory = await mkdtemp(join(tmpdir(), "lineside-refusals-"));
    const first = await createTestApp({ directory, host: "one" });
    const { token } = await first.signIn("TENANT_OWNER");
    await first.call("POST", "/api/v1/TokenBeforeTheRestart/telemetry", { body: { t: 1 } });
    const before = (await first.call("GET", PATH, { token })).body;
    expect(before).toMatchObject([{ identity: "Toke… (21)" }]);
    await first.stop();
    const second = await createTestApp({ directory, host: "one" });
    expect((await second.call("GET", PATH, { token })).body).toEqual(before);
    await second.stop();
    await rm(directory, { recursive: true });
  });
});
