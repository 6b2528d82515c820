import type { DeviceId, TenantId } from "../../lib/core/ids.ts";

/** Somebody works on a device: its alarms are mute, its data is kept. Times are epoch ms as the clock on the wall has them. */
export interface Maintenance {
  readonly deviceId: DeviceId;
  readonly tenantId: TenantId;
  readonly since: number;
  readonly until: number;
  /** Empty: none was given. */
  readonly reason: string;
  /** Email address or name of the key. */
  readonly by: string;
}
