import type { Principal, User } from "../users/users.types.ts";
import type { Messenger } from "./messengers.resource.ts";
import type { AlarmNotification, Channel } from "./notifications.types.ts";

const flagOf = {
  CREATED: "notifyOnAlarmCreated",
  ESCALATED: "notifyOnAlarmEscalated",
  CLEARED: "notifyOnAlarmCleared",
} as const;

/**
 * Returns whether the user wants the notification. Users who chose level 2 are only notified once an alarm reaches level 2; an increased severity is
 * new to users who ignore lower ones.
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
 * Returns the recipients named by a rule; none for an empty list, and without a list all users and each messenger for the alarms of all rules. If
 * all named recipients were deleted, returns the owners of the site, so that the alarm is neither lost nor sent to others.
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

/**
 * Returns the next recipients in the order of ids, `max` at most, after the one with the id `after`. Also returns their number, and the id of the last
 * one if there are more.
 */
export function recipientsAfter({ users, messengers }: Recipients, after: string, max: number) {
  const ids = [...users.map(({ userId }) => userId), ...messengers.map(({ messengerId }) => messengerId)];
  const left = ids.filter((id) => id > after).sort();
  const next = new Set<string>(left.slice(0, max));
  const recipients: Recipients = {
    users: users.filter(({ userId }) => next.has(userId)),
    messengers: messengers.filter(({ messengerId }) => next.has(messengerId)),
  };
  return { recipients, count: next.size, ...(left.length > max && { last: left[max - 1] as string }) };
}

/** Returns the channels on which the user can be notified. No mails are sent to unconfirmed addresses, which may belong to strangers. */
export const channelsOf = (
  user: User,
  { canMail, canMessage }: { canMail: boolean; canMessage: boolean },
): Channel[] => [
  ...(canMail && user.notificationsEmailEnabled && user.confirmedAt !== null ? (["email"] as const) : []),
  ...(canMessage && user.notificationsMessagingEnabled && user.notificationPhone !== ""
    ? (["messaging"] as const)
    : []),
];
