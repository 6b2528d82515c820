import type { DeviceId, TenantId, UserId } from "../../lib/ids.ts";

export const roles = ["TENANT_OWNER", "TENANT_ADMIN", "TENANT_RW", "TENANT_READ_ONLY"] as const;
export type Role = (typeof roles)[number];

export interface User {
  readonly userId: UserId;
  readonly tenantId: TenantId | null;
  readonly email: string;
  readonly fullName: string;
  readonly role: Role;
  readonly status: "ACTIVE" | "DISABLED";
  readonly canAcknowledgeAlarms: boolean;
  readonly hasGlobalDeviceAccess: boolean;
}

/** Who acts: made from a session for each request, never from a body. */
export interface Principal {
  readonly userId: UserId;
  readonly email: string;
  readonly tenantId: TenantId;
  readonly role: Role;
  readonly sessionId: string;
  readonly canAcknowledgeAlarms: boolean;
  /** The devices that this person may see. */
  readonly devices: "all" | ReadonlySet<DeviceId>;
}
