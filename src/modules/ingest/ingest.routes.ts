import { Elysia, t } from "elysia";
import { timedOut, unsupported } from "../../lib/core/domain-error.ts";
import { type BodyEncoding, encodingOfType } from "../../lib/json/body.ts";
import { parseNames } from "../../lib/keys/name-list.ts";
import { readBytes } from "../../lib/network/request-bytes.ts";
import type { BodySpace } from "../../platform/load/body-space.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { objectResponse } from "../api/documented-responses.ts";
import { asResponse, textResponse } from "../api/responses.ts";
import { successBody } from "../api/wire.schemas.ts";
import { sharedOnly } from "../attributes/attributes.errors.ts";
import type { AttributesService } from "../attributes/attributes.service.ts";
import type { AttributeText } from "../attributes/attributes.types.ts";
import { contractInvalidToken } from "../devices/devices.errors.ts";
import type { TokenRequest, TokenSignIn } from "../devices/token-sign-in.service.ts";
import type { IngestService } from "./ingest.service.ts";
import type { IngestDevice, MessageKind } from "./ingest.types.ts";
import { whereOf } from "./ingest-message.ts";

const BODY_BYTES_MAX = 5 * 1024 * 1024;

const tokenParams = t.Object({
  deviceToken: t.String({ maxLength: 256, description: "access token of the device" }),
});
const objectBody = { type: "object" as const };
const objectOrListBody = { anyOf: [objectBody, { type: "array" as const, items: objectBody }] };
const deviceBody = (description: string, example: unknown, schema: object = objectBody) => ({
  requestBody: {
    required: true,
    content: {
      "application/json": { schema: { ...schema, description }, example },
      "application/cbor": { schema: { type: "string" as const, format: "binary" } },
    },
  },
});

const attributesResponse = {
  description: "Entries, or `{client, shared}` if names are given.",
  content: {
    "application/json": {
      schema: {
        anyOf: [
          { type: "array" as const, items: { $ref: "#/components/schemas/DeviceAttribute" } },
          { type: "object" as const },
        ],
      },
    },
  },
};

function encodingOf(request: Request, { payload }: IngestDevice): BodyEncoding {
  const encoding = encodingOfType(request.headers.get("content-type"));
  if (encoding === undefined) throw unsupported("body.type_unknown");
  return encoding === "JSON" && payload === "LENIENT_JSON" ? payload : encoding;
}

const TIMEOUT_MS_DEFAULT = 20_000;
/** Max. wait in ms; idle connections are closed after a minute. */
const TIMEOUT_MS_MAX = 50_000;
const CHANGE_HEADER = "x-attribute-change";

const namesOf = (text: string | undefined) => parseNames(text ?? "");

async function readBody(
  bodySpace: BodySpace,
  request: Request,
  { tenantId, deviceId }: IngestDevice,
): Promise<Uint8Array> {
  const owner = { tenantId, userId: deviceId };
  bodySpace.take(request, owner, BODY_BYTES_MAX);
  const body = await readBytes(request, BODY_BYTES_MAX);
  // Short messages wait as well, because alarm rules and pipelines can make them expensive.
  const turn = workShare.enter(owner);
  if (turn !== undefined) await turn;
  return body;
}

/** Reads a body. Unreadable bodies are listed on the device, because device programs seldom show the response. */
async function readListed(
  { ingest, bodySpace }: { ingest: Pick<IngestService, "refuse">; bodySpace: BodySpace },
  device: IngestDevice,
  { request, kind }: { request: Request; kind: MessageKind },
) {
  let body: Uint8Array | undefined;
  try {
    body = await readBody(bodySpace, request, device);
    return { body, encoding: encodingOf(request, device) };
  } catch (error) {
    const where = whereOf({ kind, source: "http" });
    ingest.refuse(device, error, { source: "http", where, ...(body && { sample: body }) });
    throw error;
  }
}

interface Asked {
  readonly request: Request;
  readonly set: { readonly headers: Readonly<Record<string, unknown>> };
}

/** Yields the JSON of an object of names and values. */
function* objectTexts(found: ReadonlyArray<Pick<AttributeText, "key" | "text">>): Generator<string> {
  yield "{";
  for (const [index, { key, text }] of found.entries())
    yield `${index === 0 ? "" : ","}${JSON.stringify(key)}:${text}`;
  yield "}";
}

