import type { DeviceId, TenantId } from "../../lib/core/ids.ts";

/** Dashboards that a link shows in rotation. */
export interface ShareRotation {
  /** At least two, in display order. */
  readonly dashboardIds: readonly string[];
  readonly seconds: number;
}

/** Link that shows a dashboard, or several in rotation, to anyone, read-only. */
export interface DashboardShare {
  readonly shareId: string;
  readonly tenantId: TenantId;
  /** First dashboard, if there are several. */
  readonly dashboardId: string;
  readonly rotation: ShareRotation | null;
  readonly token: string;
  /** Name of the reader or the place; may be empty. */
  readonly name: string;
  /** Device with which the dashboards are viewed. */
  readonly deviceId: DeviceId | null;
  /** Email address. */
  readonly createdBy: string;
  /** Epoch ms. */
  readonly createdAt: number;
  /** Epoch ms; null for no expiry. */
  readonly expiresAt: number | null;
}

export interface NewShare {
  readonly name?: string | undefined;
  readonly deviceId?: string | null | undefined;
  readonly rotation?: ShareRotation | null | undefined;
  readonly expiresAt?: number | null | undefined;
}
