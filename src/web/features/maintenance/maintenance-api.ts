import type { Maintenance } from "../../lib/api-types.ts";
import { post, remove } from "../../platform/api-client.ts";

const maintenance = (deviceId: string) => `/api/devices/${encodeURIComponent(deviceId)}/maintenance`;

export const maintenanceApi = {
  begin: (deviceId: string, options: { until: string; reason: string }) =>
    post<{ active: boolean; maintenance?: Maintenance }>(maintenance(deviceId), options),
  end: (deviceId: string) => remove(maintenance(deviceId)),
};
