import { conflict, notFound } from "../../lib/core/domain-error.ts";
import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import { defineResource } from "../api/resource.ts";
import {
  createMqttClientBody,
  mqttClientBody,
  REFUSALS,
  savedMqttClientBody,
  updateMqttClientBody,
} from "./mqtt-clients.schemas.ts";
import { mqttClients } from "./mqtt-clients.tables.ts";

export const mqttClientResource = defineResource({
  name: "mqtt_client",
  table: mqttClients,
  key: "mqttClientId",
  path: "/api/mqtt/clients",
  tag: "mqtt clients",
  permissions: { read: "mqtt-clients:read", write: "mqtt-clients:write" },
  order: { by: "name", ignoresCase: true },
  list: { sort: ["name", "signIn", "createdAt", "updatedAt"], search: ["name"] },
  notFound: () => notFound("mqtt_client.not_found"),
  unique: [
    { column: "name", taken: () => conflict("mqtt_client.name_taken") },
    { column: "apiKeyId", taken: () => conflict("mqtt_client.api_key_taken") },
  ],
  limit: { max: 1_000, reached: (max) => conflict("mqtt_client.too_many", { max }) },
  schemas: {
    item: mqttClientBody,
    created: savedMqttClientBody,
    updated: savedMqttClientBody,
    create: createMqttClientBody,
    update: updateMqttClientBody,
  },
  operations: {
    list: {
      summary: "List MQTT clients",
      description: "Lists MQTT clients with topics of their own, sorted by name and without their passwords.",
    },
    create: {
      summary: "Create an MQTT client",
      description:
        "The client may publish and subscribe to topics of its tenant, with retained messages, wills, wildcards and shared subscriptions. It cannot reach topics of devices or of other tenants. A generated password is shown only in this response.",
      errors: REFUSALS,
      example: {
        name: "Node-RED",
        signIn: "PASSWORD",
        username: "node-red",
        publish: ["plant/#"],
        subscribe: ["plant/#", "lineside/devices/#"],
      },
    },
    get: { summary: "Read an MQTT client", errors: { 404: "The client is unknown." } },
    update: {
      summary: "Change an MQTT client",
      description:
        "Every change except a new name ends the client's connections and sessions; the client can sign in again immediately. `signIn` PASSWORD without a password generates a new password.",
      errors: { ...REFUSALS, 404: "The client is unknown." },
      example: { publish: ["plant/line-1/#"] },
    },
    delete: {
      summary: "Delete an MQTT client",
      description: "Its connections and sessions end immediately.",
      errors: { ...ALL_DEVICES_ONLY, 404: "The client is unknown." },
    },
  },
});

/** Program or device that uses its own topics on the embedded broker, in addition to the device API. */
export type MqttClient = typeof mqttClientResource.$item;
