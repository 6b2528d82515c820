import { Elysia, t } from "elysia";
import { iso } from "../../lib/time/iso-time.ts";
import { type LogLevel, logLevel, recentLines, setLogLevel } from "../../platform/core/log.ts";
import { fileResponse } from "../api/documented-responses.ts";
import { newestFirst, pageQuery } from "../api/lists.schemas.ts";
import { listHeaders, toPage } from "../api/lists.ts";
import { OPERATORS_ONLY } from "../api/operation-errors.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { ensureOperator } from "../tenants/tenants.errors.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import { LOG_LEVELS, logFilter, logLevelBody, logLineBody } from "./logs.schemas.ts";

/** Returns the newest matching lines, newest first. */
function linesOf({ level: least, search }: { level?: LogLevel | undefined; search?: string | undefined }) {
  const wanted = search?.toLowerCase();
  return recentLines
    .list()
    .filter((entry) => least === undefined || LOG_LEVELS.indexOf(entry.level) >= LOG_LEVELS.indexOf(least))
    .filter(({ text }) => wanted === undefined || text.toLowerCase().includes(wanted));
}

interface LogRouteDeps {
  readonly tenants: Pick<TenantsService, "find">;
  readonly auth: AuthPlugin;
}

/** Creates the routes for log lines of the running process. */
const lineRoutes = ({ tenants, auth }: LogRouteDeps) =>
  new Elysia({ prefix: "/api/gateway/logs", tags: ["gateway"] })
    .use(auth)
    .get(
      "",
      ({ principal, query, set, request }) => {
        ensureOperator(tenants, principal);
        const page = toPage(query);
        const lines = linesOf(query);
        Object.assign(set.headers, listHeaders(request.url, { ...page, total: lines.length }));
        return lines
          .slice(page.offset, page.offset + page.limit)
          .map((entry) => ({ ...entry, time: iso(entry.time) }));
      },
      {
        auth: "gateway:manage",
        query: t.Object({ ...pageQuery, ...logFilter, sort: newestFirst }),
        response: { 200: t.Array(logLineBody) },
        detail: {
          operationId: "listLogLines",
          summary: "List lines of the log, the newest first",
          description: "The newest 2,000.",
          errors: OPERATORS_ONLY,
        },
      },
    )
    .get(
      "/download",
      ({ principal, query, set }) => {
        ensureOperator(tenants, principal);
        set.headers["content-type"] = "text/plain; charset=utf-8";
        set.headers["content-disposition"] = 'attachment; filename="lineside.log"';
        return `${linesOf(query)
          .reverse()
          .map(({ text }) => text)
          .join("\n")}\n`;
      },
      {
        auth: "gateway:manage",
        query: t.Object(logFilter),
        detail: {
          operationId: "downloadLog",
          summary: "Download the log",
          responses: { 200: fileResponse("A line each, the oldest first.", "text/plain") },
          description: "The newest 2,000 lines.",
          errors: OPERATORS_ONLY,
        },
      },
    );

/** Creates the routes that read and change the log level. */
const levelRoutes = ({ tenants, auth }: LogRouteDeps) =>
  new Elysia({ prefix: "/api/gateway/logs", tags: ["gateway"] })
    .use(auth)
    .get(
      "/level",
      ({ principal }) => {
        ensureOperator(tenants, principal);
        return { level: logLevel() ?? "info" };
      },
      {
        auth: "gateway:manage",
        response: { 200: logLevelBody },
        detail: { operationId: "getLogLevel", summary: "Get the level of the log", errors: OPERATORS_ONLY },
      },
    )
    .put(
      "/level",
      ({ principal, body }) => {
        ensureOperator(tenants, principal);
        setLogLevel(body.level);
        return { level: logLevel() ?? body.level };
      },
      {
        auth: "gateway:manage",
        audit: {
          action: "log.level",
          target: "gateway",
          id: () => "gateway",
          details: ({ body }: AuditContext) => body,
        },
        body: logLevelBody,
        response: { 200: logLevelBody },
        detail: {
          operationId: "setLogLevel",
          summary: "Change the level of the log",
          description: "Until the gateway is started again.",
          errors: OPERATORS_ONLY,
          example: { level: "debug" },
        },
      },
    );

/** Creates the routes for the log of the running process, for operators of the gateway. */
export const logsRoutes = (deps: LogRouteDeps) => [lineRoutes(deps), levelRoutes(deps)];
