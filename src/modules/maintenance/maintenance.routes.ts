import { Elysia } from "elysia";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { successBody } from "../wire.schemas.ts";
import { beginBody, maintenanceState } from "./maintenance.schemas.ts";
import type { MaintenanceService } from "./maintenance.service.ts";
import type { Maintenance } from "./maintenance.types.ts";
import { maintenanceToWire, readUntil } from "./maintenance.wire.ts";

const who = "For whoever may change devices or acknowledge alarms; 403 for others.";

const stateOf = (maintenance: Maintenance | undefined) =>
  maintenance === undefined
    ? { active: false }
    : { active: true, maintenance: maintenanceToWire(maintenance) };

/** Somebody works on a device: its alarms are mute, its data is kept. */
export const maintenanceRoutes = (deps: { maintenance: MaintenanceService; auth: AuthPlugin }) => {
  const { maintenance } = deps;
  const read = ({ principal }: AuditContext, id: string) => stateOf(maintenance.get(principal, id));
  return new Elysia({ prefix: "/api/devices/:deviceId/maintenance", tags: ["alarms"] })
    .use(deps.auth)
    .get("", ({ principal, params }) => stateOf(maintenance.get(principal, params.deviceId)), {
      auth: "devices:read",
      response: { 200: maintenanceState },
      detail: {
        summary: "Whether a device is in maintenance",
        description: "Also while its gateway is; then `deviceId` is the gateway's.",
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
          summary: "Put a device into maintenance until a time",
          description: `Until then no alarm of it is raised, rises, escalates or is told to anybody; data is kept, open alarms stay, and end when their rules say so. What holds when the maintenance is over raises then. A gateway's holds for its children too. Asked again it goes on with the new time and reason. 400 for a time that is over or more than 366 days ahead. ${who}`,
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
          summary: "End the maintenance of a device",
          description: `What its rules find then raises at once. Its gateway's, if there is one, goes on. Nothing happens where there is none. ${who}`,
        },
      },
    );
};
