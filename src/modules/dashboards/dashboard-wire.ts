import { iso } from "../../lib/time/iso-time.ts";
import { itemToWire } from "../api/resource.ts";
import type { Dashboard, DashboardContent, Executed, Version } from "./dashboards.resource.ts";
import type { VersionEntry } from "./dashboards.types.ts";

const withoutUnset = <Rest extends object>({
  timeWindow,
  configuration,
  settings,
  tags,
  ...rest
}: Rest & Pick<DashboardContent, "timeWindow" | "configuration" | "settings" | "tags">) => ({
  ...rest,
  tags: [...tags],
  ...(timeWindow !== null && { timeWindow }),
  ...(configuration !== null && { configuration }),
  ...(settings !== null && { settings }),
});

/** Converts a dashboard for the API. */
export const toWire = ({ version: _, ...dashboard }: Dashboard) =>
  withoutUnset({ ...itemToWire(dashboard), tenantId: dashboard.tenantId });

export const entryToWire = ({ savedAt, ...entry }: VersionEntry) => ({ ...entry, savedAt: iso(savedAt) });

export const versionToWire = ({ entry, content }: Version) => ({
  ...withoutUnset(content),
  version: entry.version,
  savedBy: entry.savedBy,
  savedAt: iso(entry.savedAt),
});

export const executedToWire = ({ dashboard, timeWindow, devices, data }: Executed) => ({
  ...toWire(dashboard),
  timeWindow,
  devices: { ...devices },
  data: { ...data },
});
