import { Elysia, t } from "elysia";
import { DomainError, invalid } from "../../lib/domain-error.ts";
import { type LinePrecision, linePrecisions } from "../../lib/line-protocol.ts";
import { LARGE_BODY_BYTES } from "../../lib/request-bytes.ts";
import type { Clock } from "../../platform/clock.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { workShare } from "../../platform/fair-share.ts";
import { toStorageFailure } from "../../platform/storage-failure.ts";
import type { DeviceActivityTracker } from "../devices/device-activity.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import { invalidDeviceToken } from "../devices/devices.errors.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { TokenSignIn } from "../devices/token-sign-in.service.ts";
import { objectAnswer } from "../documented-answers.ts";
import type { PeerServer } from "../request-peer.ts";
import type { IngestService } from "./ingest.service.ts";
import { lineRefusal, lineToken } from "./line-answers.ts";
import { readLines, toText } from "./line-body.ts";
import { answerQuery, readQuery } from "./line-queries.ts";
import { rulesOf } from "./line-rules.ts";
import { LineWrite } from "./line-writes.ts";

/** Version of InfluxDB that clients may expect. Some will not write to a server that does not name one. */
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
  const precision = linePrecisions.find((each) => each === wanted);
  if (precision === undefined)
    throw invalid("line_protocol.precision_invalid", { precisions: linePrecisions.join(", ") });
  return precision;
}

const description =
  "InfluxDB line protocol, plain or gzip, 5 MiB and 100,000 lines at most. The token of a device stores all lines on that device; the token of a gateway stores the lines of each child on the child that their device tag names, which is created as the gateway API creates it, and lines without that tag on the gateway. A key is `measurement.field`, with the values of the other tags in between: `cpu.cpu0.usage_idle`. Time stamps are stored in ms; a line without one is of now. 204 once all lines are on the disk. 400 names the first line that was refused and says how many were; all other lines are stored. 401 for a wrong token, 413 for a body that is too large, 415 for another content encoding, 429 with Retry-After beyond the messages and bytes a second or for too many wrong tokens, 503 when storage cannot take writes. Errors have the form of InfluxDB.";

const detailOf = (version: 1 | 2) => ({
  summary: `Write line protocol, as to InfluxDB ${version}`,
  description,
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
  summary: `Prepare a database, as in InfluxDB 1 (${method})`,
  description:
    "Clients of InfluxDB 1 send this before they write. `CREATE DATABASE`, `CREATE RETENTION POLICY`, `SHOW DATABASES` and `SHOW RETENTION POLICIES` succeed without effect, because there are no databases. All other statements are refused. 401 for a wrong token, 429 for too many wrong tokens.",
  security: [{ influxToken: [] }],
  responses: { 200: objectAnswer("`results`, one for each statement.") },
});

const ping = () =>
  new Response(null, {
    status: 204,
    headers: { ...versionHeaders, "x-influxdb-build": "Lineside", "x-content-type-options": "nosniff" },
  });

/** As clients of InfluxDB 2 expect it. */
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

/** Answers in the form of a version of InfluxDB, whatever fails. */
async function answer(version: 1 | 2, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    const failure = toStorageFailure(error) ?? error;
    if (failure instanceof DomainError) return lineRefusal(failure, version);
    throw failure;
  }
}

/** Routes for the checks that clients make before they write. */
const checkRoutes = ({ tokens }: { tokens: Pick<TokenSignIn, "ensure"> }) => {
  async function query({ request, server }: Call, { q, p }: { q?: string; p?: string }): Promise<Response> {
    tokens.ensure({ params: { deviceToken: lineToken(request, p) }, request, server });
    const results = answerQuery(await readQuery(request, q));
    return Response.json(results, { headers: versionHeaders });
  }

  return new Elysia({ tags: ["device API"] })
    .get("/query", (call) => answer(1, () => query(call, call.query)), {
      query: queryOne,
      detail: queryDetail("GET"),
    })
    .post("/query", (call) => answer(1, () => query(call, call.query)), {
      parse: "none",
      query: queryOne,
      detail: queryDetail("POST"),
    })
    .get("/ping", ping, {
      detail: {
        summary: "Whether line protocol is accepted",
        description: "Clients of InfluxDB call this before they write.",
        responses: { 204: { description: "The header `X-Influxdb-Version` names a compatible version." } },
      },
    })
    .get("/health", health, {
      detail: {
        summary: "Health, as InfluxDB 2 reports it",
        description:
          "Clients of InfluxDB 2 call this before they write. `/healthz` and `/readyz` report the health of the gateway itself.",
        responses: { 200: objectAnswer("`name`, `status` and `version`.") },
      },
    });
};

/** Routes under the names that InfluxDB has for them, so that Telegraf and other clients write to the gateway. */
export const lineProtocolRoutes = (deps: {
  ingest: Pick<IngestService, "admit" | "readings" | "reject">;
  tokens: Pick<TokenSignIn, "ensure">;
  devices: Pick<DevicesService, "children">;
  directory: Pick<DeviceDirectory, "find">;
  activity: Pick<DeviceActivityTracker, "touch">;
  database: Pick<MainDatabase, "durable">;
  clock: Pick<Clock, "now">;
}) => {
  const { ingest, tokens, activity } = deps;

  async function write({ request, server }: Call, token: string, query: WriteQuery, database?: string) {
    const sender = tokens.ensure({ params: { deviceToken: token }, request, server });
    const precision = precisionOf(query.precision);
    const rules = rulesOf(query, database);
    const body = await readLines(request);
    if (body.length > LARGE_BODY_BYTES)
      await workShare.enter({ tenantId: sender.tenantId, userId: sender.deviceId });
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
        answer(1, () => write({ request, server }, lineToken(request, query.p), query, query.db)),
      { parse: "none", query: versionOne, detail: detailOf(1) },
    )
    .post(
      "/api/v2/write",
      ({ request, server, query }) =>
        answer(2, () => write({ request, server }, lineToken(request), query, query.bucket)),
      { parse: "none", query: versionTwo, detail: detailOf(2) },
    )
    .use(checkRoutes({ tokens }));
};
