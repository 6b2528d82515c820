import type { Principal, User } from "../users/users.types.ts";
import type { Messenger } from "./messengers.resource.ts";
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

export interface Recipients {
  readonly users: readonly User[];
  readonly messengers: readonly Messenger[];
}

/**
 * Returns the recipients whom a rule names; nobody for an empty list, and without a list all users and each messenger that gets the alarms of all
 * rules. If all whom it names are deleted, these are the owners of the site: the alarm is not lost, and does not reach others.
 */
export function recipientsAmong(
  { users, messengers }: Recipients,
  recipientIds: readonly string[] | undefined,
): Recipients {
  if (recipientIds !== undefined) {
    const named = {
      users: users.filter(({ userId }) => recipientIds.includes(userId)),
      messengers: messengers.filter(({ messengerId }) => recipientIds.includes(messengerId)),
    };
    if (recipientIds.length === 0 || named.users.length + named.messengers.length > 0) return named;
    return { users: users.filter(({ role }) => role === "TENANT_OWNER"), messengers: [] };
  }
  return { users, messengers: messengers.filter(({ ruleScope }) => ruleScope === "ALL") };
}

/** The ways on which the user can be told. No mails go to addresses that nobody has confirmed: they may be those of strangers. */
export const channelsOf = (
  user: User,
  { canMail, canMessage }: { canMail: boolean; canMessage: boolean },
): Channel[] => [
  ...(canMail && user.notificationsEmailEnabled && user.confirmedAt !== null ? (["email"] as const) : []),
  ...(canMessage && user.notificationsMessagingEnabled && user.notificationPhone !== ""
    ? (["messaging"] as const)
    : []),
];
