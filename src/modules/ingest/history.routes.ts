import { Elysia, type Static, t } from "elysia";
import { DomainError, detail, inEnglish, invalid, toText, unsupported } from "../../lib/core/domain-error.ts";
import type { HistoryFormat } from "../../lib/csv/history-format.ts";
import { type CsvOptions, noNotes } from "../../lib/csv/history-rows.ts";
import { parseNames } from "../../lib/keys/name-list.ts";
import { isTimeZone } from "../../lib/time/time-zone.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { fileResponse } from "../api/documented-responses.ts";
import { EXPORTS_LIMIT, exportResponse } from "../api/responses.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { HistoryService } from "./history.service.ts";
import type { ImportProgress, ImportResult } from "./history-import.ts";

function formatOf(request: Request, query: string | undefined): HistoryFormat {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (query === "csv" || query === "ndjson") return query;
  if (type === "text/csv") return "csv";
  if (type === "application/x-ndjson" || type === "application/jsonl") return "ndjson";
  throw unsupported("import.type_unknown");
}

async function untilDone(progress: AsyncGenerator<ImportProgress, ImportResult>): Promise<ImportResult> {
  for (;;) {
    const step = await progress.next();
    if (step.done === true) return step.value;
  }
}

/** Streams one JSON line per batch on disk, followed by the result or an error. */
function asLines(progress: AsyncGenerator<ImportProgress, ImportResult>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const line = (value: unknown) => encoder.encode(`${JSON.stringify(value)}\n`);
  return new ReadableStream({
    async pull(controller) {
      try {
        const step = await progress.next();
        controller.enqueue(line(step.value));
        if (step.done === true) controller.close();
      } catch (error) {
        const text = error instanceof DomainError ? toText(error) : detail("import_error.failed");
        controller.enqueue(line({ success: false, message: inEnglish(text), ...text }));
        controller.close();
      }
    },
    async cancel() {
      const nothing = { rows: 0, points: 0, failed: 0, errors: [], newestTs: undefined };
      await progress.return({ success: false, ...nothing, ...noNotes() });
    },
  });
}

const count = { type: "integer" as const };
const importResponse = {
  description: "The number of stored points and the refused rows; with `progress=true`, one line per batch.",
  content: {
    "application/json": {
      schema: {
        type: "object" as const,
        required: ["success", "rows", "points", "failed", "errors"],
        properties: {
          success: { type: "boolean" as const },
          rows: count,
          points: count,
          failed: { ...count, description: "rows that were refused" },
          sameTime: { ...count, description: "rows with the time of an earlier row; the later value counts" },
          missing: { ...count, description: "cells such as NA, left out of number columns" },
          timeColumns: {
            type: "array" as const,
            description: "names of the time columns",
            items: { type: "string" as const },
          },
          unnamedColumns: {
            type: "array" as const,
            description: "numbers of unnamed columns, which are left out",
            items: count,
          },
          lastTs: { ...count, description: "time of the last row of CSV, epoch ms" },
          newestTs: { ...count, description: "time of the newest stored row, epoch ms" },
          errors: {
            type: "array" as const,
            description: "the first refused rows",
            items: {
              type: "object" as const,
              required: ["row", "message", "code", "params"],
              properties: {
                row: count,
                message: { type: "string" as const },
                code: { type: "string" as const, description: "the meaning of the message" },
                params: { type: "object" as const, additionalProperties: true },
              },
            },
          },
        },
      },
    },
    "application/x-ndjson": { schema: { type: "string" as const } },
  },
};

const exportTypes = { csv: "text/csv; charset=utf-8", ndjson: "application/x-ndjson" } as const;
/** Returns an integer in decimal digits; NaN for anything else, which the service refuses. */
const toNumber = (text: string) => (/^-?\d+$/.test(text) ? Number(text) : Number.NaN);
const LAST_TS = 8_640_000_000_000_000;

const keysQuery = t.Optional(
  t.String({
    maxLength: 65_536,
    description: "comma-separated names; names that contain commas in double quotes; all by default",
  }),
);
const unitsQuery = t.Optional(
  t.Union([t.Literal("true"), t.Literal("false")], {
    description: "whether the column names of CSV end with the unit of their key",
  }),
);

const delimiters = { comma: ",", semicolon: ";", tab: "\t", pipe: "|" } as const;

const importQuery = t.Object({
  format: t.Optional(
    t.Union([t.Literal("csv"), t.Literal("ndjson")], {
      description: "by default the content type decides",
    }),
  ),
  delimiter: t.Optional(
    t.Union([t.Literal("comma"), t.Literal("semicolon"), t.Literal("tab"), t.Literal("pipe")], {
      description: "delimiter of CSV; recognized from the header by default",
    }),
  ),
  decimal: t.Optional(
    t.Union([t.Literal("point"), t.Literal("comma")], {
      description:
        "decimal sign of CSV; by default a point if commas separate the columns, otherwise a comma",
    }),
  ),
  timezone: t.Optional(
    t.String({
      maxLength: 64,
      description: "time zone of CSV times without a zone; UTC by default",
    }),
  ),
  timeColumn: t.Optional(
    t.String({
      maxLength: 256,
      description: "name or number of the time column of CSV; recognized by default",
    }),
  ),
  skipColumns: t.Optional(
    t.Union([t.String({ maxLength: 256 }), t.Array(t.String({ maxLength: 256 }))], {
      description: "name or number of a CSV column to leave out; repeat it for more",
    }),
  ),
  dates: t.Optional(
    t.Union([t.Literal("day-first"), t.Literal("month-first")], {
      description: "order of day and month in dates such as 03/04/2026; by default the dates decide",
    }),
  ),
  skipRows: t.Optional(
    t.Integer({
      minimum: 0,
      description:
        "number of rows already imported; they show the format of the columns and are not stored again",
    }),
  ),
  previousTs: t.Optional(
    t.Integer({
      minimum: 0,
      description: "`lastTs` of the previous part of the file; decides in the hour that occurs twice",
    }),
  ),
  progress: t.Optional(
    t.BooleanString({
      description: "true: the response has one JSON line per batch, and the result in the last line",
    }),
  ),
});

