import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createMosquitto, hasMosquitto, type Mosquitto } from "../support/mosquitto.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

/** Integrations that fetch their messages from a broker, in the whole program. */
describe.skipIf(!hasMosquitto)("an integration with a broker", () => {
  let fixture: TestApp;
  let broker: Mosquitto;
  let token: string;
  let brokerUrl: string;
  beforeAll(async () => {
    fixture = await createTestApp({ config: { outbound_allow: "127.0.0.1" } });
    broker = await createMosquitto();
    brokerUrl = `mqtt://127.0.0.1:${broker.port}`;
    token = (await fixture.signIn("TENANT_OWNER")).token;
  });
  afterAll(async () => {
    await fixture.stop();
    await broker.stop();
  });

  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fixture.call(method, `/api${path}`, { token, body });
    if (response.status >= 300)
      throw new Error(`${method} ${path} answered ${response.status} ${response.text}`);
    return response.body;
  };
  const create = (name: string, settings: object, more: object = {}) =>
    call("POST", "/integrations", { name, type: "MQTT", status: "active", settings_json: settings, ...more });
  const bridgeIs = (integrationId: string, status: string) =>
    untilAnswer(
      () => call("GET", `/integrations/${integrationId}`),
      ({ bridge }) => bridge?.status === status,
    );
  const deviceNamed = async (name: string): Promise<{ deviceId: string }> => {
    const [device] = await untilAnswer(
      () => call("GET", `/devices?search=${name}`),
      (devices: { deviceId: string }[]) => devices.length > 0,
    );
    if (device === undefined) throw new Error("there is none");
    return device;
  };
  const publish = async (topic: string, body: unknown) =>
    (await broker.client()).publishAsync(topic, typeof body === "string" ? body : JSON.stringify(body), {
      qos: 1,
    });

  test("stores what its broker sends, under devices that it makes from the topic", async () => {
    const { integrationId, bridge } = await create("field", {
      mqtt: { brokerUrl, topicFilter: "field/+/up", topicTemplate: "field/{device}/up" },
      autoCreateDevice: true,
      deviceType: "probe",
    });
    expect(bridge === null || ["connecting", "connected"].includes(bridge.status)).toBe(true);
    await bridgeIs(integrationId, "connected");
    await publish("field/probe-7/up", { temperature: 21.5 });
    const device = await deviceNamed("probe-7");
    expect(device).toMatchObject({ deviceType: "probe" });
    const latest = await untilAnswer(
      () => call("GET", `/devices/${device.deviceId}/telemetry/latest`),
      ({ values }) => values.temperature !== undefined,
    );
    expect(latest.values).toMatchObject({ temperature: 21.5 });
    const [event] = await untilAnswer(
      () => call("GET", `/integrations/${integrationId}/events`),
      (events: unknown[]) => events.length > 0,
    );
    expect(event).toMatchObject({ status: "OK", topic: "field/probe-7/up", payload: { temperature: 21.5 } });
    const shown = await call("GET", `/integrations/${integrationId}`);
    expect(shown).toMatchObject({
      status: "active",
      lastError: null,
      bridge: {
        status: "connected",
        problem: null,
        subscriptions: [{ filter: "field/+/up", qos: 1 }],
        counts: { received: 1, ignored: 0, tooLarge: 0, dropped: 0 },
      },
    });
  });

  test("keeps a message that cannot be read as an event, and takes the next one", async () => {
    const { integrationId } = await create("broken", {
      mqtt: { brokerUrl, topicFilter: "broken/#", topicTemplate: "broken/{device}" },
      autoCreateDevice: true,
    });
    await bridgeIs(integrationId, "connected");
    await publish("broken/one", "{no json");
    await publish("broken/two", { a: 1 });
    const events = await untilAnswer(
      () => call("GET", `/integrations/${integrationId}/events`),
      (list: { status: string; topic: string }[]) => list.length === 2,
    );
    expect(events.map(({ status, topic }: { status: string; topic: string }) => [status, topic])).toEqual([
      ["OK", "broken/two"],
      ["ERROR", "broken/one"],
    ]);
  });

  test("is in error with the reason while it cannot connect, and well again by itself", async () => {
    const other = await createMosquitto();
    await other.kill("SIGTERM");
    const settings = { mqtt: { brokerUrl: `mqtt://127.0.0.1:${other.port}`, topicFilter: "a" } };
    const { integrationId } = await create("late", settings);
    const failed = await untilAnswer(
      () => call("GET", `/integrations/${integrationId}`),
      ({ status }) => status === "error",
    );
    expect(failed).toMatchObject({
      lastError: "No program accepts connections at this address and port (connection refused).",
      bridge: {
        status: "waiting",
        problem: "No program accepts connections at this address and port (connection refused).",
      },
    });
    await other.start();
    await untilAnswer(
      () => call("GET", `/integrations/${integrationId}`),
      ({ status, bridge }) => status === "active" && bridge.status === "connected",
    );
    await call("DELETE", `/integrations/${integrationId}`);
    await other.stop();
  });

  test("leaves its broker when it is paused, and comes back for what it missed", async () => {
    const { integrationId } = await create("paused", {
      mqtt: { brokerUrl, topicFilter: "paused/#", topicTemplate: "paused/{device}" },
      autoCreateDevice: true,
    });
    await bridgeIs(integrationId, "connected");
    const paused = await call("POST", `/integrations/${integrationId}/pause`);
    expect(paused.status).toBe("paused");
    await untilAnswer(
      () => call("GET", `/integrations/${integrationId}`),
      ({ bridge }) => bridge === null,
    );
    await publish("paused/missed-1", { a: 1 });
    await call("POST", `/integrations/${integrationId}/start`);
    await deviceNamed("missed-1");
  });

  test("signs in with a secret that is never shown, also after other changes", async () => {
    const { integrationId } = await create("secret", {
      mqtt: { brokerUrl, topicFilter: "s", credentials: { username: "me", password: "very secret" } },
    });
    const shown = await bridgeIs(integrationId, "connected");
    expect(JSON.stringify(shown)).not.toContain("very secret");
    expect(shown.settings_json.mqtt.credentials).toEqual({ username: "me", password: { kept: true } });
    const mqtt = { ...shown.settings_json.mqtt, topicFilter: "s2" };
    await call("PATCH", `/integrations/${integrationId}`, { settings_json: { mqtt } });
    await untilAnswer(
      () => call("GET", `/integrations/${integrationId}`),
      ({ bridge }) => bridge?.subscriptions[0]?.filter === "s2",
    );
  });

  test.each([
    ["topicTemplate", "a/b", "`topicTemplate` must contain {device} once."],
    [
      "topicDeviceRegex",
      "(",
      "`topicDeviceRegex` cannot be read as a regular expression: error parsing regexp: missing closing ): `(`.",
    ],
    ["topicDeviceRegex", "(?=a)", "`topicDeviceRegex` "],
  ])("a %s that is none is refused when it is written: %s", async (name, value, message) => {
    const settings_json = { mqtt: { brokerUrl, topicFilter: "a", [name]: value } };
    const response = await fixture.call("POST", "/api/integrations", {
      token,
      body: { name: "wrong", type: "MQTT", settings_json },
    });
    expect(response.status).toBe(400);
    expect(response.body.message).toStartWith(message);
  });

  test("goes nowhere that the rule for outbound connections forbids", async () => {
    const mqtt = { brokerUrl: `mqtt://127.0.0.1:${fixture.app.mqttPort}`, topicFilter: "a" };
    const { status, body } = await fixture.call("POST", "/api/integrations", {
      token,
      body: { name: "ourselves", type: "MQTT", settings_json: { mqtt } },
    });
    expect([status, body.message]).toEqual([400, expect.stringContaining("It is this gateway itself.")]);
  });
});
