/**
 * Builds the OpenAPI document from the running routes. Version 3.1 has JSON Schema, as the routes have. The usual library for this writes 3.0
 * and repeats each schema at each use and for three media types.
 */
import { Type } from "@sinclair/typebox";
import { Components } from "./components.ts";
import { errorResponses } from "./error-responses.ts";
import type { Operation } from "./openapi.types.ts";
import { operationOf, type Route } from "./operations.ts";

const tags = [
  { name: "auth", description: "Sign-in: exchange a code for an access token, the current user, sign-out" },
  { name: "identity provider", description: "The embedded provider's authorization-code flow" },
  { name: "setup", description: "First start of a gateway" },
  { name: "users", description: "Users of the tenant, and their invitations" },
  { name: "api keys", description: "Credentials of programs" },
  {
    name: "devices",
    description: "Devices, gateways with child devices, their tokens and rejected messages",
  },
  { name: "device profiles", description: "Settings that devices of a kind share" },
  { name: "attributes", description: "Attributes in the scopes SERVER, SHARED and CLIENT" },
  { name: "telemetry", description: "Newest values, time ranges with aggregation, keys" },
  { name: "commands", description: "Commands to devices and what became of them" },
  { name: "alarms", description: "Alarms, their history, escalation and back-tests of rules" },
  { name: "notifications", description: "How people are notified of alarms" },
  { name: "maintenance", description: "Times in which the alarms of a device are muted" },
  { name: "dashboards", description: "Dashboards, their data, and links to them" },
  { name: "data pipelines", description: "Steps that telemetry goes through before it is stored" },
  { name: "uplinks", description: "Engines to which the gateway sends what it stores" },
  { name: "generators", description: "Generators of synthetic telemetry" },
  { name: "integrations", description: "Webhooks, MQTT bridges, network servers, codecs and downlinks" },
  { name: "mqtt clients", description: "Clients of the broker with topics of their own" },
  { name: "modbus", description: "Devices that the gateway reads by Modbus TCP or RTU over TCP" },
  { name: "scheduler", description: "Timed jobs and their runs" },
  { name: "device API", description: "What devices call, with their access token in the path" },
  { name: "connectivity", description: "How devices connect" },
  { name: "realtime", description: "WebSocket connections" },
  { name: "tenant", description: "The tenant: profile, plan, usage, attributes, branding" },
  {
    name: "outbox",
    description: "Mails that the gateway sends, or keeps while no mail server is configured",
  },
  { name: "audit", description: "Who did what" },
  { name: "faults", description: "What went wrong, and what to do about it" },
  { name: "demo plant", description: "A small factory that sends telemetry" },
  { name: "gateway", description: "Backups of the gateway, for its operators" },
  { name: "system", description: "Health of the gateway" },
] as const;

const errorSchema = Type.Object(
  {
    statusCode: Type.Number(),
    error: Type.String({ description: "name of the status" }),
    message: Type.Optional(Type.String({ description: "what is wrong, in English" })),
    code: Type.Optional(
      Type.String({ description: "what is wrong, as a code that does not change: `user.email_taken`" }),
    ),
    params: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          "values that the text of the code has places for; a value may be a text itself, `{code, params}`",
      }),
    ),
  },
  { title: "Error" },
);

const securitySchemes = {
  bearerAuth: {
    type: "http",
    scheme: "bearer",
    description: "An access token of `POST /api/auth/exchange`, or an API key (`lsk_…`).",
  },
  webhookSecret: {
    type: "apiKey",
    in: "header",
    name: "X-Webhook-Secret",
    description: "The tenant's webhook secret; also accepted as `Authorization: Bearer <secret>`.",
  },
  influxToken: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description:
      "`Token <access token of a device or gateway>`; also accepted after `Bearer`, as the password of `Basic` and, by `/write` and `/query`, as the query `p`.",
  },
  shareToken: {
    type: "http",
    scheme: "bearer",
    description: "The token of a link to a dashboard.",
  },
} as const;

const methods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);
const isShown = ({ method, path, hooks }: Route): boolean =>
  methods.has(method) && hooks.detail?.hide !== true && path !== "/*";

export function createDocument(routes: readonly Route[], version: string, basePath = "") {
  const components = new Components();
  components.toSchema(errorSchema);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes.filter(isShown)) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, components) };
  }
  const used = new Set(
    Object.values(paths).flatMap((item) => Object.values(item).flatMap((operation) => operation.tags)),
  );
  return {
    openapi: "3.1.0",
    info: {
      title: "Lineside",
      version: "1.0",
      license: { name: "MIT", identifier: "MIT" },
      description: `Device telemetry and management (Lineside ${version}). Errors carry \`{statusCode, error, message, code, params}\`; a missing or invalid bearer credential is a 401 without a body. Unknown ids, and those of another tenant, are 404.`,
    },
    servers: [{ url: basePath || "/", description: "this gateway" }],
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    components: { schemas: components.all(), responses: errorResponses(), securitySchemes },
  };
}
