import type { DeviceId, TenantId } from "../../lib/core/ids.ts";

export const TRAFFIC_MEASURES = ["messages", "values", "bytes", "rejected"] as const;
export type TrafficMeasure = (typeof TRAFFIC_MEASURES)[number];

/** Traffic of a device within the last hour. */
export interface DeviceTrafficTotals extends Record<TrafficMeasure, number> {
  readonly deviceId: DeviceId;
  readonly tenantId: TenantId;
}
