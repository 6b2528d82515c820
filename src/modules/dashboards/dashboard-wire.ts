import { itemToWire } from "../resource.ts";
import type { Dashboard, Executed } from "./dashboards.resource.ts";

/** Converts a dashboard for the API. Fields that were never set are left out. */
export function toWire({ timeWindow, configuration, settings, ...dashboard }: Dashboard) {
  return {
    ...itemToWire(dashboard),
    tenantId: dashboard.tenantId,
    ...(timeWindow !== null && { timeWindow }),
    ...(configuration !== null && { configuration }),
    ...(settings !== null && { settings }),
  };
}

export const executedToWire = ({ dashboard, timeWindow, devices, data }: Executed) => ({
  ...toWire(dashboard),
  timeWindow,
  devices: { ...devices },
  data: { ...data },
});