/** Yields the JSON of a list of attributes. */
function* entryTexts(found: readonly AttributeText[]): Generator<string> {
  yield "[";
  for (const [index, { key, text, scope, updatedAt }] of found.entries())
    yield `${index === 0 ? "" : ","}{"key":${JSON.stringify(key)},"value":${text},"scope":"${scope}","updatedAt":"${updatedAt}"}`;
  yield "]";
}

/** Yields the JSON of the sections that were asked for. */
function* sectionTexts(
  sections: Readonly<Record<"client" | "shared", readonly AttributeText[] | undefined>>,
): Generator<string> {
  let before = "{";
  for (const [name, found] of Object.entries(sections)) {
    if (found === undefined) continue;
    yield `${before}"${name}":`;
    yield* objectTexts(found);
    before = ",";
  }
  yield before === "{" ? "{}" : "}";
}

/** Routes that devices call over HTTP, with their access token in the path. */
const TELEMETRY_ERRORS = {
  400: "The token or the body is invalid.",
  403: "A limit of telemetry keys is reached (the message names the refused keys; everything else is stored), or the stored bytes of the plan are used up.",
  413: "The body is larger than 5 MiB, or a string is larger than 64 KiB.",
  415: "The content type is not supported.",
  429: "The messages or bytes per second of the plan are exceeded, or 60 invalid tokens came from the address. `Retry-After` says when to try again.",
  503: "Storage cannot take writes.",
};

