import { Elysia, t } from "elysia";
import { invalid } from "../../lib/domain-error.ts";
import type { FaultSubjectKind } from "../../lib/fault-sources.ts";
import type { DeviceId } from "../../lib/ids.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { isAllowed, type Permission } from "../identity/permissions.ts";
import { ensureOperator } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import { wholeNumber } from "../wire.schemas.ts";
import {
  FAULTS_KEPT,
  FAULTS_PAGE_DEFAULT,
  faultBody,
  faultCountBody,
  faultFilterQuery,
  listFaultsQuery,
} from "./faults.schemas.ts";
import type { Faults } from "./faults.service.ts";
import type { FaultEntry, FaultFilter } from "./faults.types.ts";
import { type FaultNames, faultToWire, forTenant } from "./faults.wire.ts";

interface FaultRouteDeps extends FaultNames {
  readonly faults: Pick<Faults, "list" | "clear">;
  readonly auth: AuthPlugin;
}

/** Who may read about a thing may read its faults; credentials and addresses are for those who read the audit log. */
const permissionOf: Record<FaultSubjectKind, Permission> = {
  device: "devices:read",
  user: "audit:read",
  api_key: "audit:read",
  mqtt_client: "mqtt-clients:read",
  integration: "integrations:read",
  pipeline: "pipelines:read",
  alarm: "alarms:read",
  notification: "alarms:escalation",
  uplink: "uplinks:read",
};

/** Returns whether a user of the tenant sees a fault: of the granted devices those alone, whose samples may be any device's. */
export function isVisibleTo(principal: Principal, { subject }: FaultEntry): boolean {
  const { devices } = principal;
  if (subject?.kind === "device") return devices === "all" || devices.has(subject.id as DeviceId);
  return devices === "all" && isAllowed(principal, subject ? permissionOf[subject.kind] : "audit:read");
}

type Wire = ReturnType<typeof faultToWire>;

const matchesText = (fault: Wire, search: string): boolean =>
  [
    fault.subject?.name,
    fault.address,
    fault.identity,
    fault.client,
    fault.where,
    fault.tenantName,
    fault.reason.message,
  ].some((text) => text?.toLowerCase().includes(search) === true);

/** Entries are in the order of their last occurrence: a cursor is the place of the last one that was read. */
const cursorOf = ({ lastAt, faultId }: Pick<Wire, "lastAt" | "faultId">): string =>
  `${Date.parse(lastAt)}.${faultId}`;

function afterCursor(faults: readonly Wire[], cursor: string | undefined): readonly Wire[] {
  if (cursor === undefined) return faults;
  const [, time = "", id = ""] = /^(\d{1,16})\.([\w-]{1,64})$/.exec(cursor) ?? [];
  if (id === "") throw invalid("audit.cursor_invalid");
  const index = faults.findIndex(({ faultId }) => faultId === id);
  // An entry that occurred again has moved to the front.
  if (index >= 0 && cursorOf(faults[index]!) === cursor) return faults.slice(index + 1);
  return faults.filter(({ lastAt }) => Date.parse(lastAt) < Number(time));
}

interface ListContext {
  readonly query: FaultFilter & { search?: string; limit?: number; cursor?: string };
  readonly request: { readonly url: string };
  readonly set: { headers: Record<string, string | number> };
}

function page({ query, request, set }: ListContext, faults: readonly Wire[]): Wire[] {
  const { limit = FAULTS_PAGE_DEFAULT, search = "" } = query;
  const found = faults.filter((fault) => matchesText(fault, search.toLowerCase()));
  const rest = afterCursor(found, query.cursor);
  const items = rest.slice(0, limit);
  set.headers["x-total-count"] = String(found.length);
  const last = items.at(-1);
  if (rest.length > items.length && last !== undefined) {
    const next = new URL(request.url);
    next.searchParams.set("cursor", cursorOf(last));
    set.headers.link = `<${next.pathname}${next.search}>; rel="next"`;
  }
  return items;
}

function countsOf(entries: readonly FaultEntry[]) {
  const counts = new Map<
    string,
    { source: FaultEntry["source"]; code: string; entries: number; count: number }
  >();
  for (const { source, code, count } of entries) {
    const key = `${source} ${code}`;
    const sum = counts.get(key) ?? { source, code, entries: 0, count: 0 };
    counts.set(key, { ...sum, entries: sum.entries + 1, count: sum.count + count });
  }
  return [...counts.values()].sort((left, right) => right.count - left.count);
}

