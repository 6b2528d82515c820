import { gunzipSync } from "node:zlib";
import { swagger } from "@elysiajs/swagger";
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { jsonBytes, sharedResponse } from "../modules/api/responses.ts";
import type { AuthPlugin } from "../modules/identity/identity.plugin.ts";
import type { ResponseSpace } from "../platform/load/response-space.ts";
import { readAsset } from "../platform/process/assets.ts";
import { nothingHere } from "./errors.ts";
import { Components } from "./openapi/components.ts";
import { errorResponses } from "./openapi/error-responses.ts";
import type { Operation, RouteDetail } from "./openapi/openapi.types.ts";
import { operationOf, type ResponseExamples, type Route } from "./openapi/operations.ts";
import { securityHeaders } from "./security-headers.ts";

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
  { name: "commands", description: "Commands to devices and their results" },
  { name: "alarms", description: "Alarms, their history, escalation and back-tests of rules" },
  { name: "notifications", description: "How people are notified of alarms" },
  { name: "maintenance", description: "Times in which the alarms of a device are muted" },
  { name: "dashboards", description: "Dashboards, their data, and links to them" },
  { name: "data pipelines", description: "Steps that telemetry goes through before it is stored" },
  { name: "uplinks", description: "Databases and services that the gateway sends its data to" },
  { name: "generators", description: "Generators of synthetic telemetry" },
  { name: "integrations", description: "Webhooks, MQTT bridges, network servers, codecs and downlinks" },
  { name: "mqtt clients", description: "Clients of the broker with topics of their own" },
  { name: "modbus", description: "Devices that the gateway reads by Modbus TCP or RTU" },
  { name: "s7", description: "Devices that the gateway reads from Siemens S7 controllers" },
  { name: "bacnet", description: "Devices that the gateway reads by BACnet/IP" },
  { name: "opcua", description: "Devices that the gateway reads from OPC UA servers" },
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
  {
    name: "gateway",
    description: "Backups, updates, log, faults, mail server and clock, for operators of the gateway",
  },
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

const METHODS = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);

/** Result of `@elysiajs/swagger`: operations by path template and method. */
interface Collected {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RouteDetail>>>>;
}

/**
 * OpenAPI 3.1 document, converted from the OpenAPI 3.0 of the plug-in: schemas are the JSON Schemas of the routes, each once as a component, and
 * every operation has its errors.
 */
export type ApiDocument = ReturnType<typeof createDocument>;

function createDocument(
  collected: Collected,
  routes: readonly Route[],
  version: string,
  basePath: string,
  responses: ResponseExamples,
) {
  const components = new Components();
  components.toSchema(errorSchema);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    const method = route.method.toLowerCase();
    const detail = METHODS.has(route.method) ? collected.paths[path]?.[method] : undefined;
    if (detail !== undefined)
      paths[path] = { ...paths[path], [method]: operationOf(detail, route, components, responses) };
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
      description: `Device telemetry and management (Lineside ${version}).\n\n- **Authenticate** with an API key, created under **Settings → API keys** or by \`lineside apikey create\`: \`Authorization: Bearer lsk_…\`. Devices send their own token in the path.\n- **Errors** have the body \`{statusCode, error, message, code, params}\`. Compare the \`code\`, never the \`message\`. A missing or invalid bearer credential returns 401 without a body; ids that are unknown or of another tenant return 404.\n- **Lists** accept \`limit\`, \`offset\`, \`search\` and \`sort\`. The header \`X-Total-Count\` has the number of items.\n\nThe manual of the console (**Manual** in the account menu) has a tutorial and the rules for all operations, under **API tutorial** and **The API**.`,
    },
    servers: [{ url: basePath || "/", description: "this gateway" }],
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    components: { schemas: components.all(), responses: errorResponses(), securitySchemes },
  };
}

const files: Record<string, string> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "docs.js": "text/javascript; charset=utf-8",
};

// Swagger UI sets style attributes and draws its icons from data URLs.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>API · Lineside</title><link rel="icon" href="/favicon.svg"><link rel="stylesheet" href="/docs/swagger-ui.css"><style>#session{max-width:1460px;margin:0 auto;padding:16px 20px 0;font:14px system-ui,sans-serif}</style></head><body><p id="session"></p><div id="api"></div>
<script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/docs.js"></script></body></html>`;

/** Serves the OpenAPI document at `/docs/json`, and a page at `/docs` that loads nothing from elsewhere. */
export function apiDocs(
  version: string,
  routes: () => readonly Route[],
  access: {
    readonly auth: AuthPlugin;
    readonly responses: ResponseSpace;
    readonly needsSignIn: boolean;
    readonly basePath: string;
  },
) {
  /** Serialized once, because it can be requested often and without sign-in. */
  let document: Promise<readonly Uint8Array[]> | undefined;
  async function show(collected: Collected) {
    const { default: responses } = await import("./openapi/response-examples.json"); // 70 kB that few gateways need
    return await jsonBytes(createDocument(collected, routes(), version, access.basePath, responses));
  }
  const headers = { ...securityHeaders, "content-security-policy": POLICY, "cache-control": "no-cache" };
  const collector = new Elysia({ name: "api-docs-collector" }).use(access.auth);
  if (access.needsSignIn) collector.guard({ auth: "self:read" });
  collector
    .onAfterHandle(async ({ path, request, response }) => {
      if (path !== "/docs/json") return;
      document ??= show(response as Collected); // the plug-in's own response
      return sharedResponse(access.responses, request, await document);
    })
    .use(swagger({ path: "/docs", specPath: "/docs/json", exclude: /^\/\*?$/, excludeStaticFile: false }));
  const docs = new Elysia({ name: "api-docs" });
  return docs
    .use(collector)
    .get(
      "/docs",
      () => new Response(PAGE, { headers: { ...headers, "content-type": "text/html; charset=utf-8" } }),
      { detail: { hide: true } },
    )
    .get(
      "/docs/:file",
      ({ params, request }) => {
        const contentType = Object.hasOwn(files, params.file) ? files[params.file] : undefined;
        const packed = contentType === undefined ? undefined : readAsset(`static/api-docs/${params.file}.gz`);
        if (contentType === undefined || packed === undefined) throw nothingHere();
        const allHeaders = { ...headers, "content-type": contentType, vary: "accept-encoding" };
        const isPacked = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
        return isPacked
          ? new Response(packed as BufferSource, { headers: { ...allHeaders, "content-encoding": "gzip" } })
          : new Response(gunzipSync(packed), { headers: allHeaders });
      },
      { detail: { hide: true } },
    );
}