export const deviceApiRoutes = (deps: {
  ingest: IngestService;
  attributes: AttributesService;
  responses: ResponseSpace;
  bodySpace: BodySpace;
  tokens: Pick<TokenSignIn, "ensure" | "ensureByContract">;
}) => {
  const { ingest, attributes, responses } = deps;

  const ensureDevice = deps.tokens.ensureByContract;

  async function receive(asked: TokenRequest, kind: MessageKind): Promise<{ success: true }> {
    const device = ensureDevice(asked);
    const message = await readListed(deps, device, { request: asked.request, kind });
    if (device.revoked) throw contractInvalidToken(); // deleted or re-keyed while the body was on its way
    await ingest.post(device, kind, message);
    return { success: true };
  }

  /** Sends texts as JSON that is not parsed: 4 MiB a scope of small parts would take many times their room. */
  async function send<Value>({ request, set }: Asked, texts: Iterable<string>): Promise<Value> {
    const encoder = new TextEncoder();
    const response = await textResponse(responses, request, async (onPiece) => {
      for (const text of texts) {
        onPiece(encoder.encode(text));
        await workShare.pause();
      }
    });
    for (const [name, value] of Object.entries(set.headers)) response.headers.set(name, String(value));
    return asResponse<Value>(response);
  }

  return new Elysia({ prefix: "/api/v1/:deviceToken", tags: ["device API"] })
    .post("/telemetry", ({ params, request, server }) => receive({ params, request, server }, "telemetry"), {
      parse: "none",
      params: tokenParams,
      response: { 200: successBody },
      detail: {
        operationId: "postTelemetry",
        summary: "Send telemetry",
        description:
          "Answers once the points are on the disk. `{payload: {…}}`, `{key: value}`, `{ts, values}` or arrays of these, JSON or CBOR; ts as epoch ms, epoch s or ISO 8601.",
        errors: TELEMETRY_ERRORS,
        ...deviceBody(
          "telemetry",
          { payload: { temperature: 21.5, ts: "2026-01-01T12:00:00Z" } },
          objectOrListBody,
        ),
      },
    })
    .post(
      "/telemetry/batch",
      ({ params, request, server }) => receive({ params, request, server }, "batch"),
      {
        parse: "none",
        params: tokenParams,
        response: { 200: successBody },
        detail: {
          operationId: "postTelemetryBatch",
          summary: "Send a batch of telemetry",
          description:
            "The batch is stored as a whole, except for telemetry keys beyond a limit. Answers once the points are on the disk. It counts as one message.",
          errors: TELEMETRY_ERRORS,
          ...deviceBody("items: array of {telemetry, ts}", {
            items: [{ telemetry: { temperature: 21.5 }, ts: 1767268800000 }],
          }),
        },
      },
    )
    .get(
      "/attributes",
      ({ params, query, request, server, set }) => {
        const device = ensureDevice({ params, request, server });
        set.headers[CHANGE_HEADER] = String(attributes.newestChange(device));
        const asked = { request, set };
        const { clientKeys, sharedKeys, scope } = query;
        if (clientKeys !== undefined || sharedKeys !== undefined) {
          const readNamed = (ofScope: "CLIENT" | "SHARED", keys: string | undefined) =>
            keys === undefined ? undefined : attributes.readTexts(device, ofScope, namesOf(keys));
          const client = readNamed("CLIENT", clientKeys);
          const shared = readNamed("SHARED", sharedKeys);
          return send<unknown>(asked, sectionTexts({ client, shared }));
        }
        if (scope !== undefined && scope !== "SHARED") throw sharedOnly();
        return send<unknown>(asked, entryTexts(attributes.readTexts(device, "SHARED")));
      },
      {
        params: tokenParams,
        query: t.Object({
          scope: t.Optional(t.String({ enum: ["SHARED"] })),
          clientKeys: t.Optional(t.String({ description: "names separated by commas" })),
          sharedKeys: t.Optional(t.String({ description: "names separated by commas" })),
        }),
        detail: {
          operationId: "readAttributes",
          summary: "Read attributes as a device",
          responses: { 200: attributesResponse },
          description:
            "Returns the SHARED attributes as entries; with `clientKeys` or `sharedKeys`, `{client, shared}` instead. The header `x-attribute-change` is a `since` for the updates.",
          errors: { 400: "The token or the scope is invalid." },
        },
      },
    )
    .post(
      "/attributes",
      ({ params, request, server }) => receive({ params, request, server }, "attributes"),
      {
        parse: "none",
        params: tokenParams,
        response: { 200: successBody },
        detail: {
          operationId: "postAttributes",
          summary: "Report client attributes",
          errors: {
            400: "The token or the body is invalid.",
            429: "The messages per second of the plan are exceeded. `Retry-After` says when to try again.",
          },
          ...deviceBody("names to values", { firmware: "1.4.2" }),
        },
      },
    )
    .get(
      "/attributes/flat",
      ({ params, query, request, server, set }) => {
        const device = ensureDevice({ params, request, server });
        if (query.scope !== "SHARED") throw sharedOnly();
        const found = attributes.readTexts(device, "SHARED", namesOf(query.keys));
        return send<unknown>({ request, set }, objectTexts(found));
      },
      {
        params: tokenParams,
        query: t.Object({
          scope: t.String({ enum: ["SHARED"] }),
          keys: t.String({ minLength: 1, description: "names separated by commas" }),
        }),
        detail: {
          operationId: "readAttributesFlat",
          summary: "Read attributes by name, flat",
          responses: { 200: objectResponse("Names to values.") },
          description: "`{name: value}`; names that do not exist are left out.",
        },
      },
    )
    .get(
      "/attributes/updates",
      async ({ params, query, request, server, set }) => {
        const device = deps.tokens.ensure({ params, request, server });
        const ms = Math.min(query.timeout ?? TIMEOUT_MS_DEFAULT, TIMEOUT_MS_MAX);
        const update = await attributes.nextShared(device, query.since, { ms, signal: request.signal });
        if (update === undefined) throw timedOut("attribute.no_change");
        set.headers[CHANGE_HEADER] = String(update.changeId);
        const { values, deleted } = update;
        const found = deleted.length === 0 ? [] : [{ key: "deleted", text: JSON.stringify(deleted) }];
        const named = values.filter(({ key }) => found.length === 0 || key !== "deleted");
        return send<unknown>({ request, set }, objectTexts([...named, ...found]));
      },
      {
        params: tokenParams,
        query: t.Object({
          timeout: t.Optional(
            t.Integer({ minimum: 0, description: "ms; 20,000 by default, 50,000 at most" }),
          ),
          since: t.Optional(
            t.Integer({
              minimum: 0,
              description: "`x-attribute-change` of the previous response, so that no change is missed",
            }),
          ),
        }),
        detail: {
          operationId: "awaitAttributeUpdates",
          summary: "Wait for changes of shared attributes",
          responses: { 200: objectResponse("Names and values, and `deleted`.") },
          description:
            "Answers as soon as attributes change: `{name: value}` for set ones, `deleted: [names]` for deleted ones.",
          errors: { 401: "The token is invalid.", 408: "No attribute changed in time." },
        },
      },
    );
};
