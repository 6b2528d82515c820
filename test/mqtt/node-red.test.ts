import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectAsync, type MqttClient } from "mqtt";
import { codeIn } from "../docs/quick-starts.ts";
import { freePort } from "../support/free-port.ts";
import { npmPeer } from "../support/peers.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until, untilAnswer } from "../support/until.ts";

const nodeRed = npmPeer("node-red");

const versions = ["4", "5"] as const;

/** Nodes that double what arrives on `raw/{version}/+` and read the telemetry of devices, over one version of MQTT. */
const flowOf = (version: string, port: number) => [
  {
    id: `broker${version}`,
    type: "mqtt-broker",
    ...{ broker: "127.0.0.1", port: String(port), clientid: `node-red-${version}`, protocolVersion: version },
    ...{ autoConnect: true, usetls: false, keepalive: "60", cleansession: false },
    ...{ birthTopic: `state/${version}`, birthQos: "1", birthRetain: "true", birthPayload: "online" },
    ...{ willTopic: `state/${version}`, willQos: "1", willRetain: "true", willPayload: "offline" },
  },
  {
    ...{ id: `in${version}`, type: "mqtt in", z: "tab", broker: `broker${version}` },
    ...{ topic: `raw/${version}/+`, qos: "2", datatype: "json", wires: [[`double${version}`]] },
  },
  {
    ...{ id: `double${version}`, type: "function", z: "tab", outputs: 1, wires: [[`out${version}`]] },
    func: 'msg.topic = msg.topic.replace("raw", "double"); msg.payload = msg.payload.value * 2; return msg;',
  },
  {
    ...{ id: `feed${version}`, type: "mqtt in", z: "tab", broker: `broker${version}` },
    ...{ topic: "lineside/devices/+/telemetry", qos: "1", datatype: "json", wires: [[`seen${version}`]] },
  },
  {
    ...{ id: `seen${version}`, type: "function", z: "tab", outputs: 1, wires: [[`out${version}`]] },
    func: `msg.topic = "seen/${version}"; msg.payload = msg.payload.values.temperature; return msg;`,
  },
  {
    id: `out${version}`,
    type: "mqtt out",
    z: "tab",
    broker: `broker${version}`,
    topic: "",
    qos: "1",
    wires: [],
  },
];

/** The flow that the quick start shows, and its device. */
const quickStart = codeIn(
  readFileSync(join(import.meta.dir, "../../docs/quick-start-node-red.md"), "utf8"),
  "json",
);

describe.skipIf(nodeRed === null)("Node-RED (skipped where it is missing in ~/.cache/lineside-peers)", () => {
  const folder = mkdtempSync(join(tmpdir(), "lineside-node-red-"));
  const received: { topic: string; text: string; retained: boolean }[] = [];
  let fixture: TestApp;
  let owner: string;
  let client: MqttClient;
  let program: Bun.Subprocess;
  let device: { deviceId: string; token: string };

  beforeAll(async () => {
    fixture = await createTestApp();
    owner = (await fixture.signIn("TENANT_OWNER")).token;
    const fields = { signIn: "PASSWORD", publish: ["#"], subscribe: ["#", "lineside/devices/#"] };
    const body = { ...fields, name: "Node-RED", username: "node-red", password: "sixteen quiet rooms" };
    await fixture.call("POST", "/api/mqtt/clients", { token: owner, body });
    device = await fixture.createDevice(owner, { name: "Quick start" });
    const port = fixture.app.mqttPort;
    client = await connectAsync(`mqtt://127.0.0.1:${port}`, {
      username: "node-red",
      password: body.password,
    });
    client.on("message", (topic, payload, { retain }) =>
      received.push({ topic, text: payload.toString(), retained: retain }),
    );
    await client.subscribeAsync(["double/#", "seen/#", "state/#"], { qos: 1 });
    const settings = {
      userDir: folder,
      flowFile: "flows.json",
      uiPort: await freePort(),
      uiHost: "127.0.0.1",
    };
    writeFileSync(
      join(folder, "settings.cjs"),
      `module.exports = ${JSON.stringify({ ...settings, credentialSecret: false })};`,
    );
    const flows = [
      { id: "tab", type: "tab", label: "test" },
      ...versions.flatMap((version) => flowOf(version, port)),
      ...JSON.parse(quickStart.replace('"1883"', `"${port}"`)),
    ];
    writeFileSync(join(folder, "flows.json"), JSON.stringify(flows));
    const credentials = { user: "node-red", password: body.password };
    writeFileSync(
      join(folder, "flows_cred.json"),
      JSON.stringify({
        ...{ broker4: credentials, broker5: credentials },
        "lineside.broker": { user: device.token, password: "" },
      }),
    );
    program = Bun.spawn(["node", join(nodeRed ?? "", "red.js"), "-s", join(folder, "settings.cjs")], {
      stdout: "ignore",
      stderr: "ignore",
    });
    for (const version of versions)
      await until(() =>
        received.some(({ topic, text }) => topic === `state/${version}` && text === "online"),
      );
  });

  afterAll(async () => {
    program?.kill();
    await program?.exited;
    await client?.endAsync(true);
    await fixture.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(versions)("answers on topics of its own, over MQTT %s", async (version) => {
    await client.publishAsync(`raw/${version}/press`, '{"value":21}', { qos: 2 });
    await until(() => received.some(({ topic }) => topic === `double/${version}/press`));
    expect(received.filter(({ topic }) => topic === `double/${version}/press`)).toEqual([
      { topic: `double/${version}/press`, text: "42", retained: false },
    ]);
  });

  test.each(versions)("reads what devices send, over MQTT %s", async (version) => {
    const { token } = await fixture.createDevice(owner);
    await fixture.call("POST", `/api/v1/${token}/telemetry`, { body: { temperature: 21.5 } });
    await until(() => received.some(({ topic, text }) => topic === `seen/${version}` && text === "21.5"));
  });

  test("sends the values of its quick start", async () => {
    const path = `/api/devices/${device.deviceId}/telemetry/latest`;
    const { body } = await untilAnswer(
      () => fixture.call("GET", path, { token: owner }),
      (response) => Object.keys(response.body.values ?? {}).length > 0,
    );
    expect(body.values).toEqual({ temperature: 21.5, running: true });
  });

  test("leaves its last will when it is killed", async () => {
    program.kill("SIGKILL");
    await program.exited;
    for (const version of versions)
      await until(() =>
        received.some(({ topic, text }) => topic === `state/${version}` && text === "offline"),
      );
    const late: string[] = [];
    const reader = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
      username: "node-red",
      password: "sixteen quiet rooms",
    });
    reader.on("message", (topic, payload, { retain }) => retain && late.push(`${topic} ${payload}`));
    await reader.subscribeAsync("state/#");
    await until(() => late.length === 2);
    expect(late.sort()).toEqual(["state/4 offline", "state/5 offline"]);
    await reader.endAsync(true);
  });
});
