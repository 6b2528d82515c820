import { type AlarmSeverity, SEVERITIES_DEFAULT } from "../../lib/alarms/severity.ts";
import type { DeviceId, TenantId, UserId } from "../../lib/core/ids.ts";

/** Roles from the most to the least powerful. */
export const ROLES = ["TENANT_OWNER", "TENANT_ADMIN", "TENANT_RW", "TENANT_READ_ONLY"] as const;
export type Role = (typeof ROLES)[number];

export const USER_STATUSES = ["ACTIVE", "DISABLED"] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

/** EMAIL sends the invitation, MANUAL only returns the details to pass on. */
export const INVITE_DELIVERIES = ["EMAIL", "MANUAL"] as const;
export type InviteDelivery = (typeof INVITE_DELIVERIES)[number];

/** Channels and topics of a user's notifications. */
export interface NotificationSettings {
  readonly notificationsEmailEnabled: boolean;
  readonly notificationsMessagingEnabled: boolean;
  /** Empty for none. */
  readonly notificationPhone: string;
  /** Level from 1 to 3. */
  readonly notificationEscalationLevel: number;
  readonly notificationSeverities: readonly AlarmSeverity[];
  readonly notifyOnAlarmCreated: boolean;
  readonly notifyOnAlarmEscalated: boolean;
  readonly notifyOnAlarmCleared: boolean;
}

export interface User extends NotificationSettings {
  readonly userId: UserId;
  readonly tenantId: TenantId | null;
  readonly email: string;
  readonly fullName: string;
  readonly role: Role;
  readonly status: UserStatus;
  readonly canAcknowledgeAlarms: boolean;
  readonly hasGlobalDeviceAccess: boolean;
  /** True if the user sees every device that belongs to an asset. */
  readonly hasGlobalAssetAccess: boolean;
  readonly inviteDelivery: InviteDelivery;
  /** Time at which the user signed in with the address or confirmed it; null before. Alarm mails are only sent to confirmed addresses. */
  readonly confirmedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const userDefaults = {
  status: "ACTIVE",
  canAcknowledgeAlarms: false,
  hasGlobalDeviceAccess: true,
  hasGlobalAssetAccess: false,
  notificationsEmailEnabled: true,
  notificationsMessagingEnabled: false,
  notificationPhone: "",
  notificationEscalationLevel: 1,
  notificationSeverities: SEVERITIES_DEFAULT,
  notifyOnAlarmCreated: true,
  notifyOnAlarmEscalated: true,
  notifyOnAlarmCleared: false,
  inviteDelivery: "MANUAL",
  confirmedAt: null,
} as const satisfies Partial<User>;

/** Fields of a new user; all optional ones have defaults. */
export type NewUser = Pick<User, "tenantId" | "email" | "fullName" | "role"> &
  Partial<Omit<User, "userId" | "createdAt" | "updatedAt">>;

/** Devices and assets granted by name to a user without access to all devices. */
export interface Grants {
  readonly deviceIds: readonly DeviceId[];
  readonly assetIds: readonly string[];
}

/** Caller of a request, created from a session or an API key for each request, never from a body. */
export interface Principal {
  /** Id of the user; for an API key, its own id. */
  readonly userId: UserId;
  readonly email: string;
  readonly tenantId: TenantId;
  readonly role: Role;
  readonly sessionId: string;
  readonly canAcknowledgeAlarms: boolean;
  /** Devices that this principal may currently see; evaluated at each access, so that streams follow grants immediately. */
  readonly devices: "all" | ReadonlySet<DeviceId>;
  /** Set for a program instead of a user. */
  readonly apiKey?: { readonly apiKeyId: string; readonly name: string; readonly createdBy: UserId | null };
  /** Set for viewers of shared dashboards without sign-in, who only see telemetry of these keys per device; another `version` has other content. */
  readonly shared?: {
    readonly keysOf: ReadonlyMap<DeviceId, ReadonlySet<string>>;
    readonly version: string;
  };
  /** Impersonating user, if any. */
  readonly impersonator?: { readonly userId: UserId; readonly email: string };
}

/** Returns the name of the caller for histories: that of the API key, or the user's address including the impersonating user's. */
export const callerName = ({
  email,
  apiKey,
  impersonator,
}: Pick<Principal, "email" | "apiKey" | "impersonator">): string =>
  apiKey?.name ?? (impersonator ? `${email} (${impersonator.email})` : email);

export interface UserFilter {
  readonly search?: string | undefined;
  readonly role?: string | undefined;
  readonly status?: string | undefined;
  readonly sort?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** User as shown to administrators. */
export interface UserDetail extends User, Grants {
  /** True for the tenant's last owner who can sign in, who cannot be deleted, disabled or demoted. */
  readonly isProtected: boolean;
  /** Number of devices that the user may see. */
  readonly deviceCount: number;
  readonly assetCount: number;
}

/** Passwords of users at the identity provider, for user management. */
export interface UserAccounts {
  /** Computes the hash, which is slow. The returned function sets the password, which must be changed at the first sign-in, and creates a missing account. */
  prepareTemporaryPassword(email: string, password: string): Promise<() => void>;
  /** Renames the account, if there is one. */
  rename(email: string, newEmail: string): void;
  /** Ends pending sign-ins and mail links of the user. */
  endPending(email: string): void;
  delete(email: string): void;
}
