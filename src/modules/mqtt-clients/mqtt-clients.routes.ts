import { Elysia, t } from "elysia";
import { iso } from "../../lib/iso-time.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { wholeList } from "../lists.ts";
import { successBody } from "../wire.schemas.ts";
import {
  createMqttClientBody,
  mqttClientBody,
  publishBody,
  savedMqttClientBody,
  topicsBody,
  topicsQuery,
  updateMqttClientBody,
} from "./mqtt-clients.schemas.ts";
import type { MqttClientsService, SavedMqttClient } from "./mqtt-clients.service.ts";
import type { MqttClient, RefusedMessages, TopicState } from "./mqtt-clients.types.ts";

const TOPICS_MAX = 1_000;

const clientList = wholeList({ sort: ["name", "signIn", "createdAt", "updatedAt"], search: ["name"] });

const refusedToWire = ({ refusedAt, ...refused }: RefusedMessages) => ({
  ...refused,
  refusedAt: iso(refusedAt),
});

const toWire = (clients: MqttClientsService, client: MqttClient) => {
  const refused = clients.refusedOf(client);
  return {
    mqttClientId: client.mqttClientId,
    name: client.name,
    signIn: client.signIn,
    username: client.username,
    fingerprint: client.fingerprint,
    validTo: client.validTo === null ? null : iso(client.validTo),
    confirmed: clients.isConfirmed(client),
    apiKeyId: client.apiKeyId,
    publish: [...client.publish],
    subscribe: [...client.subscribe],
    enabled: client.enabled,
    messagesPerSecond: client.messagesPerSecond,
    connections: clients.connectionsOf(client),
    refused: refused === undefined ? null : refusedToWire(refused),
    createdAt: iso(client.createdAt),
    updatedAt: iso(client.updatedAt),
  };
};

const savedToWire = (clients: MqttClientsService, { client, password }: SavedMqttClient) => ({
  ...toWire(clients, client),
  ...(password !== undefined && { password }),
});

/** Returns a payload as text if it is UTF-8, else in base64. An incomplete character at the end of a truncated payload is left out. */
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

const refusals =
  "400 for a pattern that is reserved or not a topic filter; 409 for a name or API key of another client of the tenant, or a user name or certificate of another client or device of the tenant; 403 without access to all devices.";

/** Routes that read MQTT clients. */
export const mqttClientsRoutes = ({ clients, auth }: { clients: MqttClientsService; auth: AuthPlugin }) =>
  new Elysia({ prefix: "/api/mqtt/clients", tags: ["mqtt clients"] })
    .use(auth)
    .get(
      "",
      ({ principal, query, request, set }) =>
        clientList.page(
          { query, request, set },
          clients.list(principal).map((client) => toWire(clients, client)),
        ),
      {
        auth: "mqtt-clients:read",
        query: t.Object(clientList.fields),
        response: { 200: t.Array(mqttClientBody) },
        detail: {
          summary: "List MQTT clients",
          description:
            "Lists the clients of the broker with topics of their own, by name and without their passwords.",
        },
      },
    )
    .get(
      "/:mqttClientId",
      ({ principal, params }) => toWire(clients, clients.get(principal, params.mqttClientId)),
      {
        auth: "mqtt-clients:read",
        response: { 200: mqttClientBody },
        detail: { summary: "Read an MQTT client", description: "404 unknown." },
      },
    );

/** Routes with which administrators create, change and delete MQTT clients. */
export const mqttClientChangesRoutes = ({
  clients,
  auth,
}: {
  clients: MqttClientsService;
  auth: AuthPlugin;
}) => {
  const read = ({ principal }: AuditContext, id: string) => {
    const { connections: _, refused: __, ...client } = toWire(clients, clients.get(principal, id));
    return client;
  };
  return new Elysia({ prefix: "/api/mqtt/clients", tags: ["mqtt clients"] })
    .use(auth)
    .post(
      "",
      async ({ principal, body, set }) => {
        const saved = await clients.create(principal, body);
        set.status = 201;
        return savedToWire(clients, saved);
      },
      {
        auth: "mqtt-clients:write",
        audit: { action: "mqtt_client.create", target: "mqtt_client", created: "mqttClientId", read },
        body: createMqttClientBody,
        response: { 201: savedMqttClientBody },
        detail: {
          summary: "Create an MQTT client",
          description: `The client may publish and subscribe to topics of its tenant, with retained messages, wills, wildcards and shared subscriptions. It cannot reach topics of devices or of other tenants. A generated password is shown in this answer only. ${refusals}`,
        },
      },
    )
    .patch(
      "/:mqttClientId",
      async ({ principal, params, body }) =>
        savedToWire(clients, await clients.update(principal, params.mqttClientId, body)),
      {
        auth: "mqtt-clients:write",
        audit: { action: "mqtt_client.update", target: "mqtt_client", read },
        body: updateMqttClientBody,
        response: { 200: savedMqttClientBody },
        detail: {
          summary: "Change an MQTT client",
          description: `Every change except that of the name ends its connections and sessions; the client can sign in again at once. \`signIn\` PASSWORD without a password generates a new one. 404 unknown. ${refusals}`,
        },
      },
    )
    .delete(
      "/:mqttClientId",
      ({ principal, params }) => {
        clients.delete(principal, params.mqttClientId);
        return { success: true };
      },
      {
        auth: "mqtt-clients:write",
        audit: { action: "mqtt_client.delete", target: "mqtt_client", read },
        response: { 200: successBody },
        detail: {
          summary: "Delete an MQTT client",
          description:
            "Its connections and sessions end at once. 404 unknown; 403 without access to all devices.",
        },
      },
    );
};

/** Routes that list the topics of MQTT clients and publish to them. */
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
          summary: "List topics with their newest messages",
          description:
            "Lists the topics on which MQTT clients of the tenant have published since the gateway started, by name. The 5,000 most recently used topics of a tenant are kept. 403 without access to all devices.",
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
          summary: "Publish a message",
          description:
            "Publishes on a topic of the tenant's MQTT clients. 400 for a topic with a wildcard or a reserved topic (`$…`, `lineside/…`); 403 without access to all devices.",
        },
      },
    );
