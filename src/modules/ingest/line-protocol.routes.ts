import { gunzip } from "node:zlib";
import { Elysia, t } from "elysia";
import { DomainError, type ErrorKind, invalid, tooLarge, unsupported } from "../../lib/core/domain-error.ts";
import { LINE_PRECISIONS, type LinePrecision } from "../../lib/json/line-protocol.ts";
import { readBytes } from "../../lib/network/request-bytes.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { refusedWrite } from "../../platform/database/storage-failure.ts";
import type { BodySpace } from "../../platform/load/body-space.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { objectResponse } from "../api/documented-responses.ts";
import type { PeerServer } from "../api/request-peer.ts";
import type { DeviceActivityTracker } from "../devices/device-activity.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import { invalidDeviceToken } from "../devices/devices.errors.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { TokenSignIn } from "../devices/token-sign-in.service.ts";
import type { IngestService } from "./ingest.service.ts";
import { rulesOf } from "./line-rules.ts";
import { LineWrite } from "./line-writes.ts";

/*
 * Queries that clients of InfluxDB 1 send before their first write. There are no databases to create or list, but clients give up if they get an
 * error.
 */

const QUERY_BYTES_MAX = 16 * 1024;
/** A statement, in which quotes may contain semicolons; the second group matches if a quote is not closed. */
const STATEMENT = /(?:(["'])(?:\\.|(?!\1)[^\\])*(?:\1|(\\?$))|[^;"']+)+/gs;

interface Series {
  readonly name?: string;
  readonly columns: readonly string[];
}

/** Series of the response, by the first words of the statement. */
const statements: Readonly<Record<string, readonly Series[]>> = {
  "CREATE DATABASE": [],
  "CREATE RETENTION": [],
  "SHOW DATABASES": [{ name: "databases", columns: ["name"] }],
  "SHOW RETENTION": [{ columns: ["name", "duration", "shardGroupDuration", "replicaN", "default"] }],
};
const NAMED = new Set(["CREATE", "SHOW", "DROP", "ALTER"]);

interface QueryResults {
  readonly results: readonly { readonly statement_id: number; readonly series?: readonly Series[] }[];
}

/** Returns the statements of a request, from its URL or from the form in its body. */
async function readQuery(request: Request, query: string | undefined): Promise<string> {
  if (query !== undefined || request.method === "GET") return query ?? "";
  const body = new TextDecoder().decode(await readBytes(request, QUERY_BYTES_MAX));
  return new URLSearchParams(body).get("q") ?? "";
}

/** @throws DomainError `line_protocol.query_unsupported` for the first unsupported statement */
function answerQuery(query: string): QueryResults {
  const results: QueryResults["results"][number][] = [];
  for (const [statement, , unclosed] of query.matchAll(STATEMENT)) {
    if (unclosed !== undefined) throw invalid("line_protocol.query_unclosed");
    const name = nameOf(statement);
    if (name !== "") results.push({ statement_id: results.length, ...seriesOf(name) });
  }
  if (results.length === 0) throw invalid("line_protocol.query_missing");
  return { results };
}

function nameOf(statement: string): string {
  const [verb = "", object = ""] = statement.trim().toUpperCase().split(/\s+/, 2);
  return NAMED.has(verb) ? `${verb} ${object}` : verb;
}

function seriesOf(name: string): { series?: readonly Series[] } {
  const series = Object.hasOwn(statements, name) ? statements[name] : undefined;
  if (series === undefined)
    throw invalid("line_protocol.query_unsupported", { statement: name.slice(0, 40) });
  return series.length === 0 ? {} : { series };
}

/*
 * Errors that clients of InfluxDB understand: clients of version 1 read `error`, clients of version 2 `code` and `message`. Clients decide by the
 * status whether to retry, so permanent errors return 400.
 */

interface ErrorResponse {
  readonly status: number;
  /** Error code of version 2. */
  readonly code: string;
}

const errorResponses: Partial<Record<ErrorKind, ErrorResponse>> = {
  unauthenticated: { status: 401, code: "unauthorized" },
  too_large: { status: 413, code: "request too large" },
  unsupported: { status: 415, code: "invalid" },
  limited: { status: 429, code: "too many requests" },
  unavailable: { status: 503, code: "unavailable" },
};
const invalidResponse: ErrorResponse = { status: 400, code: "invalid" };

const responseOf = ({ kind }: DomainError): ErrorResponse => errorResponses[kind] ?? invalidResponse;

function lineRefusal(error: DomainError, version: 1 | 2): Response {
  const { status, code } = responseOf(error);
  const { message, params, retryAfterSeconds } = error;
  const headers = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-influxdb-error": message.replace(/[^ -~]/g, "?"),
    ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
  };
  if (status === 401)
    return new Response(null, {
      status,
      headers: { ...headers, "www-authenticate": 'Basic realm="Lineside"' },
    });
  const body = version === 1 ? { error: message, code: error.code } : { error: error.code, code };
  return Response.json({ statusCode: status, message, params, ...body }, { status, headers });
}

/** Returns the token of a request from its place in either version; empty if there is none. */
function lineToken({ headers }: Pick<Request, "headers">, password = ""): string {
  const [, scheme = "", credential = ""] = /^(\w+) +(\S+) *$/.exec(headers.get("authorization") ?? "") ?? [];
  if (/^(token|bearer)$/i.test(scheme)) return credential;
  if (!/^basic$/i.test(scheme)) return password;
  const decoded = Buffer.from(credential, "base64").toString();
  return decoded.slice(decoded.indexOf(":") + 1);
}

/** Max. bytes of the body, both compressed and decompressed. */
const BODY_BYTES_MAX = 5 * 1024 * 1024;
/** Max. lines, including empty lines and comments. */
const LINES_MAX = 100_000;
const LINE_FEED = 0x0a;

const bodyTooLarge = () => tooLarge("body.too_large", { max: BODY_BYTES_MAX });

/** Decompresses on another thread. @throws DomainError `body.too_large` or `line_protocol.gzip_invalid` */
const decompress = (bytes: Uint8Array): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    gunzip(bytes, { maxOutputLength: BODY_BYTES_MAX }, (error, result) => {
      if (error === null) resolve(result);
      else reject(error instanceof RangeError ? bodyTooLarge() : invalid("line_protocol.gzip_invalid"));
    });
  });

