import type { DeviceId, TenantId } from "../../lib/ids.ts";

/** A link by which anybody looks at one dashboard, and can change nothing. */
export interface DashboardShare {
  readonly shareId: string;
  readonly tenantId: TenantId;
  readonly dashboardId: string;
  readonly token: string;
  /** Name of the reader or the place; may be empty. */
  readonly name: string;
  /** The device that the dashboard is looked at with. */
  readonly deviceId: DeviceId | null;
  /** E-mail address. */
  readonly createdBy: string;
  /** Epoch ms. */
  readonly createdAt: number;
  /** Epoch ms; null: until it is deleted. */
  readonly expiresAt: number | null;
}

export interface NewShare {
  readonly name?: string | undefined;
  readonly deviceId?: string | null | undefined;
  readonly expiresAt?: number | null | undefined;
}
