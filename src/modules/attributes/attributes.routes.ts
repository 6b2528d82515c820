import { Elysia, t } from "elysia";
import { isJsonObject } from "../../lib/json.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { successBody } from "../wire.schemas.ts";
import type { AttributesService } from "./attributes.service.ts";

const entry = t.Object({
  key: t.String(),
  value: t.Any({ description: "any JSON value" }),
  scope: t.String(),
  updatedAt: t.String({ description: "ISO 8601" }),
});
const keyRecords = t.Array(t.Object({ key: t.String() }));
const toRecords = (keys: readonly string[]) => keys.map((key) => ({ key }));

const setBody = t.Object({
  scope: t.String({ description: "SERVER, SHARED or CLIENT" }),
  // Not a Record: its check would turn an array into an object of indices.
  attributes: t.Any({ description: "object of names to values" }),
});

/** Attributes for people; what devices use lies with the device routes. */
export const attributesRoutes = (deps: { attributes: AttributesService; auth: AuthPlugin }) => {
  const { attributes } = deps;
  /** The named attributes of a scope, by name. */
  const read = ({ principal, params, body }: AuditContext, deviceId: string) => {
    const { scope, attributes: given } = isJsonObject(body) ? body : {};
    const names = params.key === undefined ? Object.keys(isJsonObject(given) ? given : {}) : [params.key];
    const kept = attributes.list(principal, deviceId, params.scope ?? String(scope));
    const named = kept.filter(({ key }) => names.includes(key));
    return Object.fromEntries(named.map(({ key, value }) => [key, value]));
  };
  return new Elysia({ prefix: "/api", tags: ["attributes"] })
    .use(deps.auth)
    .get("/attributes/keys", ({ principal }) => toRecords(attributes.listTenantKeys(principal)), {
      auth: "attributes:read",
      response: { 200: keyRecords },
      detail: { summary: "Attribute names in use by the tenant's devices" },
    })
    .get(
      "/devices/:deviceId/attributes",
      ({ principal, params, query }) => attributes.list(principal, params.deviceId, query.scope),
      {
        auth: "attributes:read",
        query: t.Object({
          scope: t.Optional(t.String({ description: "SERVER, SHARED or CLIENT; all when left out" })),
        }),
        response: { 200: t.Array(entry) },
        detail: {
          summary: "Attributes of a device",
          description:
            "SERVER scope includes what the gateway observes: active, lastActivityTime, lastConnectTime, lastDisconnectTime, inactivityAlarmTime.",
        },
      },
    )
    .post(
      "/devices/:deviceId/attributes",
      ({ principal, params, body }) => {
        attributes.set(principal, params.deviceId, body.scope, body.attributes);
        return { success: true };
      },
      {
        auth: "attributes:write",
        audit: { action: "attributes.set", target: "device", read },
        body: setBody,
        response: { 200: successBody },
        detail: {
          summary: "Set attributes of a device",
          description: "SHARED ones are pushed to the device.",
        },
      },
    )
    .delete(
      "/devices/:deviceId/attributes/:scope/:key",
      ({ principal, params }) => {
        attributes.delete(principal, params.deviceId, params.scope, params.key);
        return { success: true };
      },
      {
        auth: "attributes:write",
        audit: { action: "attributes.delete", target: "device", read },
        response: { 200: successBody },
        detail: { summary: "Delete an attribute" },
      },
    )
    .get(
      "/devices/:deviceId/attributes/keys",
      ({ principal, params }) => toRecords(attributes.listKeys(principal, params.deviceId)),
      {
        auth: "attributes:read",
        response: { 200: keyRecords },
        detail: { summary: "Attribute names of a device" },
      },
    );
};
