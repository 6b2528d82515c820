import type { Principal, User } from "../users/users.types.ts";
import type { AlarmNotification, Channel } from "./notifications.types.ts";

const flagOf = {
  CREATED: "notifyOnAlarmCreated",
  ESCALATED: "notifyOnAlarmEscalated",
  CLEARED: "notifyOnAlarmCleared",
} as const;

/**
 * Returns whether the user wants to hear of it. Whoever chose level 2 hears of an alarm only once it has come to level 2; one that has become
 * more severe is new to those who did not want to hear of it before.
 */
export function wants(user: User, notification: AlarmNotification, visible: Principal["devices"]): boolean {
  const { severity, formerSeverity, level, trigger, deviceId } = notification;
  const severities = user.notificationSeverities;
  return (
    user.status === "ACTIVE" &&
    user[flagOf[trigger]] &&
    user.notificationEscalationLevel <= level &&
    severities.includes(severity) &&
    !(formerSeverity !== null && severities.includes(formerSeverity)) &&
    (visible === "all" || visible.has(deviceId))
  );
}

/**
 * Returns the users whom a rule names: all users where it has no list, or where none of the named ones is left. An alarm must not be lost
 * because a user was deleted.
 */
export function recipientsAmong(
  users: readonly User[],
  recipientIds: readonly string[] | undefined,
): readonly User[] {
  if (recipientIds === undefined) return users;
  const named = users.filter(({ userId }) => recipientIds.includes(userId));
  return named.length === 0 ? users : named;
}

/** The ways on which the user can be told. */
export const channelsOf = (
  user: User,
  { canMail, canMessage }: { canMail: boolean; canMessage: boolean },
): Channel[] => [
  ...(canMail && user.notificationsEmailEnabled ? (["email"] as const) : []),
  ...(canMessage && user.notificationsMessagingEnabled && user.notificationPhone !== ""
    ? (["messaging"] as const)
    : []),
];
