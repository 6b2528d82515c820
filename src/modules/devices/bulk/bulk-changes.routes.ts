import { Elysia, t } from "elysia";
import { omit } from "../../../lib/core/omit.ts";
import { bulkDeviceIds, bulkResult } from "../../api/bulk.schemas.ts";
import { bulkTargets } from "../../api/bulk-responses.ts";
import type { AuditContext } from "../../audit/audit.types.ts";
import type { AuthPlugin } from "../../identity/identity.plugin.ts";
import type { DevicesService } from "../devices.service.ts";
import { bulkUpdateBody } from "./bulk.schemas.ts";
import type { BulkChangesService } from "./bulk-changes.service.ts";

const OUTCOME =
  "Each device is changed on its own: `failed` lists the devices for which that was not possible, with the reason. A device that the caller may not see fails with `device.not_found`.";

/** Creates the routes that change or delete many devices by their ids. */
export const bulkChangesRoutes = (deps: {
  changes: BulkChangesService;
  devices: Pick<DevicesService, "get">;
  auth: AuthPlugin;
}) => {
  const { changes } = deps;
  const read = ({ principal }: AuditContext, id: string) => {
    const device = omit(deps.devices.get(principal, id), "activity");
    return device;
  };
  return new Elysia({ prefix: "/api/devices/bulk", tags: ["devices"] })
    .use(deps.auth)
    .post(
      "/update",
      ({ principal, body }) => {
        const { deviceIds, ...fields } = body;
        return changes.update(principal, deviceIds, fields);
      },
      {
        auth: "devices:write",
        audit: { action: "device.update", target: "device", each: bulkTargets, read },
        body: bulkUpdateBody,
        response: { 200: bulkResult },
        detail: {
          operationId: "updateDevices",
          summary: "Change many devices",
          description: `Adds and removes tags, and sets the device profile, the gateway or the asset. ${OUTCOME}`,
          errors: { 400: "There is nothing to change." },
          example: {
            deviceIds: ["01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c6d"],
            addTags: ["line-1"],
            removeTags: ["new"],
          },
        },
      },
    )
    .post(
      "/delete",
      ({ principal, body }) => changes.delete(principal, body.deviceIds, body.onlyUntouched === true),
      {
        auth: "devices:write",
        audit: { action: "device.delete", target: "device", each: bulkTargets, read },
        body: t.Object(
          {
            deviceIds: bulkDeviceIds,
            onlyUntouched: t.Optional(
              t.Boolean({
                description:
                  "keeps devices that were changed since they were created, or that have connected or sent data, so that an import can be undone without loss",
              }),
            ),
          },
          { title: "DeleteDevices" },
        ),
        response: { 200: bulkResult },
        detail: {
          operationId: "deleteDevices",
          summary: "Delete many devices and their data",
          description: `${OUTCOME} The children of a deleted gateway are kept, without a gateway.`,
          example: { deviceIds: ["01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c6d"] },
        },
      },
    );
};
