import { t } from "elysia";
import { bulkDeviceIds } from "../api/bulk.schemas.ts";
import { isoTime } from "../api/wire.schemas.ts";

const REASON_MAX = 500;

export const beginBody = t.Object(
  {
    until: t.String({ maxLength: 40, description: "ISO 8601, with its offset or Z; at most 366 days ahead" }),
    reason: t.Optional(t.String({ maxLength: REASON_MAX })),
  },
  { title: "StartMaintenance" },
);

export const bulkBeginBody = t.Object(
  { deviceIds: bulkDeviceIds, ...beginBody.properties },
  { title: "StartMaintenanceOfDevices" },
);

export const bulkEndBody = t.Object({ deviceIds: bulkDeviceIds }, { title: "EndMaintenanceOfDevices" });

const fields = {
  deviceId: t.String({
    description: "the device in maintenance: the gateway, if its maintenance lasts longer",
  }),
  since: isoTime,
  until: isoTime,
  reason: t.String({ description: "empty if there is none" }),
  by: t.String({ description: "email address or name of the API key" }),
};

export const maintenanceBody = t.Object(fields, { title: "Maintenance" });

export const maintenanceState = t.Object(
  {
    active: t.Boolean(),
    maintenance: t.Optional(maintenanceBody),
  },
  { title: "MaintenanceState" },
);