function ensureFewLines(bytes: Uint8Array): void {
  let lines = 1;
  let position = bytes.indexOf(LINE_FEED);
  for (; position >= 0; position = bytes.indexOf(LINE_FEED, position + 1))
    if (++lines > LINES_MAX) throw tooLarge("line_protocol.too_many_lines", { max: LINES_MAX });
}

/** @throws DomainError `too_large`, `unsupported` or `invalid` */
async function readLines(request: Request): Promise<Uint8Array> {
  const encoding = (request.headers.get("content-encoding") ?? "").trim().toLowerCase();
  if (!["", "identity", "gzip"].includes(encoding)) throw unsupported("line_protocol.encoding_unknown");
  const sent = await readBytes(request, BODY_BYTES_MAX, bodyTooLarge);
  const bytes = encoding === "gzip" ? await decompress(sent) : sent;
  ensureFewLines(bytes);
  return bytes;
}

/** Returns the body as text. Invalid UTF-8 is replaced, so that only its lines are lost. */
function toText(bytes: Uint8Array): { text: string; isLossy: boolean } {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), isLossy: false };
  } catch {
    return { text: new TextDecoder().decode(bytes), isLossy: true };
  }
}

/** Reported version of InfluxDB. Some clients refuse servers that report none. */
const INFLUXDB_VERSION = "1.8.10";
const versionHeaders = { "cache-control": "no-store", "x-influxdb-version": INFLUXDB_VERSION };
const LONGEST_NAME = 1_024;

