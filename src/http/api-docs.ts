import { gunzipSync } from "node:zlib";
import { Elysia } from "elysia";
import { readAsset } from "../platform/assets.ts";
import { nothingHere } from "./errors.ts";
import { securityHeaders } from "./security-headers.ts";

const tags = [
  { name: "auth", description: "Sign-in: exchange a code for an access token, the current user, sign-out" },
  { name: "identity provider", description: "The embedded provider's authorization-code flow" },
  { name: "setup", description: "First start of a gateway" },
  { name: "devices", description: "Devices, gateways with child devices, their tokens and refused messages" },
  { name: "device profiles", description: "What devices of a kind have in common" },
  { name: "attributes", description: "Attributes in the scopes SERVER, SHARED and CLIENT" },
  { name: "telemetry", description: "Newest values, time ranges with aggregation, keys" },
  { name: "commands", description: "What devices are told to do, and what became of it" },
  { name: "device API", description: "What devices call, with their access token in the path" },
  { name: "connectivity", description: "The ways in for devices" },
  { name: "tenant", description: "The tenant: profile, plan and what is used of it, attributes, branding" },
  { name: "outbox", description: "Mails that the gateway sends, or holds for want of a mail server" },
  { name: "audit", description: "Who did what" },
  { name: "system", description: "Health of the gateway" },
];

const errorSchema = {
  type: "object" as const,
  required: ["statusCode", "error"],
  properties: {
    statusCode: { type: "number" as const },
    error: { type: "string" as const },
    message: { type: "string" as const },
  },
};

const files: Record<string, string> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "docs.js": "text/javascript; charset=utf-8",
};

// Swagger UI sets style attributes and draws its icons from data URLs.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>API · Lineside</title><link rel="stylesheet" href="/docs/swagger-ui.css"><style>#session{max-width:1460px;margin:0 auto;padding:16px 20px 0;font:14px system-ui,sans-serif}</style></head><body><p id="session"></p><div id="api"></div>
<script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/docs.js"></script></body></html>`;

/** Loaded when somebody first asks: what it brings along would cost every start 0.1 s and memory for good. */
async function createDocument(docs: Elysia, version: string): Promise<unknown> {
  const { swagger } = await import("@elysiajs/swagger");
  const document = swagger({
    path: "/docs/embedded",
    specPath: "/docs/json",
    excludeStaticFile: false, // there are operations that answer files
    exclude: ["/docs", /^\/docs\//, "/*", "/idp/style.css"],
    documentation: {
      info: {
        title: "Lineside",
        version: "1.0",
        description: `Device telemetry and management (Lineside ${version}). Errors carry \`{statusCode, error, message}\`; a missing or invalid bearer credential is a 401 without a body. Unknown ids, and those of another tenant, are 404.`,
      },
      tags,
      components: {
        schemas: { Error: errorSchema },
        securitySchemes: { bearerAuth: { type: "http", scheme: "bearer", bearerFormat: "JWT" } },
      },
    },
  });
  docs.use(document); // so it finds the routes of the app that `docs` is a part of
  return (await document.handle(new Request("http://localhost/docs/json"))).json();
}

/** The OpenAPI document at `/docs/json` and a page for it at `/docs` that loads nothing from elsewhere. */
export function apiDocs(version: string) {
  let document: Promise<unknown> | undefined;
  const headers = { ...securityHeaders, "content-security-policy": policy, "cache-control": "no-cache" };
  const docs = new Elysia({ name: "api-docs" });
  return docs
    .get(
      "/docs/json",
      () => {
        document ??= createDocument(docs, version);
        return document;
      },
      { detail: { hide: true } },
    )
    .get(
      "/docs",
      () => new Response(page, { headers: { ...headers, "content-type": "text/html; charset=utf-8" } }),
      { detail: { hide: true } },
    )
    .get(
      "/docs/:file",
      ({ params, request }) => {
        const contentType = Object.hasOwn(files, params.file) ? files[params.file] : undefined;
        const packed = contentType === undefined ? undefined : readAsset(`static/api-docs/${params.file}.gz`);
        if (contentType === undefined || packed === undefined) throw nothingHere();
        const given = { ...headers, "content-type": contentType, vary: "accept-encoding" };
        const isPacked = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
        return isPacked
          ? new Response(packed as BufferSource, { headers: { ...given, "content-encoding": "gzip" } })
          : new Response(gunzipSync(packed), { headers: given });
      },
      { detail: { hide: true } },
    );
}
