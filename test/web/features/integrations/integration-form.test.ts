import { expect, test } from "bun:test";
import {
  changesOf,
  LOCAL_BROKER,
  settingsForm,
  settingsOf,
  valuesOf,
} from "../../../../src/web/features/integrations/integration-form.tsx";
import type {
  IntegrationSettings,
  IntegrationType,
} from "../../../../src/web/features/integrations/integrations-api.ts";
import { type FormValues, withValue } from "../../../../src/web/lib/form-schema.ts";

const broker: IntegrationSettings = {
  autoCreateDevice: true,
  mqtt: {
    brokerUrl: "mqtts://broker:8883",
    topicFilter: ["a/#", "b/+"],
    qos: 1,
    credentials: { username: "u", password: { kept: true } },
  },
};

const sent = (type: IntegrationType, values: FormValues, before: IntegrationSettings = {}) =>
  settingsOf(settingsForm(type, before), values);
const changes = (type: IntegrationType, values: FormValues, before: IntegrationSettings) =>
  changesOf(before, sent(type, values, before));

test("settings that are only looked at come back as they were", () => {
  expect(changes("MQTT", valuesOf(broker), broker)).toEqual(broker);
  const whole: IntegrationSettings = {
    ...broker,
    format: "generic",
    paths: { deviceId: "id" },
    codecs: [{ codecId: "c" }],
    scriptTransform: { enabled: false, source: "" },
    mqtt: { brokerUrl: "mqtt://b", topicFilter: "a/#", topicTemplate: "{device}/up", keepAliveS: 30 },
  };
  expect(changes("MQTT", valuesOf(whole), whole)).toEqual(whole);
});

test("a stored secret stays unless another is typed", () => {
  const typed = withValue(valuesOf(broker), "mqtt.credentials.password", "new");
  expect(changes("MQTT", typed, broker).mqtt?.credentials?.password).toBe("new");
});

test("what is emptied goes", () => {
  const emptied = withValue(valuesOf(broker), "mqtt.credentials.username", " ");
  expect(changes("MQTT", emptied, broker).mqtt?.credentials).toEqual({ password: { kept: true } });
});

test("a network server that posts again instead of being asked loses its broker", () => {
  expect(changes("CHIRPSTACK", { ...valuesOf(broker), mqtt: undefined }, broker).mqtt).toBeNull();
});

test("a new integration names nothing that was left empty", () => {
  const values = { ...valuesOf({}), autoCreateDevice: true };
  expect(sent("HTTP", values)).toEqual({ autoCreateDevice: true });
  expect(
    sent("CHIRPSTACK", { ...values, downlink: { fPort: 7, apiKey: "k", url: "" }, radioPrefix: "" }),
  ).toEqual({ autoCreateDevice: true, radioPrefix: "", downlink: { fPort: 7, apiKey: "k" } });
});

test("an integration at the gateway's own broker has no credentials", () => {
  const local = withValue(valuesOf(broker), "mqtt.brokerUrl", LOCAL_BROKER);
  expect(sent("MQTT", local).mqtt).toEqual({ brokerUrl: LOCAL_BROKER, topicFilter: ["a/#", "b/+"] });
});

test("keys of the broker are left out with the fields that were emptied", () => {
  const mqtt: FormValues = {
    brokerUrl: "mqtts://b",
    topicFilter: "a",
    topicDeviceRegex: "^a/([^/]+)",
    tls: { serverName: "", rejectUnauthorized: undefined },
  };
  expect(sent("MQTT", { ...valuesOf({}), mqtt }).mqtt).toEqual({
    brokerUrl: "mqtts://b",
    topicFilter: "a",
    topicDeviceRegex: "^a/([^/]+)",
  });
});
