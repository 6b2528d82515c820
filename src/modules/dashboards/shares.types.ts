import type { DeviceId, TenantId } from "../../lib/core/ids.ts";

/** Dashboards that a link shows in turn. */
export interface ShareRotation {
  /** In the order in which they are shown; at least two. */
  readonly dashboardIds: readonly string[];
  readonly seconds: number;
}

/** A link by which anybody looks at a dashboard, or at several in turn, and can change nothing. */
export interface DashboardShare {
  readonly shareId: string;
  readonly tenantId: TenantId;
  /** The first one, if there are several. */
  readonly dashboardId: string;
  readonly rotation: ShareRotation | null;
  readonly token: string;
  /** Name of the reader or the place; may be empty. */
  readonly name: string;
  /** The device that the dashboards are looked at with. */
  readonly deviceId: DeviceId | null;
  /** Email address. */
  readonly createdBy: string;
  /** Epoch ms. */
  readonly createdAt: number;
  /** Epoch ms; null: until it is deleted. */
  readonly expiresAt: number | null;
}

export interface NewShare {
  readonly name?: string | undefined;
  readonly deviceId?: string | null | undefined;
  readonly rotation?: ShareRotation | null | undefined;
  readonly expiresAt?: number | null | undefined;
}
