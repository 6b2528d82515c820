import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { javaWithPaho, Peer, pahoTwoModules } from "../support/peers.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** Clients that others wrote, against the whole program. */
let fixture: TestApp;
let owner: string;
beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

const get = async (path: string) => (await fixture.call("GET", path, { token: owner })).body;
const childOf = async (deviceId: string, name: string) =>
  (await get(`/api/devices/${deviceId}/children`)).find((child: { name: string }) => child.name === name);
const latest = async (deviceId: string) => (await get(`/api/devices/${deviceId}/telemetry/latest`)).values;
/** Waits for the answer; `waitMs` is more than any test may take. */
const command = async (deviceId: string, method: string) =>
  (
    await fixture.call("POST", `/api/devices/${deviceId}/commands?wait=10000`, {
      token: owner,
      body: { method, params: { n: 1 } },
    })
  ).body;
const share = (deviceId: string, attributes: unknown) =>
  fixture.call("POST", `/api/devices/${deviceId}/attributes`, {
    token: owner,
    body: { scope: "SHARED", attributes },
  });

const python = "/usr/bin/python3";
const hasPaho = Bun.spawnSync([python, "-c", "import paho.mqtt.client"], { stderr: "ignore" }).success;
if (!hasPaho && process.env.CI) throw new Error("python3-paho-mqtt must be installed in CI");

describe.skipIf(!hasPaho).each(["3.1.1", "5"])("paho speaking %s", (version) => {
  const paho = (role: "device" | "gateway", token: string, child = "") =>
    new Peer([
      python,
      join(import.meta.dir, "paho_peer.py"),
      role,
      `${fixture.app.mqttPort}`,
      token,
      version,
      child,
    ]);

  test("is a device: telemetry, attributes, a command, a shared attribute", async () => {
    const { deviceId, token } = await fixture.createDevice(owner);
    const peer = paho("device", token);
    expect(await peer.json()).toEqual({ event: "connected", reason: 0 });
    expect(await peer.json()).toEqual({ event: "subscribed", granted: [1, 1] });
    expect(await peer.json()).toEqual({ event: "published" });
    expect(await latest(deviceId)).toEqual({ new: 2 });
    expect(await command(deviceId, "blink")).toMatchObject({
      status: "SUCCESSFUL",
      response: { answered: true },
    });
    expect(await peer.json()).toMatchObject({ body: { method: "blink", params: { n: 1 } } });
    await share(deviceId, { target: 3 });
    expect(await peer.json()).toMatchObject({ topic: "v1/devices/me/attributes", body: { target: 3 } });
    await peer.end();
  });

  test("is a gateway: a child made, its telemetry, attributes, a command, a shared attribute", async () => {
    const { deviceId, token } = await fixture.createDevice(owner, { role: "GATEWAY" });
    const name = `paho child ${version}`;
    const peer = paho("gateway", token, name);
    expect(await peer.json()).toEqual({ event: "connected", reason: 0 });
    expect(await peer.json()).toEqual({ event: "subscribed", granted: [1, 1, 1] });
    const received = [await peer.json(), await peer.json()];
    expect(received).toContainEqual({ event: "published" });
    expect(received).toContainEqual({
      event: "message",
      topic: "v1/gateway/attributes/response",
      body: { id: 7, device: name, value: "2.1" },
    });
    const child = await childOf(deviceId, name);
    expect(child).toMatchObject({ deviceType: "paho", active: true });
    expect(await latest(child.deviceId)).toEqual({ old: 1, new: 2 });
    expect(await command(child.deviceId, "blink")).toMatchObject({
      status: "SUCCESSFUL",
      response: { answered: true },
    });
    expect(await peer.json()).toMatchObject({
      topic: "v1/gateway/rpc",
      body: { device: name, data: { method: "blink", params: { n: 1 } } },
    });
    await share(child.deviceId, { target: 3 });
    expect(await peer.json()).toMatchObject({
      topic: "v1/gateway/attributes",
      body: { device: name, data: { target: 3 } },
    });
    await peer.end();
  });
});

test.skipIf(javaWithPaho === null)(
  "Paho for Java is a device: telemetry, a request, a command that it answers with a text (skipped where it is missing)",
  async () => {
    const { deviceId, token } = await fixture.createDevice(owner);
    await share(deviceId, { interval: 5 });
    const source = join(import.meta.dir, "PahoPeer.java");
    const peer = new Peer([...(javaWithPaho ?? []), source, `${fixture.app.mqttPort}`, token]);
    expect(await peer.json()).toMatchObject({ body: { shared: { interval: 5 } } });
    expect(await latest(deviceId)).toEqual({ new: 2 });
    expect(await command(deviceId, "blink")).toMatchObject({ status: "SUCCESSFUL", response: "ok" });
    await peer.end();
  },
);

