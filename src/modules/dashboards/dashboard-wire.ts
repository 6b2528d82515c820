import { iso } from "../../lib/iso-time.ts";
import type { Dashboard, Executed } from "./dashboards.types.ts";

/** Converts a dashboard for the API. Fields that were never set are left out. */
export function toWire({
  timeWindow,
  configuration,
  settings,
  createdAt,
  updatedAt,
  ...dashboard
}: Dashboard) {
  return {
    ...dashboard,
    ...(timeWindow !== null && { timeWindow }),
    ...(configuration !== null && { configuration }),
    ...(settings !== null && { settings }),
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
  };
}

export const executedToWire = ({ dashboard, timeWindow, devices, data }: Executed) => ({
  ...toWire(dashboard),
  timeWindow,
  devices: { ...devices },
  data: { ...data },
});
