import { Elysia, t } from "elysia";
import { detail, inEnglish } from "../../lib/domain-error.ts";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { RefusalEdge } from "../../lib/refusal-edges.ts";
import { refusalTexts } from "../../lib/texts/en/refusals.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { wholeList } from "../lists.ts";
import { ensureOperator } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import { refusalBody, refusalFilter } from "./refusals.schemas.ts";
import type { Refusals } from "./refusals.service.ts";
import type { RefusalEntry, RefusalReason } from "./refusals.types.ts";

interface RefusalRouteDeps {
  readonly refusals: Pick<Refusals, "list">;
  readonly tenants: {
    find(tenantId: TenantId): { readonly name: string; readonly isHost: boolean } | undefined;
  };
  readonly directory: { find(deviceId: DeviceId): { readonly name: string } | undefined };
  readonly devices: { ensureVisible(principal: Principal, deviceId: string): DeviceId };
  readonly auth: AuthPlugin;
}

const list = wholeList({
  sort: ["lastAt", "firstAt", "count", "address", "edge"],
  search: ["address", "identity", "client", "deviceName", "tenantName", "edge", "protocol"],
});
const rendered = (text: Text) => ({ ...text, message: inEnglish(text) });
/** Some reasons say by themselves what to do. */
function hintOf(reason: RefusalReason) {
  const code = `refusal_hint.${reason}`;
  return Object.hasOwn(refusalTexts, code) ? { hint: rendered({ code, params: {} }) } : {};
}
const iso = (ms: number) => new Date(ms).toISOString();

const LISTED =
  "Refusals that differ only in their time are one item. The gateway keeps 1,000 items, up to 50 identities of one address; further ones are counted together as `others`. They survive a restart. Secrets are never part of an item: of a token or a key it has the first 4 characters and the length.";

const SHARED = "A `shared_name` has neither address nor client, because the client may be another tenant's.";

function toWire({ tenants, directory }: WireDeps, listed: RefusalEntry) {
  const { identity, reason, firstAt, lastAt, port, client, ...entry } = listed;
  const { tenantId, deviceId, userId, ...always } = entry;
  const tenantName = tenantId && tenants.find(tenantId)?.name;
  const deviceName = deviceId && directory.find(deviceId)?.name;
  return {
    ...always,
    identityKind: identity.kind,
    identity: identity.name,
    reason: rendered(detail(`refusal.${reason}`)),
    ...hintOf(reason),
    firstAt: iso(firstAt),
    lastAt: iso(lastAt),
    ...(client !== undefined && { client }),
    ...(port !== undefined && { port }),
    ...(tenantId !== undefined && { tenantId }),
    ...(tenantName !== undefined && { tenantName }),
    ...(deviceId !== undefined && { deviceId }),
    ...(deviceName !== undefined && { deviceName }),
    ...(userId !== undefined && { userId }),
  };
}

/** Hides what may be another tenant's client. */
function forTenant(refusal: ReturnType<typeof toWire>) {
  if (refusal.identityKind !== "shared_name") return refusal;
  const { address: _, client: __, ...rest } = refusal;
  return rest;
}

type WireDeps = Pick<RefusalRouteDeps, "tenants" | "directory">;

const wireOf = (
  deps: WireDeps,
  entries: readonly RefusalEntry[],
  { edge: wanted }: { edge?: RefusalEdge | undefined } = {},
) =>
  entries.filter(({ edge }) => wanted === undefined || edge === wanted).map((entry) => toWire(deps, entry));

/** Returns those of the devices that the principal may see; with access to all devices, also those of users and keys. */
const visibleTo = ({ devices }: Principal, entries: readonly RefusalEntry[]) =>
  devices === "all"
    ? entries
    : entries.filter(({ deviceId }) => deviceId !== undefined && devices.has(deviceId));

/** Refused credentials of the gateway and of a tenant. */
const listRoutes = (deps: RefusalRouteDeps) => {
  const { refusals, tenants } = deps;
  return new Elysia()
    .use(deps.auth)
    .get(
      "/api/gateway/refusals",
      (context) => {
        ensureOperator(tenants, context.principal);
        return list.page(context, wireOf(deps, refusals.list(), context.query));
      },
      {
        auth: "gateway:manage",
        query: t.Object({ ...list.fields, ...refusalFilter }),
        response: { 200: t.Array(refusalBody) },
        detail: {
          tags: ["gateway"],
          summary: "List refused credentials of the gateway",
          description: `The newest first unless sorted. ${LISTED} 403 unless owner of the gateway's own tenant, with access to all devices.`,
        },
      },
    )
    .get(
      "/api/refusals",
      (context) => {
        const { principal, query } = context;
        return list.page(
          context,
          wireOf(deps, visibleTo(principal, refusals.list({ tenantId: principal.tenantId })), query).map(
            forTenant,
          ),
        );
      },
      {
        auth: "audit:read",
        query: t.Object({ ...list.fields, ...refusalFilter }),
        response: { 200: t.Array(refusalBody) },
        detail: {
          tags: ["audit"],
          summary: "List refused credentials of the tenant",
          description: `Those whose device, user or key is known to be the tenant's; without access to all devices, those of the devices that are granted. ${SHARED} ${LISTED}`,
        },
      },
    );
};

/** Refused credentials of one device. */
const deviceRoutes = (deps: RefusalRouteDeps) =>
  new Elysia().use(deps.auth).get(
    "/api/devices/:deviceId/refusals",
    (context) => {
      const deviceId = deps.devices.ensureVisible(context.principal, context.params.deviceId);
      return list.page(context, wireOf(deps, deps.refusals.list({ deviceId })).map(forTenant));
    },
    {
      auth: "devices:read",
      query: t.Object(list.fields),
      response: { 200: t.Array(refusalBody) },
      detail: {
        tags: ["devices"],
        summary: "List refused credentials of a device",
        description:
          "Wrong passwords and expired certificates of the device. A wrong token belongs to no device and is not among them. " +
          SHARED,
      },
    },
  );

/** Lists refused credentials: of the whole gateway, of one tenant and of one device. */
export const refusalsRoutes = (deps: RefusalRouteDeps) => [listRoutes(deps), deviceRoutes(deps)];
