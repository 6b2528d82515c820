import { Elysia } from "elysia";
import { bulkResult } from "../api/bulk.schemas.ts";
import { bulkTargets, forEachDevice } from "../api/bulk-responses.ts";
import { successBody } from "../api/wire.schemas.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { beginBody, bulkBeginBody, bulkEndBody, maintenanceState } from "./maintenance.schemas.ts";
import type { MaintenanceService } from "./maintenance.service.ts";
import { LENGTH_DAYS_MAX } from "./maintenance.service.ts";
import type { Maintenance } from "./maintenance.types.ts";
import { maintenanceToWire, readUntil } from "./maintenance.wire.ts";

const WHO = "For users who may change devices or acknowledge alarms.";

const stateOf = (maintenance: Maintenance | undefined) =>
  maintenance === undefined
    ? { active: false }
    : { active: true, maintenance: maintenanceToWire(maintenance) };

/** Creates the routes for maintenance of a device: its alarms are muted, its data is kept. */
export const maintenanceRoutes = (deps: { maintenance: MaintenanceService; auth: AuthPlugin }) => {
  const { maintenance } = deps;
  const read = ({ principal }: AuditContext, id: string) => stateOf(maintenance.get(principal, id));
  return new Elysia({ prefix: "/api/devices/:deviceId/maintenance", tags: ["alarms"] })
    .use(deps.auth)
    .get("", ({ principal, params }) => stateOf(maintenance.get(principal, params.deviceId)), {
      auth: "devices:read",
      response: { 200: maintenanceState },
      detail: {
        operationId: "getDeviceMaintenance",
        summary: "Get the maintenance of a device",
        description:
          "A device is also in maintenance while its gateway is. `deviceId` is then the gateway's.",
      },
    })
    .post(
      "",
      ({ principal, params, body }) => {
        const { until, reason = "" } = body;
        return stateOf(maintenance.begin(principal, params.deviceId, { until: readUntil(until), reason }));
      },
      {
        auth: "maintenance:write",
        audit: { action: "device.maintenance", target: "device", read },
        body: beginBody,
        response: { 200: maintenanceState },
        detail: {
          operationId: "startMaintenance",
          summary: "Put a device into maintenance until a time",
          description: `During maintenance no alarm of the device is raised, becomes more severe, escalates or causes notifications. Data is stored, and open alarms are cleared when their rules say so. A rule that still holds at the end raises its alarm then. Maintenance of a gateway includes its children. A repeated request changes the time and the reason. ${WHO}`,
          errors: {
            400: `\`until\` is not a valid time, is in the past, or is more than ${LENGTH_DAYS_MAX} days ahead.`,
          },
          example: { until: "2027-01-01T12:00:00Z", reason: "Oil change" },
        },
      },
    )
    .delete(
      "",
      ({ principal, params }) => {
        maintenance.end(principal, params.deviceId);
        return { success: true };
      },
      {
        auth: "maintenance:write",
        audit: { action: "device.maintenance_end", target: "device", read },
        response: { 200: successBody },
        detail: {
          operationId: "endMaintenance",
          summary: "End the maintenance of a device",
          description: `Rules that hold then raise their alarms immediately. The maintenance of its gateway goes on. Without maintenance the request changes nothing. ${WHO}`,
        },
      },
    );
};

const EACH =
  "Each device is handled on its own: `failed` lists the devices for which that was not possible, with the reason.";

/** Creates the routes for maintenance of many devices in one request. */
export const bulkMaintenanceRoutes = (deps: { maintenance: MaintenanceService; auth: AuthPlugin }) => {
  const { maintenance } = deps;
  const read = ({ principal }: AuditContext, id: string) => stateOf(maintenance.get(principal, id));
  return new Elysia({ prefix: "/api/devices/bulk", tags: ["alarms"] })
    .use(deps.auth)
    .post(
      "/maintenance",
      ({ principal, body }) => {
        const { deviceIds, reason = "" } = body;
        const until = readUntil(body.until);
        return forEachDevice(deviceIds, (deviceId) =>
          maintenance.begin(principal, deviceId, { until, reason }),
        );
      },
      {
        auth: "maintenance:write",
        audit: { action: "device.maintenance", target: "device", each: bulkTargets, read },
        body: bulkBeginBody,
        response: { 200: bulkResult },
        detail: {
          operationId: "startMaintenanceOfDevices",
          summary: "Put many devices into maintenance until a time",
          description: `${EACH} ${WHO}`,
          example: {
            deviceIds: ["01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c6d"],
            until: "2026-12-24T18:00:00Z",
            reason: "oil change",
          },
        },
      },
    )
    .post(
      "/maintenance-end",
      ({ principal, body }) =>
        forEachDevice(body.deviceIds, (deviceId) => maintenance.end(principal, deviceId)),
      {
        auth: "maintenance:write",
        audit: { action: "device.maintenance_end", target: "device", each: bulkTargets, read },
        body: bulkEndBody,
        response: { 200: bulkResult },
        detail: {
          operationId: "endMaintenanceOfDevices",
          summary: "End the maintenance of many devices",
          description: `${EACH} ${WHO}`,
          example: { deviceIds: ["01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c6d"] },
        },
      },
    );
};
