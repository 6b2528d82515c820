import { expect, test } from "bun:test";
import {
  changesOf,
  fieldsOf,
  isKept,
  settingsOf,
} from "../../src/web/features/integrations/integration-form.ts";
import type { IntegrationSettings } from "../../src/web/features/integrations/integrations-api.ts";

const broker: IntegrationSettings = {
  autoCreateDevice: true,
  mqtt: {
    brokerUrl: "mqtts://broker:8883",
    topicFilter: ["a/#", "b/+"],
    qos: 1,
    credentials: { username: "u", password: { kept: true } },
  },
};

test("settings that are only looked at come back as they were", () => {
  expect(changesOf("MQTT", fieldsOf(broker), broker)).toMatchObject(broker);
});

test("a kept secret is shown empty, stays where nothing is typed, and gives way to what is", () => {
  const fields = fieldsOf(broker);
  expect([fields.password, isKept(broker, "password"), isKept(broker, "key")]).toEqual(["", true, false]);
  expect(changesOf("MQTT", fields, broker).mqtt?.credentials?.password).toEqual({ kept: true });
  const typed = changesOf("MQTT", { ...fields, password: "new" }, broker);
  expect(typed.mqtt?.credentials?.password).toBe("new");
});

test("what is not on the form stays, and what is emptied goes", () => {
  const changed = changesOf("MQTT", { ...fieldsOf(broker), username: " ", topics: "a/#\n\n" }, broker);
  expect(changed.mqtt).toMatchObject({ qos: 1, topicFilter: "a/#" });
  expect(changed.mqtt?.credentials).toEqual({ password: { kept: true } });
});

test("a network server that posts again instead of being asked loses its broker", () => {
  const fields = { ...fieldsOf(broker), usesMqtt: false };
  expect(changesOf("CHIRPSTACK", fields, broker).mqtt).toBeNull();
  expect(changesOf("MQTT", fields, broker).mqtt).not.toBeNull();
});

test("a new one names nothing that was left empty", () => {
  const fields = { ...fieldsOf({}), autoCreate: true };
  expect(settingsOf("HTTP", fields)).toEqual({ autoCreateDevice: true });
  expect(settingsOf("CHIRPSTACK", { ...fields, fPort: "7", apiKey: "k", radioPrefix: "" })).toEqual({
    autoCreateDevice: true,
    radioPrefix: "",
    downlink: { fPort: 7, apiKey: "k" },
  });
});

test("how a broker is connected to is said only where it is not as usual", () => {
  const fields = { ...fieldsOf({}), brokerUrl: "mqtt://b", topics: "a" };
  expect(settingsOf("MQTT", fields).mqtt).toEqual({ brokerUrl: "mqtt://b", topicFilter: "a" });
  const mqtt = {
    brokerUrl: "mqtts://b",
    topicFilter: "a",
    topicDeviceRegex: "^a/([^/]+)",
    clientId: "me",
    qos: 2 as const,
    protocolVersion: 5 as const,
    takeRetained: true,
    tls: { serverName: "other", rejectUnauthorized: false },
  };
  expect(changesOf("MQTT", fieldsOf({ mqtt }), { mqtt }).mqtt).toEqual(mqtt);
  const plain = {
    ...fieldsOf({ mqtt }),
    isTrusting: false,
    serverName: "",
    version: "4",
    topicTemplate: "{device}/up",
  };
  expect(changesOf("MQTT", plain, { mqtt }).mqtt).toEqual({
    brokerUrl: "mqtts://b",
    topicFilter: "a",
    topicTemplate: "{device}/up",
    clientId: "me",
    qos: 2,
    takeRetained: true,
  });
});
