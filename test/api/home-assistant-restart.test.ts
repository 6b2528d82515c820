import { expect, test } from "bun:test";
import { createMosquitto, hasMosquitto } from "../support/mosquitto.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

const config = { outbound_allow: "127.0.0.1" };

const announcement = {
  ...{ stat_t: "plant/pump/pressure", name: "Pressure", unit_of_meas: "bar", stat_cla: "measurement" },
  ...{ dev: { ids: ["pump"], name: "Pump" }, uniq_id: "pump-p" },
};

function openApi(fixture: TestApp, token: string) {
  const call = (method: string, path: string, body?: unknown) =>
    fixture.call(method, `/api${path}`, { token, body });
  return {
    call,
    async connected(integrationId: string) {
      await untilAnswer(
        () => call("GET", `/integrations/${integrationId}`),
        ({ body }) => body.bridge?.status === "connected",
      );
    },
    async discover(brokerUrl: string, name = "discovery"): Promise<string> {
      const mqtt = { brokerUrl, topicFilter: "homeassistant/#" };
      const { body } = await call("POST", "/integrations", {
        ...{ name, type: "MQTT", status: "active" },
        settings_json: { format: "home-assistant", autoCreateDevice: true, mqtt },
      });
      return body.integrationId;
    },
    async goneOf(name: string): Promise<unknown> {
      const { body } = await call("GET", `/devices?search=${name}`);
      const attributes = await call("GET", `/devices/${body[0].deviceId}/attributes?scope=CLIENT`);
      return attributes.body.find(({ key }: { key: string }) => key === "entitiesGone")?.value;
    },
    async valueOf(name: string, key: string): Promise<unknown> {
      const { body } = await call("GET", `/devices?search=${name}`);
      const device = body.find((item: { name: string }) => item.name === name);
      if (device === undefined) return undefined;
      return (await call("GET", `/devices/${device.deviceId}/telemetry/latest`)).body.values[key];
    },
  };
}

test.skipIf(!hasMosquitto)("states that another broker kept over a restart are stored", async () => {
  const broker = await createMosquitto();
  const field = await broker.client();
  const before = await createTestApp({ config });
  const { token } = await before.signIn("TENANT_OWNER");
  const api = openApi(before, token);
  const id = await api.discover(`mqtt://127.0.0.1:${broker.port}`);
  await api.connected(id);
  // Not retained: nobody says it again.
  await field.publishAsync("homeassistant/sensor/pump/pressure/config", JSON.stringify(announcement), {
    qos: 1,
  });
  await untilAnswer(
    async () => {
      await field.publishAsync("plant/pump/pressure", "1", { qos: 1 });
      return api.valueOf("Pump", "pressure");
    },
    (value) => value === 1,
  );
  await before.app.stop();
  for (const value of ["2", "3"]) await field.publishAsync("plant/pump/pressure", value, { qos: 1 });
  const after = await createTestApp({ config, directory: before.directory });
  const again = openApi(after, token);
  await untilAnswer(
    () => again.valueOf("Pump", "pressure"),
    (value) => value === 3,
  );
  await field.endAsync();
  await after.stop();
  await broker.stop();
});

test.skipIf(!hasMosquitto)("a removed announcement is not read again after a restart", async () => {
  const broker = await createMosquitto();
  const field = await broker.client();
  const before = await createTestApp({ config });
  const { token } = await before.signIn("TENANT_OWNER");
  const api = openApi(before, token);
  await api.connected(await api.discover(`mqtt://127.0.0.1:${broker.port}`));
  const topic = "homeassistant/sensor/pump/pressure/config";
  await field.publishAsync(topic, JSON.stringify(announcement), { qos: 1, retain: true });
  await untilAnswer(
    async () => {
      await field.publishAsync("plant/pump/pressure", "1", { qos: 1 });
      return api.valueOf("Pump", "pressure");
    },
    (value) => value === 1,
  );
  await before.app.stop();
  await field.publishAsync(topic, "", { qos: 1, retain: true });
  const after = await createTestApp({ config, directory: before.directory });
  const again = openApi(after, token);
  await untilAnswer(
    () => again.goneOf("Pump"),
    (gone) => Bun.deepEquals(gone, ["pressure"]),
  );
  const flow = { ...announcement, stat_t: "plant/pump/flow", uniq_id: "pump-f" };
  await field.publishAsync("homeassistant/sensor/pump/flow/config", JSON.stringify(flow), {
    qos: 1,
    retain: true,
  });
  await untilAnswer(
    async () => {
      await field.publishAsync("plant/pump/flow", "1", { qos: 1 });
      return again.valueOf("Pump", "flow");
    },
    (value) => value === 1,
  );
  await after.app.stop();
  // The broker still has the subscription, and sends the state of the removed component first.
  await field.publishAsync("plant/pump/pressure", "3", { qos: 1 });
  await field.publishAsync("plant/pump/flow", "3", { qos: 1 });
  const third = await createTestApp({ config, directory: before.directory });
  const last = openApi(third, token);
  await untilAnswer(
    () => last.valueOf("Pump", "flow"),
    (value) => value === 3,
  );
  expect(await last.valueOf("Pump", "pressure")).toBe(1);
  await field.endAsync();
  await third.stop();
  await broker.stop();
});