/** @throws DomainError `import.csv_only` for CSV options with NDJSON */
function refuseForNdjson(options: Record<string, unknown>): void {
  const named = Object.keys(options).filter((name) => options[name] !== undefined);
  if (named.length > 0) throw invalid("import.csv_only", { names: named.join(", ") });
}

/** Reads the CSV options of the query. @throws DomainError `import.csv_only`, `import.timezone_invalid` */
function csvOptionsOf(query: Static<typeof importQuery>, format: HistoryFormat): CsvOptions {
  const { delimiter, decimal, timezone, dates, timeColumn: time, skipColumns } = query;
  if (format === "ndjson")
    refuseForNdjson({ delimiter, decimal, timezone, dates, timeColumn: time, skipColumns });
  if (timezone !== undefined && !isTimeZone(timezone)) throw invalid("import.timezone_invalid");
  const skip = skipColumns === undefined ? [] : [skipColumns].flat();
  return { delimiter: delimiter && delimiters[delimiter], decimal, timezone, dates, time, skip };
}

export const historyRoutes = (deps: {
  history: HistoryService;
  responses: ResponseSpace;
  auth: AuthPlugin;
}) =>
  new Elysia({ prefix: "/api/devices/:deviceId/telemetry", tags: ["telemetry"] })
    .use(deps.auth)
    .get(
      "/export",
      ({ principal, params, query, request }) => {
        const format = query.format ?? "csv";
        const wanted = {
          format,
          hasUnits: query.units === "true",
          keys: query.keys === undefined ? [] : parseNames(query.keys),
          from: toNumber(query.from ?? "0"),
          to: toNumber(query.to ?? String(LAST_TS)),
        };
        return exportResponse(deps.responses, request, {
          create: (signal) => deps.history.export(principal, params.deviceId, { ...wanted, signal }),
          headers: {
            "content-type": exportTypes[format],
            "content-disposition": `attachment; filename="${params.deviceId}.${format}"`,
          },
        });
      },
      {
        auth: "telemetry:read",
        query: t.Object({
          format: t.Optional(
            t.Union([t.Literal("csv"), t.Literal("ndjson")], { description: "csv by default" }),
          ),
          keys: keysQuery,
          units: unitsQuery,
          from: t.Optional(t.String({ maxLength: 20, description: "epoch ms; the beginning by default" })),
          to: t.Optional(t.String({ maxLength: 20, description: "epoch ms, inclusive; the end by default" })),
        }),
        detail: {
          operationId: "exportDeviceTelemetry",
          summary: "Export telemetry of a device",
          responses: {
            200: fileResponse("One row or line per timestamp.", "text/csv", "application/x-ndjson"),
          },
          description:
            "Streams every point unchanged, oldest first: NDJSON (one `{ts, values}` per line) is lossless, CSV (ISO 8601 times, one column per key) is for spreadsheets.",
          errors: { ...EXPORTS_LIMIT, 400: "The range is invalid." },
        },
      },
    )
    .post(
      "/import",
      async ({ principal, params, query, request, set }) => {
        const format = formatOf(request, query.format);
        if (request.body === null) throw invalid("import.empty");
        const { skipRows = 0, previousTs } = query;
        const source = { body: request.body, format, csv: csvOptionsOf(query, format), skipRows, previousTs };
        const progress = deps.history.import(principal, params.deviceId, source);
        if (query.progress !== true) return untilDone(progress);
        set.headers["content-type"] = "application/x-ndjson";
        return new Response(asLines(progress), {
          headers: { "content-type": "application/x-ndjson", "cache-control": "no-store" },
        });
      },
      {
        auth: "telemetry:write",
        audit: { action: "telemetry.import", target: "device" },
        parse: "none",
        query: importQuery,
        detail: {
          operationId: "importDeviceTelemetry",
          summary: "Import telemetry history",
          responses: { 200: importResponse },
          description:
            "CSV (a header with a time column, or a day and a time-of-day column, then one column per key; UTF-8, UTF-16 or Windows-1252) or NDJSON (`{ts, values}` or `{ts, key: value}` per line), 16 MiB per request; send a larger file in parts, each preceded by the first part, with `skipRows` and `previousTs` from the previous response. Options for CSV are refused for NDJSON. A row is refused if its time is invalid, or if a cell looks like a number but does not fit the decimal sign or can be read in two ways (`1.234` in a column that shows no decimal sign). The file counts against the bytes per second of the plan and is read no faster. Refused rows do not stop the others; repeating an import changes nothing.",
          requestBody: {
            required: true,
            content: {
              "text/csv": {
                schema: { type: "string" },
                example: "ts,temperature\n2026-01-01T00:00:00Z,21.5\n",
              },
              "application/x-ndjson": {
                schema: { type: "string" },
                example: '{"ts":1767225600000,"values":{"temperature":21.5}}\n',
              },
            },
          },
        },
      },
    );
