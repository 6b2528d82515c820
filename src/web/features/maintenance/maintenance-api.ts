import type { Maintenance } from "../../lib/api-types.ts";
import { call, post } from "../../platform/api-client.ts";

const maintenance = (deviceId: string) => `/api/devices/${encodeURIComponent(deviceId)}/maintenance`;

export const maintenanceApi = {
  begin: (deviceId: string, what: { until: string; reason: string }) =>
    post<{ active: boolean; maintenance?: Maintenance }>(maintenance(deviceId), what),
  end: (deviceId: string) => call<unknown>("DELETE", maintenance(deviceId)),
};
