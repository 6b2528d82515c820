import { Elysia } from "elysia";
import { omit } from "../../lib/core/omit.ts";
import { iso } from "../../lib/time/iso-time.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import { resourceRoutes } from "../api/resource.routes.ts";
import { itemToWire } from "../api/resource.ts";
import { successBody } from "../api/wire.schemas.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { mqttClientResource } from "./mqtt-clients.resource.ts";
import { publishBody, topicsBody, topicsQuery } from "./mqtt-clients.schemas.ts";
import type { MqttClientsService, SavedMqttClient } from "./mqtt-clients.service.ts";
import type { RefusedMessages, TopicState } from "./mqtt-clients.types.ts";

const TOPICS_MAX = 1_000;

const refusedToWire = ({ refusedAt, ...refused }: RefusedMessages) => ({
  ...refused,
  refusedAt: iso(refusedAt),
});

const wireOf =
  (clients: MqttClientsService) =>
  ({ passwordHash: _, validTo, ...client }: SavedMqttClient) => {
    const refused = clients.refusedOf(client);
    return {
      ...itemToWire(client),
      validTo: iso(validTo),
      confirmed: clients.isConfirmed(client),
      connections: clients.connectionsOf(client),
      refused: refused === undefined ? null : refusedToWire(refused),
    };
  };

/** Returns a payload as text if it is UTF-8, otherwise in base64. An incomplete character at the end of a truncated payload is omitted. */
function readPayload(payload: Uint8Array, bytes: number): { payload: string; encoding: "text" | "base64" } {
  try {
    const isCut = bytes > payload.length;
    const text = new TextDecoder("utf-8", { fatal: true }).decode(payload, { stream: isCut });
    return { payload: text, encoding: "text" };
  } catch {
    return { payload: Buffer.from(payload).toString("base64"), encoding: "base64" };
  }
}

const topicToWire = ({ payload, bytes, isRetained, receivedAt, ...state }: TopicState) => ({
  ...state,
  ...readPayload(payload, bytes),
  bytes,
  retained: isRetained,
  receivedAt: iso(receivedAt),
});

interface MqttClientsRoutesDeps {
  readonly clients: MqttClientsService;
  readonly responses: ResponseSpace;
  readonly auth: AuthPlugin;
}

export const mqttClientsRoutes = ({ clients, responses, auth }: MqttClientsRoutesDeps) => {
  const toWire = wireOf(clients);
  return resourceRoutes(mqttClientResource, {
    service: clients,
    longList: { responses, read: (principal) => clients.read(principal) },
    toWire,
    read({ principal }, id) {
      const client = omit(toWire(clients.get(principal, id)), "connections", "refused");
      return client;
    },
    auth,
  });
};

/** Creates the routes that list the topics of MQTT clients and publish to them. */
export const mqttTopicsRoutes = ({ clients, auth }: { clients: MqttClientsService; auth: AuthPlugin }) =>
  new Elysia({ prefix: "/api/mqtt", tags: ["mqtt clients"] })
    .use(auth)
    .get(
      "/topics",
      ({ principal, query }) => {
        const topics = clients.listTopics(principal, query.prefix ?? "");
        return { topics: topics.slice(0, TOPICS_MAX).map(topicToWire), total: topics.length };
      },
      {
        auth: "mqtt-clients:publish",
        query: topicsQuery,
        response: { 200: topicsBody },
        detail: {
          operationId: "listMqttTopics",
          summary: "List topics with their newest messages",
          description:
            "Lists the topics on which MQTT clients of the tenant have published since the gateway started, by name. The 5,000 most recently used topics of a tenant are kept.",
          errors: ALL_DEVICES_ONLY,
        },
      },
    )
    .post(
      "/publish",
      async ({ principal, body }) => {
        const { topic, payload, qos = 0, retain = false } = body;
        await clients.publish(principal, { topic, payload: Buffer.from(payload), qos, retain });
        return { success: true };
      },
      {
        auth: "mqtt-clients:publish",
        audit: { action: "mqtt_client.publish", target: "mqtt_topic" },
        body: publishBody,
        response: { 200: successBody },
        detail: {
          operationId: "publishMqttMessage",
          summary: "Publish a message",
          description: "Publishes on a topic of the tenant's MQTT clients.",
          errors: {
            ...ALL_DEVICES_ONLY,
            400: "The topic has a wildcard or is reserved (`$…`, `lineside/…`).",
          },
          example: { topic: "plant/line-1/lamp/set", payload: "ON", qos: 1, retain: true },
        },
      },
    );
