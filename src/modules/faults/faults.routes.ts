import { Elysia, t } from "elysia";
import type { FaultSubjectKind } from "../../lib/alarms/fault-sources.ts";
import { invalid } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { OPERATORS_ONLY, type OperationErrors } from "../api/operation-errors.ts";
import { wholeNumber } from "../api/wire.schemas.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { isAllowed, type Permission } from "../identity/permissions.ts";
import { ensureOperator } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
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
import { type FaultNames, faultToWire, forTenant, renderInTurns } from "./faults.wire.ts";

interface FaultRouteDeps extends FaultNames {
  readonly faults: Pick<Faults, "list" | "clear">;
  readonly auth: AuthPlugin;
}

/** Permission to read an object's faults: usually that of the object itself. Faults of users and API keys require `audit:read`. */
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
  modbus_connection: "integrations:read",
  s7_connection: "integrations:read",
  bacnet_connection: "integrations:read",
  opcua_connection: "integrations:read",
  job: "scheduler:read",
  outbox: "outbox:manage",
};

/** Returns the permission for faults without an object: users who may import devices may read refused imports. */
const permissionWithoutSubject = ({ source }: FaultEntry): Permission =>
  source === "import" ? "devices:write" : "audit:read";

/**
 * Returns whether a user of the tenant sees a fault: with limited access, only faults of granted devices, because samples may contain any device's
 * data.
 */
export function isVisibleTo(principal: Principal, fault: FaultEntry): boolean {
  const { devices } = principal;
  const { subject } = fault;
  if (subject?.kind === "device") return devices === "all" || devices.has(subject.id as DeviceId);
  const permission = subject ? permissionOf[subject.kind] : permissionWithoutSubject(fault);
  return devices === "all" && isAllowed(principal, permission);
}

/** Returns whether a user sees the sample of a fault. Payloads of integrations require the permission to change integrations, as in their events. */
const seesSample = (principal: Principal, { subject }: FaultEntry): boolean =>
  subject?.kind !== "integration" || isAllowed(principal, "integrations:write");

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

/** Returns a cursor. Entries are ordered by last occurrence, so a cursor is the position of the last read entry. */
const cursorOf = ({ lastAt, faultId }: FaultEntry): string => `${lastAt}.${faultId}`;

function afterCursor(faults: readonly FaultEntry[], cursor: string | undefined): readonly FaultEntry[] {
  if (cursor === undefined) return faults;
  const [, time = "", id = ""] = /^(\d{1,16})\.([\w-]{1,64})$/.exec(cursor) ?? [];
  if (id === "") throw invalid("audit.cursor_invalid");
  const index = faults.findIndex(({ faultId }) => faultId === id);
  // An entry that occurred again has moved to the front.
  if (index >= 0 && cursorOf(faults[index]!) === cursor) return faults.slice(index + 1);
  return faults.filter(({ lastAt }) => lastAt < Number(time));
}

type Filter = FaultFilter & { readonly search?: string | undefined };

interface ListContext {
  readonly query: { readonly limit?: number; readonly cursor?: string };
  readonly request: { readonly url: string };
  readonly set: { headers: Record<string, string | number> };
}

