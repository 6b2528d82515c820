import { Elysia, t } from "elysia";
import type { RefusalEdge } from "../../lib/alarms/fault-sources.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { omit } from "../../lib/core/omit.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { wholeList } from "../api/lists.ts";
import { OPERATORS_ONLY } from "../api/operation-errors.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { ensureOperator } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import { isVisibleTo } from "./faults.routes.ts";
import { FAULTS_KEPT } from "./faults.schemas.ts";
import type { Faults } from "./faults.service.ts";
import type { FaultEntry, FaultSubject } from "./faults.types.ts";
import { type FaultNames, faultToWire, forTenant, renderInTurns } from "./faults.wire.ts";
import { refusalBody, refusalFilter, rejectionBody } from "./refusals.schemas.ts";
import { isRefusal } from "./refusals.types.ts";

interface RefusalRouteDeps extends FaultNames {
  readonly faults: Pick<Faults, "list" | "about">;
  readonly devices: { ensureVisible(principal: Principal, deviceId: string): DeviceId };
  readonly auth: AuthPlugin;
}

const list = wholeList({
  sort: ["lastAt", "firstAt", "count", "address", "edge"],
  search: ["address", "identity", "client", "deviceName", "tenantName", "edge", "protocol"],
});
const rejectionList = wholeList({ sort: ["at", "code"], search: ["where", "reason"] });

const LISTED = `\`GET /api/faults\` lists all kinds of faults. ${FAULTS_KEPT} Of a token or a key an item has the first 4 characters and the length.`;
const SHARED = "A `shared_name` has neither address nor client, because the client may be another tenant's.";

function ownerOf(names: FaultNames, subject: FaultSubject) {
  const { kind, id } = subject;
  if (kind === "user") return { userId: id };
  if (kind !== "device") return {};
  const name = names.subjects.find(subject);
  return { deviceId: id, ...(name !== undefined && { deviceName: name }) };
}

/** Converts a refused credential for the API. */
function refusalToWire(names: FaultNames, entry: FaultEntry) {
  const { faultId, source, ...rest } = omit(faultToWire(names, entry), "subject", "where", "sample");
  return {
    ...rest,
    refusalId: faultId,
    edge: source as RefusalEdge, // of a refused credential
    protocol: rest.protocol ?? "mqtt",
    identityKind: rest.identityKind ?? "none",
    identity: rest.identity ?? "",
    ...(entry.subject !== undefined && ownerOf(names, entry.subject)),
  };
}

const refusalsOf = (names: FaultNames, entries: readonly FaultEntry[]) =>
  renderInTurns(
    entries.filter(({ code }) => isRefusal(code)),
    (entry) => refusalToWire(names, entry),
  );

/** Sources of messages, by their names in the list of rejections. */
const REJECTION_SOURCES = new Map([
  ["mqtt", "mqtt"],
  ["device_api", "http"],
  ["device_websocket", "ws"],
  ["integration", "integration"],
  ["import", "import"],
  ["generator", "generator"],
  ["test", "test"],
]);

const rejectionsOf = (names: FaultNames, entries: readonly FaultEntry[]) =>
  entries.flatMap((entry) => {
    const isMessage = !isRefusal(entry.code) && !entry.code.startsWith("fault.");
    const source = isMessage ? REJECTION_SOURCES.get(entry.source) : undefined;
    if (source === undefined) return [];
    const { lastAt, count, reason, where = "", sample } = faultToWire(names, entry);
    const { code, params, message } = reason;
    const shown = {
      at: lastAt,
      source,
      where,
      code,
      params,
      reason: message,
      count,
      firstAt: iso(entry.firstAt),
    };
    return [{ ...shown, ...(sample !== undefined && { sample }) }];
  });

/** Creates the routes for refused credentials of the gateway and of a tenant. */
const listRoutes = (deps: RefusalRouteDeps) => {
  const { faults, tenants, auth } = deps;
  return new Elysia()
    .use(auth)
    .get(
      "/api/gateway/refusals",
      async (context) => {
        ensureOperator(tenants, context.principal);
        return list.page(
          context,
          await refusalsOf(deps, faults.list(undefined, { source: context.query.edge })),
        );
      },
      {
        auth: "gateway:manage",
        query: t.Object({ ...list.fields, ...refusalFilter }),
        response: { 200: t.Array(refusalBody) },
        detail: {
          operationId: "listGatewayRefusals",
          tags: ["gateway"],
          summary: "List refused credentials of the gateway",
          description: `The newest first unless sorted. ${LISTED}`,
          errors: OPERATORS_ONLY,
        },
      },
    )
    .get(
      "/api/refusals",
      async (context) => {
        const { principal, query } = context;
        const entries = faults
          .list(principal.tenantId, { source: query.edge })
          .filter((entry) => isVisibleTo(principal, entry));
        return list.page(context, (await refusalsOf(deps, entries)).map(forTenant));
      },
      {
        auth: "audit:read",
        query: t.Object({ ...list.fields, ...refusalFilter }),
        response: { 200: t.Array(refusalBody) },
        detail: {
          operationId: "listRefusals",
          tags: ["audit"],
          summary: "List refused credentials of the tenant",
          description: `Those whose device, user or key is known to be the tenant's; without access to all devices, those of the devices that are granted. ${SHARED} ${LISTED}`,
        },
      },
    );
};

/** Creates the routes for refused credentials and messages of one device. */
const deviceRoutes = (deps: RefusalRouteDeps) => {
  const { faults, devices, auth } = deps;
  const of = (principal: Principal, deviceId: string) =>
    faults.about({ kind: "device", id: devices.ensureVisible(principal, deviceId) });
  return new Elysia({ prefix: "/api/devices/:deviceId", tags: ["devices"] })
    .use(auth)
    .get(
      "/refusals",
      async (context) => {
        const entries = of(context.principal, context.params.deviceId);
        return list.page(context, (await refusalsOf(deps, entries)).map(forTenant));
      },
      {
        auth: "devices:read",
        query: t.Object(list.fields),
        response: { 200: t.Array(refusalBody) },
        detail: {
          operationId: "listDeviceRefusals",
          summary: "List refused credentials of a device",
          description: `Wrong passwords and expired certificates of the device. A wrong token belongs to no device and is not among them. ${SHARED}`,
        },
      },
    )
    .get(
      "/rejections",
      (context) =>
        rejectionList.page(context, rejectionsOf(deps, of(context.principal, context.params.deviceId))),
      {
        auth: "devices:read",
        query: t.Object(rejectionList.fields),
        response: { 200: t.Array(rejectionBody) },
        detail: {
          operationId: "listDeviceRejections",
          summary: "List a device's rejected messages, newest first",
          description: `Each with the reason. ${FAULTS_KEPT}`,
        },
      },
    );
};

/** Creates views of the fault log: refused credentials, and rejected messages of a device. */
export const refusalsRoutes = (deps: RefusalRouteDeps) => [listRoutes(deps), deviceRoutes(deps)];