const thingsBoard = pahoTwoModules("tb_device_mqtt.py");
describe.skipIf(thingsBoard === null)("the ThingsBoard SDK for Python (skipped where it is missing)", () => {
  const sdk = (role: "device" | "gateway", token: string) =>
    new Peer(
      ["python3", join(import.meta.dir, "thingsboard_peer.py"), role, `${fixture.app.mqttPort}`, token],
      { PYTHONPATH: thingsBoard ?? "" },
    );
  /** What the peer prints until each of the keys was there. */
  async function untilKeys(peer: Peer, ...keys: string[]) {
    const lines: Record<string, unknown> = {};
    while (keys.some((key) => !(key in lines))) Object.assign(lines, await peer.json());
    return lines;
  }

  test("is a device: limits, attributes, telemetry in parts, a command", async () => {
    const { deviceId, token } = await fixture.createDevice(owner);
    await share(deviceId, { interval: 5 });
    const peer = sdk("device", token);
    expect(await untilKeys(peer, "sent", "limits", "requested")).toMatchObject({
      limits: { maxInflightMessages: expect.any(Number), rateLimits: {} },
      requested: { shared: { interval: 5 } },
    });
    expect(await latest(deviceId)).toMatchObject({ old: 1, new: 2, key499: 499 });
    const answered = command(deviceId, "blink");
    expect(await peer.json()).toEqual({ command: "blink", params: { n: 1 } });
    expect(await answered).toMatchObject({ status: "SUCCESSFUL", response: { answered: true } });
    await share(deviceId, { interval: 6 });
    expect(await peer.json()).toEqual({ shared: { interval: 6 } });
    await peer.end();
  });

  test("is a gateway: a child, its attributes, telemetry, a command", async () => {
    const { deviceId, token } = await fixture.createDevice(owner, { role: "GATEWAY" });
    const peer = sdk("gateway", token);
    expect(await untilKeys(peer, "requested")).toMatchObject({
      requested: { device: "SDK child", value: "2.1" },
    });
    const child = await childOf(deviceId, "SDK child");
    expect(child).toMatchObject({ deviceType: "sdk" });
    expect(await latest(child.deviceId)).toEqual({ old: 1, new: 2 });
    expect(await command(child.deviceId, "blink")).toMatchObject({ status: "SUCCESSFUL" });
    await share(child.deviceId, { interval: 6 });
    expect(await untilKeys(peer, "shared")).toMatchObject({
      command: "blink",
      shared: { device: "SDK child", data: { interval: 6 } },
    });
    await peer.end();
  });
});

const tools = Bun.which("mosquitto_pub") !== null && Bun.which("mosquitto_sub") !== null;
if (!tools && process.env.CI) throw new Error("mosquitto_pub and mosquitto_sub must be installed in CI");

describe.skipIf(!tools).each(["mqttv311", "mqttv5"])("mosquitto clients speaking %s", (version) => {
  test("are a gateway: a child made by its telemetry, a command that waits for it", async () => {
    const { deviceId, token } = await fixture.createDevice(owner, { role: "GATEWAY" });
    const name = `mosquitto child ${version}`;
    const common = [
      "-h",
      "127.0.0.1",
      "-p",
      `${fixture.app.mqttPort}`,
      "-u",
      token,
      "-V",
      version,
      "-q",
      "1",
    ];
    const say = (topic: string, body: unknown) =>
      Bun.spawn(["mosquitto_pub", ...common, "-t", `v1/gateway/${topic}`, "-m", JSON.stringify(body)]).exited;
    expect(await say("telemetry", { [name]: [{ t: 1.25 }] })).toBe(0);
    const child = await childOf(deviceId, name);
    expect(await latest(child.deviceId)).toEqual({ t: 1.25 });
    const created = await fixture.call("POST", `/api/devices/${child.deviceId}/commands`, {
      token: owner,
      body: { method: "open" },
    });
    const sub = new Peer(["mosquitto_sub", ...common, "-t", "v1/gateway/rpc"]);
    const { device, data } = await sub.json();
    expect({ device, method: data.method }).toEqual({ device: name, method: "open" });
    expect(await say("rpc", { device: name, id: data.id, data: true })).toBe(0);
    await sub.end(); // not before: if it had not acknowledged the command yet, the command would wait again
    const path = `/api/devices/${child.deviceId}/commands/${created.body.commandId}`;
    expect(await get(path)).toMatchObject({ status: "SUCCESSFUL", response: true });
  });
});
