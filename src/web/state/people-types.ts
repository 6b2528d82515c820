// The shapes of users, invitations and API keys, as the service contract has them.
import type { Role } from "./api-types.ts";

export const SEVERITIES = ["WARNING", "MINOR", "MAJOR", "CRITICAL"] as const;
export type Severity = (typeof SEVERITIES)[number];

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

export interface User extends NotificationSettings {
  readonly userId: string;
  readonly fullName: string;
  readonly email: string;
  readonly role: Role;
  readonly status: "ACTIVE" | "DISABLED";
  readonly isProtected: boolean;
}

export type UserEdit = Partial<Omit<User, "userId" | "isProtected">>;