const clearedBody = t.Object({ cleared: wholeNumber({ description: "number of entries" }) });

/** Faults of the caller's tenant. */
const tenantRoutes = ({ auth, faults, ...names }: FaultRouteDeps) => {
  const visible = (principal: Principal, filter: FaultFilter = {}) =>
    faults.list(principal.tenantId, filter).filter((entry) => isVisibleTo(principal, entry));
  return new Elysia({ prefix: "/api/faults", tags: ["faults"] })
    .use(auth)
    .get(
      "",
      (context) =>
        page(
          context,
          visible(context.principal, context.query).map((entry) => forTenant(faultToWire(names, entry))),
        ),
      {
        auth: "devices:read",
        query: listFaultsQuery,
        response: { 200: t.Array(faultBody) },
        detail: {
          summary: "List faults",
          description: `Lists what went wrong, the newest first: refused credentials and messages, failed integrations, deliveries, imports and uplinks. Each caller sees faults of the things that the caller may read; those of credentials without a known thing need \`audit:read\` and access to all devices. ${FAULTS_KEPT} \`X-Total-Count\` has the number of matches, \`Link\` the next page. 400 for an invalid cursor.`,
        },
      },
    )
    .get("/counts", ({ principal }) => countsOf(visible(principal)), {
      auth: "devices:read",
      response: { 200: t.Array(faultCountBody) },
      detail: {
        summary: "Count faults by source and code",
        description: "Counts the faults that the list shows to the caller, the most frequent first.",
      },
    })
    .delete(
      "",
      ({ principal, query }) => {
        const entries = visible(principal, query);
        faults.clear(entries);
        return { cleared: entries.length };
      },
      {
        auth: "faults:clear",
        audit: {
          action: "fault.clear",
          target: "tenant",
          id: ({ principal }: AuditContext) => principal.tenantId,
          details: ({ query }: AuditContext) => query,
        },
        query: faultFilterQuery,
        response: { 200: clearedBody },
        detail: {
          summary: "Clear faults",
          description:
            "Deletes the entries that match all parameters, or all that the caller sees. What goes wrong afterwards is listed again.",
        },
      },
    );
};

/** Faults of the whole gateway, with those that belong to no tenant. */
const gatewayRoutes = ({ auth, faults, ...names }: FaultRouteDeps) => {
  const all = (principal: Principal, filter: FaultFilter = {}) => {
    ensureOperator(names.tenants, principal);
    return faults.list(undefined, filter);
  };
  const operators = "403 unless owner of the gateway's own tenant, with access to all devices.";
  return new Elysia({ prefix: "/api/gateway/faults", tags: ["gateway"] })
    .use(auth)
    .get(
      "",
      (context) =>
        page(
          context,
          all(context.principal, context.query).map((entry) => faultToWire(names, entry)),
        ),
      {
        auth: "gateway:manage",
        query: listFaultsQuery,
        response: { 200: t.Array(faultBody) },
        detail: {
          summary: "List faults of the gateway",
          description: `Lists the faults of all tenants and those that belong to none, such as unknown tokens. ${FAULTS_KEPT} ${operators}`,
        },
      },
    )
    .get("/counts", ({ principal }) => countsOf(all(principal)), {
      auth: "gateway:manage",
      response: { 200: t.Array(faultCountBody) },
      detail: { summary: "Count faults of the gateway", description: `By source and code. ${operators}` },
    })
    .delete(
      "",
      ({ principal, query }) => {
        const entries = all(principal, query);
        faults.clear(entries);
        return { cleared: entries.length };
      },
      {
        auth: "gateway:manage",
        audit: {
          action: "fault.clear",
          target: "gateway",
          id: () => "gateway",
          details: ({ query }: AuditContext) => query,
        },
        query: faultFilterQuery,
        response: { 200: clearedBody },
        detail: {
          summary: "Clear faults of the gateway",
          description: `Deletes the entries that match all parameters. ${operators}`,
        },
      },
    );
};

/** Lists and clears faults: of a tenant, and of the whole gateway. */
export const faultsRoutes = (deps: FaultRouteDeps) => [tenantRoutes(deps), gatewayRoutes(deps)];
