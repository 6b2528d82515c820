// The shapes of users, invitations and API keys, as the service contract has them.
import type { Role } from "../../lib/api-types.ts";

/** From the most to the least powerful. */
export const ROLES = ["TENANT_OWNER", "TENANT_ADMIN", "TENANT_RW", "TENANT_READ_ONLY"] as const;
export const SEVERITIES = ["CRITICAL", "MAJOR", "MINOR", "WARNING", "INDETERMINATE"] as const;
export type Severity = (typeof SEVERITIES)[number];
export type UserStatus = "ACTIVE" | "DISABLED";
export type InviteDelivery = "EMAIL" | "MANUAL";

export interface NotificationSettings {
  readonly notificationsEmailEnabled: boolean;
  readonly notificationsMessagingEnabled: boolean;
  readonly notificationPhone: string;
  readonly notificationEscalationLevel: number;
  readonly notificationSeverities: readonly Severity[];
  readonly notifyOnAlarmCreated: boolean;
  readonly notifyOnAlarmEscalated: boolean;
  readonly notifyOnAlarmCleared: boolean;
}

/** What somebody sees: every device, or those named and those of the named assets. */
export interface Access {
  readonly hasGlobalDeviceAccess: boolean;
  readonly hasGlobalAssetAccess: boolean;
  readonly deviceIds: readonly string[];
  readonly assetIds: readonly string[];
}

export interface User extends NotificationSettings, Access {
  readonly userId: string;
  readonly fullName: string;
  readonly email: string;
  readonly role: Role;
  readonly status: UserStatus;
  /** The last owner who can sign in. */
  readonly isProtected: boolean;
  readonly canAcknowledgeAlarms: boolean;
  readonly deviceCount: number;
  readonly assetCount: number;
  readonly inviteDelivery: InviteDelivery;
  readonly createdAt: string;
}

type Writable = Omit<
  User,
  "userId" | "isProtected" | "deviceCount" | "assetCount" | "createdAt" | "updatedAt"
>;
export type UserEdit = Partial<Writable>;
export type NewUser = UserEdit & Pick<Writable, "fullName" | "email" | "role" | "inviteDelivery">;

export interface Invitation {
  readonly userId: string;
  readonly email: string;
  readonly fullName?: string;
  readonly loginUrl: string;
  readonly temporaryPassword: string;
  readonly inviteDelivery: InviteDelivery;
  /** False while there is no mail server: the mail waits in the outbox. */
  readonly inviteSent: boolean;
  readonly shareText: string;
}

export interface UserListQuery {
  readonly limit: number;
  readonly offset: number;
  readonly search?: string;
  readonly role?: string;
  readonly status?: string;
}
