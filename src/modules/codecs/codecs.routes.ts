import { Elysia, t } from "elysia";
import { invalid, tooLarge, unsupported } from "../../lib/domain-error.ts";
import { iso } from "../../lib/iso-time.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { wholeList } from "../lists.ts";
import { successBody } from "../wire.schemas.ts";
import type { Trial } from "./codec-trial.ts";
import {
  codecBody,
  createCodecBody,
  importQuery,
  listedCodecBody,
  SOURCE_BYTES_MAX,
  trialAnswer,
  trialBody,
  updateCodecBody,
} from "./codecs.schemas.ts";
import type { CodecsService, UsedCodec } from "./codecs.service.ts";

const codecList = wholeList({ sort: ["name", "createdAt", "updatedAt"], search: ["name", "description"] });

const toListed = ({ codecId, name, description, functions, usedBy, createdAt, updatedAt }: UsedCodec) => ({
  codecId,
  name,
  description,
  functions: [...functions],
  usedBy: [...usedBy],
  createdAt: iso(createdAt),
  updatedAt: iso(updatedAt),
});

const toWire = (codec: UsedCodec) => ({ ...toListed(codec), source: codec.source });

const trialToWire = ({ warnings, console, ...trial }: Trial) => ({
  ...trial,
  warnings: [...warnings],
  console: [...console],
});

/** A codec as it lies beside a device's manual: one file of JavaScript, as a body or in a form. */
async function readSource(request: Request): Promise<string> {
  const refusal = () => tooLarge("codec.too_large");
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (Number(request.headers.get("content-length") ?? 0) > 2 * SOURCE_BYTES_MAX) throw refusal();
  const bytes = await bytesOf(request, type);
  if (bytes.byteLength > SOURCE_BYTES_MAX) throw refusal();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid("codec.not_text");
  }
}

async function bytesOf(request: Request, type: string): Promise<ArrayBuffer> {
  if (["text/javascript", "application/javascript", "text/plain"].includes(type))
    return request.arrayBuffer();
  if (type !== "multipart/form-data") throw unsupported("codec.type_unknown");
  const form = await request.formData().catch(() => undefined);
  const values: unknown[] = [...(form?.values() ?? [])];
  const file = values.find((value): value is Blob => value instanceof Blob);
  if (file === undefined) throw invalid("codec.file_missing");
  return file.arrayBuffer();
}

const importRequest = {
  required: true,
  content: {
    "multipart/form-data": {
      schema: {
        type: "object" as const,
        properties: { file: { type: "string" as const, format: "binary" } },
      },
    },
    "text/javascript": { schema: { type: "string" as const } },
  },
};

const refusals =
  "400 with the line for a source that cannot be run or defines nothing that is called; 409 for a name that another codec has; 403 without access to all devices; 503 where scripts cannot be run at the moment, 429 where too many wait.";

/** The tenant's library of codecs, which integrations decode and encode LoRaWAN frames with. */
export const codecsRoutes = (deps: { codecs: CodecsService; auth: AuthPlugin }) => {
  const { codecs } = deps;
  const read = ({ principal }: AuditContext, codecId: string) => {
    const { name, description, functions, source } = codecs.get(principal, codecId);
    return { name, description, functions, source };
  };
  return new Elysia({ prefix: "/api/integrations/codecs", tags: ["integrations"] })
    .use(deps.auth)
    .get(
      "",
      ({ principal, query, request, set }) =>
        codecList.page({ query, request, set }, codecs.list(principal).map(toListed)),
      {
        auth: "integrations:read",
        query: t.Object(codecList.fields),
        response: { 200: t.Array(listedCodecBody) },
        detail: { summary: "List codecs, by name", description: "The list does not contain their sources." },
      },
    )
    .post(
      "",
      async ({ principal, body, set }) => {
        const codec = await codecs.create(principal, body);
        set.status = 201;
        return toWire(codec);
      },
      {
        auth: "integrations:write",
        audit: { action: "codec.create", target: "codec", created: "codecId", read },
        body: createCodecBody,
        response: { 201: codecBody },
        detail: {
          summary: "Add a codec",
          description: `Vendors' codecs are taken unchanged, in the forms of ChirpStack (v4 and v3) and The Things Stack (v3 and v2). 409 also when there are 200. ${refusals}`,
        },
      },
    )
    .post(
      "/import",
      async ({ principal, request, query, set }) => {
        const codec = await codecs.create(principal, { ...query, source: await readSource(request) });
        set.status = 201;
        return toWire(codec);
      },
      {
        auth: "integrations:write",
        audit: { action: "codec.create", target: "codec", created: "codecId", read },
        parse: "none",
        query: importQuery,
        response: { 201: codecBody },
        detail: {
          summary: "Add a codec from its file",
          description: `413 above 256 KiB. ${refusals}`,
          requestBody: importRequest,
        },
      },
    )
    .post("/preview", async ({ principal, body }) => trialToWire(await codecs.preview(principal, body)), {
      auth: "integrations:write",
      audit: { none: "changes nothing" },
      body: trialBody,
      response: { 200: trialAnswer },
      detail: {
        summary: "Try a source",
        description:
          "Runs it as an integration would: on a message, on a frame, or on the data of a downlink. `error` has an error of the source with its line. 400 for an invalid frame; 503 and 429 as for creating one.",
      },
    })
    .get("/:codecId", ({ principal, params }) => toWire(codecs.get(principal, params.codecId)), {
      auth: "integrations:read",
      response: { 200: codecBody },
      detail: { summary: "One codec, with its source" },
    })
    .patch(
      "/:codecId",
      async ({ principal, params, body }) => toWire(await codecs.update(principal, params.codecId, body)),
      {
        auth: "integrations:write",
        audit: { action: "codec.update", target: "codec", read },
        body: updateCodecBody,
        response: { 200: codecBody },
        detail: {
          summary: "Change a codec",
          description: `Integrations run it as it is now from the next message on. ${refusals}`,
        },
      },
    )
    .delete(
      "/:codecId",
      ({ principal, params }) => {
        codecs.delete(principal, params.codecId);
        return { success: true };
      },
      {
        auth: "integrations:write",
        audit: { action: "codec.delete", target: "codec", read },
        response: { 200: successBody },
        detail: {
          summary: "Delete a codec",
          description: "409 while an integration uses it. 403 without access to all devices.",
        },
      },
    );
};
