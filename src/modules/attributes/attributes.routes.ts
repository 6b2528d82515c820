import { Elysia, t } from "elysia";
import { isJsonObject } from "../../lib/json/json.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { mapRows } from "../../platform/database/row-list.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { newestFirst, pageQuery, searchQuery } from "../api/lists.schemas.ts";
import { sendPage, toPage, wholeList } from "../api/lists.ts";
import { successBody } from "../api/wire.schemas.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { attributeBody, attributeChangeBody, desiredBody, setBody } from "./attributes.schemas.ts";
import type { AttributesService } from "./attributes.service.ts";
import { ATTRIBUTE_SCOPES, type AttributeChange } from "./attributes.types.ts";

const attributeKeyList = wholeList({ sort: ["key"], search: ["key"] });
const desiredList = wholeList({ sort: ["key", "state"], search: ["key"] });
const attributeList = wholeList({ sort: ["key", "scope", "updatedAt"], search: ["key"] });

const toWire = (attributeChange: AttributeChange) => ({
  ...attributeChange,
  at: iso(attributeChange.at),
});

const keyRecords = t.Array(t.Object({ key: t.String() }));
const toRecords = (keys: readonly string[]) => keys.map((key) => ({ key }));

const listQuery = t.Object({
  ...attributeList.fields,
  scope: t.Optional(t.String({ enum: [...ATTRIBUTE_SCOPES], description: "all by default" })),
});

/** Creates the attribute routes for users; the routes for devices belong to the device API. */
export const attributesRoutes = (deps: {
  attributes: AttributesService;
  responses: ResponseSpace;
  auth: AuthPlugin;
}) => {
  const { attributes, responses } = deps;
  /** Returns the named attributes of a scope, by name. */
  const read = ({ principal, params, body }: AuditContext, deviceId: string) => {
    const { scope, attributes: input } = isJsonObject(body) ? body : {};
    const names = params.key === undefined ? Object.keys(isJsonObject(input) ? input : {}) : [params.key];
    return attributes.named(principal, deviceId, params.scope ?? String(scope), names);
  };
  return new Elysia({ prefix: "/api", tags: ["attributes"] })
    .use(deps.auth)
    .get(
      "/attributes/keys",
      async ({ principal, query, request, set }) =>
        attributeKeyList.page({ query, request, set }, toRecords(await attributes.listTenantKeys(principal))),
      {
        auth: "attributes:read",
        query: t.Object(attributeKeyList.fields),
        response: { 200: keyRecords },
        detail: { operationId: "listAttributeKeys", summary: "List attribute names of the tenant's devices" },
      },
    )
    .get(
      "/devices/:deviceId/attributes",
      ({ principal, params, query, request }) => {
        const rows = attributes.list(principal, params.deviceId, query.scope);
        return attributeList.longPage({ query, request, responses }, rows);
      },
      {
        auth: "attributes:read",
        query: listQuery,
        response: { 200: t.Array(attributeBody) },
        detail: {
          operationId: "listDeviceAttributes",
          summary: "List attributes of a device",
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
        exactJson: true,
        audit: { action: "attributes.set", target: "device", read },
        body: setBody,
        response: { 200: successBody },
        detail: {
          operationId: "setDeviceAttributes",
          summary: "Set attributes of a device",
          description: "SHARED attributes are sent to the device.",
          errors: {
            400: "A value is larger than 64 KiB.",
            403: "Attributes of the scope SERVER whose names begin with `integration.` require access to all devices.",
          },
          example: { scope: "SHARED", attributes: { mode: "night", setpoint: 18 } },
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
        detail: { operationId: "deleteDeviceAttribute", summary: "Delete an attribute" },
      },
    )
    .get(
      "/devices/:deviceId/attributes/keys",
      ({ principal, params, query, request, set }) =>
        attributeKeyList.page(
          { query, request, set },
          toRecords(attributes.listKeys(principal, params.deviceId)),
        ),
      {
        auth: "attributes:read",
        query: t.Object(attributeKeyList.fields),
        response: { 200: keyRecords },
        detail: { operationId: "listDeviceAttributeKeys", summary: "List attribute names of a device" },
      },
    )
    .get(
      "/devices/:deviceId/attributes/history",
      async ({ principal, params, query, request }) => {
        const page = toPage(query);
        const { scope, key, search } = query;
        const filter = { ...page, scope, key, search };
        const found = attributes.listChanges(principal, params.deviceId, filter);
        return sendPage({ request, responses }, page, mapRows(found, toWire));
      },
      {
        auth: "attributes:read",
        query: t.Object({
          scope: t.Optional(t.String({ enum: [...ATTRIBUTE_SCOPES], description: "all by default" })),
          key: t.Optional(t.String()),
          ...pageQuery,
          search: searchQuery(["key", "by"]),
          sort: newestFirst,
        }),
        response: { 200: t.Array(attributeChangeBody) },
        detail: {
          operationId: "listDeviceAttributeChanges",
          summary: "List a device's attribute changes, newest first",
          description:
            "Setting the same value again is not a change. The newest changes of each device are kept, see the setting `attribute_changes_max`. `X-Total-Count` has their number, `Link` the next page.",
          errors: { 400: "The scope is invalid." },
        },
      },
    )
    .get(
      "/devices/:deviceId/attributes/desired",
      async ({ principal, params, query, request }) => {
        const rows = await attributes.readDesired(principal, params.deviceId);
        return desiredList.longPage({ query, request, responses }, rows);
      },
      {
        auth: "attributes:read",
        query: t.Object(desiredList.fields),
        response: { 200: t.Array(desiredBody) },
        detail: {
          operationId: "listDesiredAttributes",
          summary: "Compare desired and reported attributes",
          description:
            "Compares each SHARED attribute with the CLIENT attribute of the same name: IN_SYNC if they are equal, DIFFERENT if not, NOT_REPORTED if the device has not reported it.",
        },
      },
    );
};
