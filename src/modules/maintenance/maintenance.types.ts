import type { DeviceId, TenantId } from "../../lib/core/ids.ts";

/** Maintenance of a device: its alarms are muted, its data is kept. Times are epoch ms of the wall clock. */
export interface Maintenance {
  readonly deviceId: DeviceId;
  readonly tenantId: TenantId;
  readonly since: number;
  readonly until: number;
  /** Empty if none was given. */
  readonly reason: string;
  /** Email address or name of the key. */
  readonly by: string;
}
