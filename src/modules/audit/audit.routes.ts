import { Elysia, t } from "elysia";
import { invalid } from "../../lib/core/domain-error.ts";
import { csvCell } from "../../lib/csv/csv-cell.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { parseWrittenTime } from "../../lib/time/written-time.ts";
import { PARSED_MAX } from "../../platform/database/parsed-together.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { fileResponse } from "../api/documented-responses.ts";
import { sendRows } from "../api/lists.ts";
import { EXPORTS_LIMIT, exportResponse } from "../api/responses.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { Principal } from "../users/users.types.ts";
import { auditBody, exportAuditQuery, listAuditQuery } from "./audit.schemas.ts";
import type { AuditService } from "./audit.service.ts";
import type { AuditEntry, AuditFilter } from "./audit.types.ts";

const COLUMNS = [
  "at",
  "outcome",
  "action",
  "actorType",
  "actorName",
  "actorId",
  "impersonatorName",
  "targetType",
  "targetName",
  "targetId",
  "address",
  "userAgent",
  "before",
  "after",
] as const satisfies ReadonlyArray<keyof AuditEntry>;

const cell = (value: string | number | null): string => (value === null ? "" : csvCell(String(value)));

/** Converts an entry for the API, without unset fields and with the change parsed from JSON. */
function toWire({
  sequence: _,
  tenantId: __,
  share: ___,
  holder: ____,
  at,
  before,
  after,
  ...entry
}: AuditEntry) {
  const set = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
  return {
    ...(set as { [K in keyof typeof entry]: Exclude<(typeof entry)[K], null> }), // without its nulls
    at: iso(at),
    ...(before !== null && { before: JSON.parse(before) as unknown }),
    ...(after !== null && { after: JSON.parse(after) as unknown }),
  };
}

/** Yields pages of entries as text. */
async function* renderAudit(
  pages: AsyncIterable<readonly AuditEntry[]>,
  format: "csv" | "ndjson",
): AsyncGenerator<string> {
  if (format === "csv") yield `${COLUMNS.join(",")}\r\n`;
  for await (const page of pages) {
    let text = "";
    for (const entry of page) {
      text +=
        format === "csv"
          ? `${COLUMNS.map((column) => cell(column === "at" ? iso(entry.at) : entry[column])).join(",")}\r\n`
          : `${JSON.stringify(toWire(entry))}\n`;
      if (text.length < PARSED_MAX) continue;
      yield text;
      text = "";
    }
    if (text !== "") yield text;
  }
}

const LIMIT_DEFAULT = 100;
const contentTypes = { csv: "text/csv; charset=utf-8", ndjson: "application/x-ndjson" } as const;

/** Parses ISO 8601 (in UTC without a zone) or epoch ms. @throws DomainError `audit.time_invalid` */
function timeOf(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^-?\d{1,16}$/.test(text)) return Number(text);
  const time = parseWrittenTime(text);
  if (typeof time === "string") throw invalid("audit.time_invalid", { field });
  return time.wall - (time.offsetMs ?? 0);
}

type Query = Omit<AuditFilter, "from" | "to"> & { from?: string; to?: string };
const filterOf = ({ from, to, ...filter }: Query): AuditFilter => ({
  ...filter,
  from: timeOf("from", from),
  to: timeOf("to", to),
});

function cursorOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw invalid("audit.cursor_invalid");
  return Number(text);
}

export const auditRoutes = (deps: {
  audit: AuditService;
  tenants: Pick<TenantsService, "find">;
  isDevice: (id: string) => boolean;
  responses: ResponseSpace;
  auth: AuthPlugin;
}) => {
  const { audit, responses } = deps;
  const scopeOf = ({ tenantId, devices }: Principal) => ({
    tenantId,
    devices,
    isDevice: deps.isDevice,
    includesStrangers: deps.tenants.find(tenantId)?.isHost ?? false,
  });
  return new Elysia({ prefix: "/api/audit", tags: ["audit"] })
    .use(deps.auth)
    .get(
      "",
      async ({ principal, query: { limit = LIMIT_DEFAULT, cursor, ...query }, request }) => {
        const page = { limit, before: cursorOf(cursor) };
        const { items, total } = await audit.list(scopeOf(principal), filterOf(query), page);
        const headers: Record<string, string> = {};
        if (total !== undefined) headers["x-total-count"] = String(total);
        const last = items.at(-1);
        if (items.length === limit && last !== undefined) {
          const next = new URL(request.url);
          next.searchParams.set("cursor", String(last.sequence));
          headers.link = `<${next.pathname}${next.search}>; rel="next"`;
        }
        return sendRows({ request, responses }, headers, { keys: items, read: toWire });
      },
      {
        auth: "audit:read",
        query: listAuditQuery,
        response: { 200: t.Array(auditBody) },
        detail: {
          operationId: "listAuditEntries",
          summary: "List entries of the audit log, the newest first",
          description:
            "The log has every change by a user, an API key or the command line, refused requests, and sign-ins. `X-Total-Count` has the number of matches (with a filter, on the first page only), `Link` the next page. Users of the gateway's own site also see sign-ins with unknown addresses.",
          errors: { 400: "A time or the cursor is invalid.", 403: "Requires an owner or administrator." },
        },
      },
    )
    .get("/actions", ({ principal }) => audit.listActions(scopeOf(principal)), {
      auth: "audit:read",
      response: { 200: t.Array(t.String()) },
      detail: {
        operationId: "listAuditActions",
        summary: "List the actions for the audit filter",
        errors: { 403: "Requires an owner or administrator." },
      },
    })
    .get(
      "/export",
      ({ principal, query: { format = "csv", ...query }, request }) =>
        exportResponse(responses, request, {
          create: () => renderAudit(audit.pages(scopeOf(principal), filterOf(query)), format),
          headers: {
            "content-type": contentTypes[format],
            "content-disposition": `attachment; filename="audit.${format}"`,
          },
        }),
      {
        auth: "audit:read",
        query: exportAuditQuery,
        detail: {
          operationId: "exportAuditLog",
          summary: "Export the audit log",
          responses: { 200: fileResponse("One row or line per entry.", "text/csv", "application/x-ndjson") },
          description: "Streams all matching entries as CSV for spreadsheets or as NDJSON.",
          errors: { ...EXPORTS_LIMIT, 400: "A time is invalid.", 403: "Requires an owner or administrator." },
        },
      },
    )
    .get("/:auditId", ({ principal, params }) => toWire(audit.get(scopeOf(principal), params.auditId)), {
      auth: "audit:read",
      response: { 200: auditBody },
      detail: {
        operationId: "getAuditEntry",
        summary: "Read an entry",
        errors: { 403: "Requires an owner or administrator.", 404: "The entry is unknown." },
      },
    });
};
