import { Elysia, t } from "elysia";
import { inEnglish } from "../../lib/core/domain-error.ts";
import { readBytes } from "../../lib/network/request-bytes.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { listHeaders, toPage } from "../api/lists.ts";
import { OPERATORS_ONLY } from "../api/operation-errors.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import {
  archivePartQuery,
  entriesQuery,
  entryBody,
  entryTestBody,
  indexStatusBody,
  listedEntryBody,
  loadIndexBody,
} from "./codec-index.schemas.ts";
import type { CodecIndexService } from "./codec-index.service.ts";
import type { CodecExample, IndexEntry } from "./codec-index.types.ts";
import type { ExampleOutcome } from "./example-run.ts";

const PREFIX = "/api/integrations/codec-index";
const PART_BYTES_MAX = 1024 * 1024;

interface CodecIndexRouteDeps {
  readonly codecIndex: CodecIndexService;
  readonly auth: AuthPlugin;
}

function toStatus(codecIndex: CodecIndexService) {
  const { summary, loading, error, upload } = codecIndex.status();
  return {
    index: summary ? { ...summary, layouts: [...summary.layouts], loadedAt: iso(summary.loadedAt) } : null,
    loading: loading === undefined ? null : { share: loading },
    error: error ? { ...error, message: inEnglish(error) } : null,
    ...upload,
  };
}

const toListed = ({ examples, fPorts, ...entry }: IndexEntry) => ({
  ...entry,
  fPorts: [...fPorts],
  exampleCount: examples.length,
});

const toExample = (example: CodecExample) => ({ ...example, expected: { ...example.expected } });

function toEntry({ source, ...entry }: IndexEntry & { source: string }) {
  return { ...toListed(entry), examples: entry.examples.map(toExample), source };
}

const toTest = (outcomes: readonly ExampleOutcome[]) => ({
  passed: outcomes.filter(({ isPassed }) => isPassed).length,
  total: outcomes.length,
  results: outcomes.map(({ example, isPassed, trial }) => ({
    example: toExample(example),
    isPassed,
    trial: { ...trial, warnings: [...trial.warnings], console: [...trial.console] },
  })),
});

const partRequest = {
  required: true,
  content: { "application/octet-stream": { schema: { type: "string" as const, format: "binary" } } },
};

/** Creates the routes that load and delete the index, for operators of the gateway. */
const changeRoutes = ({ codecIndex, auth }: CodecIndexRouteDeps) =>
  new Elysia({ prefix: PREFIX, tags: ["integrations"] })
    .use(auth)
    .put(
      "/archive",
      async ({ principal, query, request }) => {
        await codecIndex.append(principal, query, await readBytes(request, PART_BYTES_MAX));
        return toStatus(codecIndex);
      },
      {
        auth: "gateway:manage",
        audit: { none: "loads nothing" },
        parse: "none",
        query: archivePartQuery,
        response: { 200: indexStatusBody },
        detail: {
          operationId: "uploadCodecIndexArchive",
          summary: "Upload a part of a collection of codecs",
          description:
            "A zip or tar.gz archive of at most 1 GiB, in parts of at most 1 MiB, in order. A part at offset 0 begins a new upload.",
          errors: {
            ...OPERATORS_ONLY,
            400: "The archive is too large.",
            409: "`offset` is not the number of bytes that have arrived, the disk has no room for the file, or a collection is being loaded.",
            413: "The part is larger than 1 MiB.",
          },
          requestBody: partRequest,
        },
      },
    )
    .post(
      "/load",
      async ({ principal, body: { folder, name }, set }) => {
        if (folder === undefined) codecIndex.loadArchive(principal, name);
        else await codecIndex.loadFolder(principal, folder);
        set.status = 202;
        return toStatus(codecIndex);
      },
      {
        auth: "gateway:manage",
        audit: { action: "codec-index.load", target: "gateway", id: () => "gateway" },
        body: loadIndexBody,
        response: { 202: indexStatusBody },
        detail: {
          operationId: "loadCodecIndex",
          summary: "Load a collection of codecs",
          description:
            "Reads a folder of the gateway or the uploaded archive in the background. The index takes the place of the current one when it is complete.",
          errors: {
            ...OPERATORS_ONLY,
            400: "The folder cannot be read or is inside the data directory.",
            409: "The archive is not uploaded completely, or a collection is being loaded.",
          },
          example: { folder: "/srv/lorawan-devices" },
        },
      },
    )
    .delete(
      "",
      ({ principal }) => {
        codecIndex.delete(principal);
        return toStatus(codecIndex);
      },
      {
        auth: "gateway:manage",
        audit: { action: "codec-index.delete", target: "gateway", id: () => "gateway" },
        response: { 200: indexStatusBody },
        detail: {
          operationId: "deleteCodecIndex",
          summary: "Delete the index of codecs",
          description: "Codecs that were created from it stay.",
          errors: { ...OPERATORS_ONLY, 409: "A collection is being loaded." },
        },
      },
    );

/** Creates the routes that search the index, for all users who can read integrations. */
const searchRoutes = ({ codecIndex, auth }: CodecIndexRouteDeps) =>
  new Elysia({ prefix: PREFIX, tags: ["integrations"] })
    .use(auth)
    .get("", () => toStatus(codecIndex), {
      auth: "integrations:read",
      response: { 200: indexStatusBody },
      detail: {
        operationId: "getCodecIndex",
        summary: "Get the state of the index of codecs",
        description: "The gateway has one index, which all of its tenants search.",
      },
    })
    .get(
      "/entries",
      ({ query, request, set }) => {
        const page = toPage(query);
        const { total, entries } = codecIndex.search(query.search ?? "", { ...page, sort: query.sort });
        Object.assign(set.headers, listHeaders(request.url, { ...page, total }));
        return entries.map(toListed);
      },
      {
        auth: "integrations:read",
        query: entriesQuery,
        response: { 200: t.Array(listedEntryBody) },
        detail: {
          operationId: "searchCodecIndex",
          summary: "Search the index of codecs",
          description: "Devices whose vendor and model contain every word of `search`, by vendor and model.",
        },
      },
    )
    .get("/entries/:entryId", ({ params }) => toEntry(codecIndex.get(params.entryId)), {
      auth: "integrations:read",
      response: { 200: entryBody },
      detail: {
        operationId: "getCodecIndexEntry",
        summary: "Get an index entry with codec and examples",
      },
    })
    .post(
      "/entries/:entryId/test",
      async ({ principal, params }) => toTest(await codecIndex.test(principal, params.entryId)),
      {
        auth: "integrations:write",
        audit: { none: "changes nothing" },
        response: { 200: entryTestBody },
        detail: {
          operationId: "testCodecIndexEntry",
          summary: "Run the examples of a codec of the index",
          description:
            "Each example runs as an integration would run it, and its result is compared with the result in the collection.",
          errors: { 429: "Too many requests are waiting.", 503: "Scripts cannot be run at the moment." },
        },
      },
    );

export const codecIndexRoutes = (deps: CodecIndexRouteDeps) => [searchRoutes(deps), changeRoutes(deps)];