const text = (description: string) => t.Optional(t.String({ maxLength: LONGEST_NAME, description }));
const rules = {
  device_tag: text("tag that names the child device; by default `host`, else `device`, else `name`"),
  keys: text("`measurement` (default): keys begin with the measurement; `field`: they do not"),
  tags: text("tags whose values are part of the keys, by commas; by default all that do not name the device"),
};
const versionOne = t.Object({
  db: text("any name, or rules in the form of a query: `device_tag=node&tags=cpu`"),
  u: text("any name"),
  p: text("the access token"),
  precision: text("n, u, ms, s, m or h; nanoseconds by default"),
  ...rules,
});
const versionTwo = t.Object({
  org: text("any name"),
  bucket: text("any name, or rules in the form of a query"),
  precision: text("ns, us, ms or s; nanoseconds by default"),
  ...rules,
});

const aliases: Readonly<Record<string, LinePrecision>> = { n: "ns", u: "us", µ: "us" };

function precisionOf(name = "ns"): LinePrecision {
  const wanted = aliases[name] ?? name;
  const precision = LINE_PRECISIONS.find((each) => each === wanted);
  if (precision === undefined)
    throw invalid("line_protocol.precision_invalid", { precisions: LINE_PRECISIONS.join(", ") });
  return precision;
}

const DESCRIPTION =
  "InfluxDB line protocol, plain or gzip, 5 MiB and 100,000 lines at most. The token of a device stores all lines on that device; the token of a gateway stores the lines of each child on the child that their device tag names, which is created as the gateway API creates it, and lines without that tag on the gateway. A key is `measurement.field`, with the values of the other tags in between: `cpu.cpu0.usage_idle`. Timestamps are stored in ms; a line without one is of now. 204 once all lines are on the disk. If a line is refused, all other lines are stored. Errors have the form of InfluxDB.";
const WRITE_ERRORS = {
  400: "Lines were refused; the message names the first and has their number.",
  401: "The token is wrong.",
  413: "The body is too large.",
  415: "The content encoding is not supported.",
  429: "The messages or bytes per second are exceeded, or there were too many wrong tokens. `Retry-After` says when to try again.",
  503: "Storage cannot take writes.",
};

const detailOf = (version: 1 | 2) => ({
  operationId: version === 1 ? "writeLines" : "writeLinesV2",
  summary: `Write line protocol, as to InfluxDB ${version}`,
  description: `${DESCRIPTION}`,
  errors: WRITE_ERRORS,
  security: [{ influxToken: [] }],
  responses: { 204: { description: "All lines are on the disk." } },
  requestBody: {
    required: true,
    content: {
      "text/plain": {
        schema: { type: "string" as const },
        example: "weather,host=hall-3 temperature=21.5,door=true 1767268800000000000\n",
      },
    },
  },
});

interface Call {
  readonly request: Request;
  readonly server: PeerServer | null;
}

interface WriteQuery {
  readonly precision?: string;
  readonly device_tag?: string;
  readonly keys?: string;
  readonly tags?: string;
}

const queryOne = t.Object({
  q: t.Optional(t.String({ description: "InfluxQL; a POST may have it in a form instead" })),
  db: text("any name"),
  u: text("any name"),
  p: text("the access token"),
});

const queryDetail = (method: "GET" | "POST") => ({
  operationId: method === "GET" ? "queryLineProtocol" : "postLineProtocolQuery",
  summary: `Prepare a database, as in InfluxDB 1 (${method})`,
  description:
    "Clients of InfluxDB 1 send this before they write. `CREATE DATABASE`, `CREATE RETENTION POLICY`, `SHOW DATABASES` and `SHOW RETENTION POLICIES` succeed without effect, because there are no databases. All other statements are refused.",
  errors: { 401: "The token is wrong.", 429: "Too many requests with a wrong token came from this address." },
  security: [{ influxToken: [] }],
  responses: { 200: objectResponse("`results`, one for each statement.") },
});

const ping = () =>
  new Response(null, {
    status: 204,
    headers: { ...versionHeaders, "x-influxdb-build": "Lineside", "x-content-type-options": "nosniff" },
  });

