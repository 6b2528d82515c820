import { invalid, tooLarge, unsupported } from "../../lib/core/domain-error.ts";
import { fileOfForm } from "../../lib/network/form-file.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { auditReader, resourceRoutes } from "../api/resource.routes.ts";
import { itemToWire } from "../api/resource.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Trial } from "./codec-trial.ts";
import { codecResource } from "./codecs.resource.ts";
import {
  codecBody,
  importQuery,
  REFUSALS,
  SOURCE_BYTES_MAX,
  trialBody,
  trialResponse,
} from "./codecs.schemas.ts";
import type { CodecsService } from "./codecs.service.ts";

const trialToWire = ({ warnings, console, ...trial }: Trial) => ({
  ...trial,
  warnings: [...warnings],
  console: [...console],
});

/** Reads a codec from a JavaScript file, sent as a body or in a form. */
async function readSource(request: Request): Promise<string> {
  const refusal = () => tooLarge("codec.too_large", { max: SOURCE_BYTES_MAX / 1024 });
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

async function bytesOf(request: Request, type: string): Promise<ArrayBuffer | Uint8Array> {
  if (["text/javascript", "application/javascript", "text/plain"].includes(type))
    return request.arrayBuffer();
  if (type !== "multipart/form-data") throw unsupported("codec.type_unknown");
  const file = fileOfForm(new Uint8Array(await request.arrayBuffer()), request.headers.get("content-type"));
  if (file === undefined) throw invalid("codec.file_missing");
  return file;
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

interface CodecsRoutesDeps {
  readonly codecs: CodecsService;
  readonly responses: ResponseSpace;
  readonly auth: AuthPlugin;
}

export const codecsRoutes = ({ codecs, responses, auth }: CodecsRoutesDeps) => {
  const longList = { responses, read: codecs.read };
  const read = auditReader(codecs, ["name", "description", "functions", "source"]);
  return resourceRoutes(codecResource, { service: codecs, longList, toWire: itemToWire, read, auth })
    .post(
      "/import",
      async ({ principal, request, query, set }) => {
        const codec = await codecs.create(principal, { ...query, source: await readSource(request) });
        set.status = 201;
        return itemToWire(codec);
      },
      {
        auth: "integrations:write",
        audit: { action: "codec.create", target: "codec", created: "codecId", read },
        parse: "none",
        query: importQuery,
        response: { 201: codecBody },
        detail: {
          operationId: "importCodec",
          summary: "Add a codec from its file",
          errors: { ...REFUSALS, 413: `The file is larger than ${SOURCE_BYTES_MAX / 1024} KiB.` },
          requestBody: importRequest,
        },
      },
    )
    .post("/preview", async ({ principal, body }) => trialToWire(await codecs.preview(principal, body)), {
      auth: "integrations:write",
      audit: { none: "changes nothing" },
      body: trialBody,
      response: { 200: trialResponse },
      detail: {
        operationId: "previewCodec",
        summary: "Try a source",
        description:
          "Runs it as an integration would: on a message, on a frame, or on the data of a downlink. `error` has an error of the source with its line.",
        errors: { 400: "The frame is invalid.", 429: REFUSALS[429], 503: REFUSALS[503] },
        example: {
          source: "function decodeUplink({ bytes }) { return { data: { temperature: bytes[0] / 10 } }; }",
          frame: "d7",
          encoding: "hex",
          fPort: 1,
        },
      },
    });
};
