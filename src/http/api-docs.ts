import { gunzipSync } from "node:zlib";
import { Elysia } from "elysia";
import { jsonBytes, sharedAnswer } from "../modules/answers.ts";
import type { AuthPlugin } from "../modules/identity/identity.plugin.ts";
import type { AnswerSpace } from "../platform/answer-space.ts";
import { readAsset } from "../platform/assets.ts";
import { nothingHere } from "./errors.ts";
import { createDocument } from "./openapi/document.ts";
import type { Route } from "./openapi/operations.ts";
import { securityHeaders } from "./security-headers.ts";

const files: Record<string, string> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "docs.js": "text/javascript; charset=utf-8",
};

// Swagger UI sets style attributes and draws its icons from data URLs.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>API · Lineside</title><link rel="icon" href="/favicon.svg"><link rel="stylesheet" href="/docs/swagger-ui.css"><style>#session{max-width:1460px;margin:0 auto;padding:16px 20px 0;font:14px system-ui,sans-serif}</style></head><body><p id="session"></p><div id="api"></div>
<script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/docs.js"></script></body></html>`;

/** The OpenAPI document at `/docs/json` and a page for it at `/docs` that loads nothing from elsewhere. */
export function apiDocs(
  version: string,
  routes: () => readonly Route[],
  access: {
    readonly auth: AuthPlugin;
    readonly answers: AnswerSpace;
    readonly needsSignIn: boolean;
    readonly basePath: string;
  },
) {
  /** Serialized once: anybody may ask for it, as often as they like. */
  let document: Promise<readonly Uint8Array[]> | undefined;
  const headers = { ...securityHeaders, "content-security-policy": policy, "cache-control": "no-cache" };
  const docs = new Elysia({ name: "api-docs" });
  return docs
    .use(access.auth)
    .get(
      "/docs/json",
      async ({ request }) => {
        document ??= jsonBytes(createDocument(routes(), version, access.basePath));
        return sharedAnswer(access.answers, request, await document);
      },
      { detail: { hide: true }, ...(access.needsSignIn && { auth: "self:read" as const }) },
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
        const allHeaders = { ...headers, "content-type": contentType, vary: "accept-encoding" };
        const isPacked = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
        return isPacked
          ? new Response(packed as BufferSource, { headers: { ...allHeaders, "content-encoding": "gzip" } })
          : new Response(gunzipSync(packed), { headers: allHeaders });
      },
      { detail: { hide: true } },
    );
}