/** Returns the health in the form of InfluxDB 2. */
const health = () =>
  Response.json(
    {
      name: "influxdb",
      message: "ready for queries and writes",
      status: "pass",
      checks: [],
      version: `v${INFLUXDB_VERSION}`,
      commit: "lineside",
    },
    { headers: versionHeaders },
  );

/** Returns responses, including errors, in the form of a version of InfluxDB. */
async function response(version: 1 | 2, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    const failure = refusedWrite(error);
    if (failure instanceof DomainError) return lineRefusal(failure, version);
    throw failure;
  }
}

/** Creates the routes for checks that clients make before writing. */
const checkRoutes = ({ tokens }: { tokens: Pick<TokenSignIn, "ensure"> }) => {
  async function query({ request, server }: Call, { q, p }: { q?: string; p?: string }): Promise<Response> {
    tokens.ensure({ params: { deviceToken: lineToken(request, p) }, request, server });
    const results = answerQuery(await readQuery(request, q));
    return Response.json(results, { headers: versionHeaders });
  }

  return new Elysia({ tags: ["device API"] })
    .get("/query", (call) => response(1, () => query(call, call.query)), {
      query: queryOne,
      detail: queryDetail("GET"),
    })
    .post("/query", (call) => response(1, () => query(call, call.query)), {
      parse: "none",
      query: queryOne,
      detail: queryDetail("POST"),
    })
    .get("/ping", ping, {
      detail: {
        operationId: "pingLineProtocol",
        summary: "Check whether line protocol is accepted",
        description: "Clients of InfluxDB call this before they write.",
        responses: { 204: { description: "The header `X-Influxdb-Version` names a compatible version." } },
      },
    })
    .get("/health", health, {
      detail: {
        operationId: "getLineProtocolHealth",
        summary: "Get the health, as InfluxDB 2 reports it",
        description:
          "Clients of InfluxDB 2 call this before they write. `/healthz` and `/readyz` report the health of the gateway itself.",
        responses: { 200: objectResponse("`name`, `status` and `version`.") },
      },
    });
};

/** Creates the routes of InfluxDB's write API, for Telegraf and other clients. */
export const lineProtocolRoutes = (deps: {
  ingest: Pick<IngestService, "admit" | "readings" | "reject">;
  tokens: Pick<TokenSignIn, "ensure">;
  bodySpace: Pick<BodySpace, "take">;
  devices: Pick<DevicesService, "children">;
  directory: Pick<DeviceDirectory, "find">;
  activity: Pick<DeviceActivityTracker, "touch">;
  database: Pick<MainDatabase, "durable">;
  clock: Pick<Clock, "now">;
}) => {
  const { ingest, tokens, bodySpace, activity } = deps;

  async function write({ request, server }: Call, token: string, query: WriteQuery, database?: string) {
    const sender = tokens.ensure({ params: { deviceToken: token }, request, server });
    const precision = precisionOf(query.precision);
    const rules = rulesOf(query, database);
    const owner = { tenantId: sender.tenantId, userId: sender.deviceId };
    bodySpace.take(request, owner, BODY_BYTES_MAX);
    const body = await readLines(request);
    const turn = workShare.enter(owner);
    if (turn !== undefined) await turn;
    if (sender.revoked) throw invalidDeviceToken(); // deleted or re-keyed while the body was on its way
    const where = new URL(request.url).pathname;
    ingest.admit(sender, { source: "http", where, body });
    activity.touch(sender); // whatever a gateway sends is a sign of its own life
    await new LineWrite(deps, sender, { ...toText(body), precision, rules, where }).run();
    return new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
  }

  return new Elysia({ tags: ["device API"] })
    .post(
      "/write",
      ({ request, server, query }) =>
        response(1, () => write({ request, server }, lineToken(request, query.p), query, query.db)),
      { parse: "none", query: versionOne, detail: detailOf(1) },
    )
    .post(
      "/api/v2/write",
      ({ request, server, query }) =>
        response(2, () => write({ request, server }, lineToken(request), query, query.bucket)),
      { parse: "none", query: versionTwo, detail: detailOf(2) },
    )
    .use(checkRoutes({ tokens }));
};
