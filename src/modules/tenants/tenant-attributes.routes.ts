import { Elysia, t } from "elysia";
import { detail } from "../../lib/core/domain-error.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { mapRows } from "../../platform/database/row-list.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { wholeList } from "../api/lists.ts";
import { successBody } from "../api/wire.schemas.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { ATTRIBUTES_MAX, type TenantAttributesService } from "./tenant-attributes.service.ts";
import { ensureAllDevices } from "./tenants.errors.ts";
import { setAttributeBody, tenantAttribute } from "./tenants.schemas.ts";
import type { TenantAttribute } from "./tenants.types.ts";

const tenantAttributeList = wholeList({ sort: ["key", "updatedAt"], search: ["key"] });

const toWire = ({ key, value, updatedAt }: TenantAttribute) => ({
  key,
  value,
  updatedAt: iso(updatedAt),
});

const keyIn = ({ body }: AuditContext): string => {
  const key = isJsonObject(body) ? body.key : undefined;
  return typeof key === "string" ? key : "";
};

export const tenantAttributesRoutes = (deps: {
  attributes: TenantAttributesService;
  responses: ResponseSpace;
  auth: AuthPlugin;
}) => {
  const { attributes, responses } = deps;
  const read = ({ principal }: AuditContext, key: string) => attributes.find(principal.tenantId, key)?.value;
  return new Elysia({ prefix: "/api/tenant-attributes", tags: ["tenant"] })
    .use(deps.auth)
    .get(
      "",
      ({ principal: { tenantId }, query, request }) =>
        tenantAttributeList.longPage(
          { query, request, responses },
          mapRows(attributes.read(tenantId), toWire),
        ),
      {
        auth: "tenant:read",
        query: t.Object(tenantAttributeList.fields),
        response: { 200: t.Array(tenantAttribute) },
        detail: { operationId: "listTenantAttributes", summary: "List the tenant's attributes" },
      },
    )
    .post(
      "",
      ({ principal, body }) => {
        ensureAllDevices(principal, detail("action.set_attributes_site"));
        return toWire(attributes.set(principal.tenantId, body.key, body.value));
      },
      {
        auth: "tenant:write",
        exactJson: true,
        audit: { action: "tenant_attribute.set", target: "tenant_attribute", id: keyIn, read },
        body: setAttributeBody,
        response: { 200: tenantAttribute },
        detail: {
          operationId: "setTenantAttribute",
          summary: "Set an attribute of the tenant",
          description: "The attribute `branding` is what `/api/branding` shows.",
          errors: {
            400: "The key is missing, or the value is larger than 256 KiB or not an object.",
            403: "Requires an owner or administrator with access to all devices, and for `branding` a plan with whitelabeling.",
            409: `There are already ${ATTRIBUTES_MAX} attributes.`,
          },
          example: { key: "branding", value: { name: "Plant North", primaryColor: "#0f766e" } },
        },
      },
    )
    .get("/:key", ({ principal, params }) => toWire(attributes.get(principal.tenantId, params.key)), {
      auth: "tenant:read",
      response: { 200: tenantAttribute },
      detail: {
        operationId: "getTenantAttribute",
        summary: "Read an attribute of the tenant",
        errors: { 404: "The key is unknown." },
      },
    })
    .delete(
      "/:key",
      ({ principal, params }) => {
        ensureAllDevices(principal, detail("action.delete_attributes_site"));
        attributes.delete(principal.tenantId, params.key);
        return { success: true };
      },
      {
        auth: "tenant:write",
        audit: { action: "tenant_attribute.delete", target: "tenant_attribute", read },
        response: { 200: successBody },
        detail: {
          operationId: "deleteTenantAttribute",
          summary: "Delete an attribute of the tenant",
          description: "Possible on every plan.",
          errors: {
            403: "Requires an owner or administrator with access to all devices.",
            404: "The key is unknown.",
          },
        },
      },
    );
};