function page({ query, request, set }: ListContext, faults: readonly FaultEntry[]): readonly FaultEntry[] {
  const { limit = FAULTS_PAGE_DEFAULT } = query;
  const rest = afterCursor(faults, query.cursor);
  const items = rest.slice(0, limit);
  set.headers["x-total-count"] = String(faults.length);
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

interface FaultResource {
  readonly prefix: string;
  readonly tag: "faults" | "gateway";
  readonly permissions: { readonly read: Permission; readonly clear: Permission };
  /** Returns the entries that the caller sees. */
  readonly entriesOf: (principal: Principal, filter: FaultFilter) => readonly FaultEntry[];
  readonly toWire: (entry: FaultEntry, principal: Principal) => Wire;
  readonly audited: { readonly target: string; readonly id: (context: AuditContext) => string };
  /** Name of the entries in operation ids. */
  readonly noun: "Faults" | "GatewayFaults";
  /** Suffix of the summaries, such as " of the gateway". */
  readonly ofWhat: string;
  readonly description: string;
  readonly errors?: OperationErrors;
}

/** Returns the matching entries. A search only reads data that the caller sees. */
async function matches(
  of: FaultResource,
  principal: Principal,
  { search = "", ...filter }: Filter,
): Promise<readonly FaultEntry[]> {
  const entries = of.entriesOf(principal, filter);
  if (search === "") return entries;
  const text = search.toLowerCase();
  const found = await renderInTurns(entries, (entry) => matchesText(of.toWire(entry, principal), text));
  return entries.filter((_, index) => found[index]);
}

/** Refuses unknown parameters: ignoring a misspelled filter would clear every fault. */
function ensureFilters(url: string): void {
  const filters = Object.keys(faultFilterQuery.properties);
  const name = [...new URL(url).searchParams.keys()].find((key) => !filters.includes(key));
  if (name !== undefined) throw invalid("request.parameter_unknown", { name, known: filters });
}

/** Creates the routes that list, count and clear entries. */
const resource = (deps: Pick<FaultRouteDeps, "auth" | "faults">, of: FaultResource) =>
  new Elysia({ prefix: of.prefix, tags: [of.tag] })
    .use(deps.auth)
    .get(
      "",
      async (context) => {
        const { principal, query } = context;
        const shown = page(context, await matches(of, principal, query));
        return renderInTurns(shown, (entry) => of.toWire(entry, principal));
      },
      {
        auth: of.permissions.read,
        query: listFaultsQuery,
        response: { 200: t.Array(faultBody) },
        detail: {
          operationId: `list${of.noun}`,
          summary: `List faults${of.ofWhat}`,
          description: `${of.description} The newest come first. ${FAULTS_KEPT} \`X-Total-Count\` has the number of matches, \`Link\` the next page.`,
          errors: { 400: "The cursor is invalid.", ...of.errors },
        },
      },
    )
    .get("/counts", ({ principal }) => countsOf(of.entriesOf(principal, {})), {
      auth: of.permissions.read,
      response: { 200: t.Array(faultCountBody) },
      detail: {
        operationId: `count${of.noun}`,
        summary: `Count faults${of.ofWhat}`,
        description:
          "Counts the faults that the list shows to the caller by source and code, the most frequent first.",
      },
    })
    .delete(
      "",
      async ({ principal, query, request }) => {
        ensureFilters(request.url);
        const entries = await matches(of, principal, query);
        deps.faults.clear(entries);
        return { cleared: entries.length };
      },
      {
        auth: of.permissions.clear,
        audit: { action: "fault.clear", ...of.audited, details: ({ query }: AuditContext) => query },
        query: faultFilterQuery,
        response: { 200: t.Object({ cleared: wholeNumber({ description: "number of entries" }) }) },
        detail: {
          operationId: `clear${of.noun}`,
          summary: `Clear faults${of.ofWhat}`,
          description:
            "Deletes the entries that the list shows with the same filters; without filters, all that the caller sees. What goes wrong afterwards is listed again.",
          errors: { 400: "The query has another parameter." },
        },
      },
    );

/** Creates the routes for faults of a tenant, and of the whole gateway including faults without a tenant. */
export function faultsRoutes({ auth, faults, ...names }: FaultRouteDeps) {
  const tenant = resource(
    { auth, faults },
    {
      prefix: "/api/faults",
      tag: "faults",
      noun: "Faults",
      permissions: { read: "devices:read", clear: "faults:clear" },
      entriesOf: (principal, filter) =>
        faults.list(principal.tenantId, filter).filter((entry) => isVisibleTo(principal, entry)),
      toWire(entry, principal) {
        const seen = seesSample(principal, entry) ? entry : { ...entry, sample: undefined };
        return forTenant(faultToWire(names, seen));
      },
      audited: { target: "tenant", id: ({ principal }) => principal.tenantId },
      ofWhat: "",
      description:
        "Lists what went wrong: refused credentials and messages, failed integrations, deliveries, imports, uplinks, Modbus, S7, BACnet and OPC UA reads, jobs and mails. Callers see the faults of objects that they may read. Faults without an object require access to all devices, and `audit:read` or, for refused device lists, `devices:write`.",
    },
  );
  const gateway = resource(
    { auth, faults },
    {
      prefix: "/api/gateway/faults",
      tag: "gateway",
      noun: "GatewayFaults",
      permissions: { read: "gateway:manage", clear: "gateway:manage" },
      entriesOf(principal, filter) {
        ensureOperator(names.tenants, principal);
        return faults.list(undefined, filter);
      },
      toWire: (entry) => faultToWire(names, entry),
      audited: { target: "gateway", id: () => "gateway" },
      ofWhat: " of the gateway",
      description: "Lists the faults of all tenants and those that belong to none, such as unknown tokens.",
      errors: OPERATORS_ONLY,
    },
  );
  return [tenant, gateway];
}
