import { Elysia } from "elysia";
import type { TenantId } from "../../lib/core/ids.ts";
import { OPERATORS_ONLY } from "../api/operation-errors.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { ensureOperator } from "../tenants/tenants.errors.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import { sharedDevicesBody, sharedDevicesInput } from "./shared-devices.schemas.ts";
import { SHARED_KEYS, type SharedDevices } from "./shared-devices.ts";

/** Creates the routes for other tenants' access to key figures of the gateway. */
export const sharedDevicesRoutes = (deps: {
  shared: SharedDevices;
  tenants: Pick<TenantsService, "find">;
  auth: AuthPlugin;
}) => {
  const { shared, tenants, auth } = deps;
  const shown = () => ({ tenants: shared.list(), keys: [...SHARED_KEYS] });
  return new Elysia({ prefix: "/api/gateway", tags: ["gateway"] })
    .use(auth)
    .get(
      "/shared-device",
      ({ principal }) => {
        ensureOperator(tenants, principal);
        return shown();
      },
      {
        auth: "gateway:manage",
        response: { 200: sharedDevicesBody },
        detail: {
          operationId: "getSharedDevices",
          summary: "List tenants that see the gateway's key figures",
          errors: OPERATORS_ONLY,
        },
      },
    )
    .put(
      "/shared-device",
      ({ principal, body }) => {
        ensureOperator(tenants, principal);
        shared.allow(body.tenantIds as TenantId[]);
        return shown();
      },
      {
        auth: "gateway:manage",
        audit: {
          action: "gateway.share_device",
          target: "gateway",
          id: () => "gateway",
          details: ({ body }: AuditContext) => body,
        },
        body: sharedDevicesInput,
        response: { 200: sharedDevicesBody },
        detail: {
          operationId: "setSharedDevices",
          summary: "Select tenants that see the key figures",
          description:
            "Each of them gets a device of the type `lineside-gateway` within a minute, if it has another device and its plan has room. A tenant that is not allowed any more keeps the device with its history.",
          errors: {
            ...OPERATORS_ONLY,
            404: "The tenant is unknown.",
            409: "The tenant is the gateway's own.",
          },
          example: { tenantIds: ["0197a2b4-5c6d-7e8f-9a0b-1c2d3e4f5a6b"] },
        },
      },
    );
};
