import type { MessagePart } from "../../lib/alarms/message-parts.ts";
import type { AlarmSeverity } from "../../lib/alarms/severity.ts";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { MailLanguage } from "../mail/mail.types.ts";
import type { Sealed } from "../outbound/outbound.types.ts";

export const NOTIFICATION_TRIGGERS = ["CREATED", "ESCALATED", "CLEARED"] as const;
export type NotificationTrigger = (typeof NOTIFICATION_TRIGGERS)[number];

/** Something happened to an alarm that people may want to hear of; written with its event. */
export interface AlarmNotification {
  readonly tenantId: TenantId;
  readonly alarmId: string;
  readonly deviceId: DeviceId;
  readonly trigger: NotificationTrigger;
  readonly severity: AlarmSeverity;
  /** Severity before an alarm became more severe: users who were notified of it then are not notified again. */
  readonly formerSeverity: AlarmSeverity | null;
  readonly level: number;
  readonly alarmType: string;
  readonly message: string;
  readonly messageParts: readonly MessagePart[] | null;
  /** Reason why an alarm was cleared. */
  readonly cause: Text | null;
  /** Epoch ms. */
  readonly at: number;
}

export interface QueuedNotification extends AlarmNotification {
  readonly sequence: number;
}

export const CHANNELS = ["email", "messaging"] as const;
export type Channel = (typeof CHANNELS)[number];
/** Ways to users, and the messengers of the tenant. */
export const FLOW_CHANNELS = [...CHANNELS, "messenger"] as const;

/** A line of a digest, and what a single notification says. */
export interface NotificationLine {
  /** Missing in digests of older versions. */
  readonly alarmId?: string;
  readonly trigger: NotificationTrigger;
  readonly severity: AlarmSeverity;
  readonly level: number;
  readonly alarmType: string;
  readonly deviceName: string;
  readonly message: string;
  readonly messageParts?: readonly MessagePart[];
  /** Reason why an alarm was cleared. */
  readonly cause?: Text;
  /** ISO 8601. */
  readonly at: string;
}

/** Notifications that were not sent one by one because there were too many within a short time. */
export interface Digest {
  readonly total: number;
  readonly bySeverity: Readonly<Partial<Record<AlarmSeverity, number>>>;
  readonly byTrigger: Readonly<Partial<Record<NotificationTrigger, number>>>;
  /** The most severe ones, the oldest of them first. */
  readonly worst: readonly NotificationLine[];
}

/** Notifications that one user or messenger got on one channel within the current window. */
export interface Flow {
  /** Id of the user or of the messenger. */
  readonly recipientId: string;
  readonly channel: (typeof FLOW_CHANNELS)[number];
  /** Steady epoch ms. */
  readonly endsAt: number;
  readonly sent: number;
  readonly digest: Digest | null;
}

/** HTTP request, made from a template, that sends texts to phones and chats. */
export interface Messaging {
  readonly url: string;
  readonly method: "POST" | "PUT" | "PATCH";
  /** Sealed where they are secrets. */
  readonly headers: Readonly<Record<string, string | Sealed>>;
  readonly contentType: string;
  readonly body: string;
}

export interface NotificationSettings {
  readonly language: MailLanguage;
  readonly timezone: string;
  /** Number of single notifications within the window; the others become a digest. */
  readonly digestAfter: number;
  readonly digestMinutes: number;
  /** `null` if there is no way to send messages. */
  readonly messaging: Messaging | null;
}

export const notificationDefaults: NotificationSettings = {
  language: "en",
  timezone: "UTC",
  digestAfter: 10,
  digestMinutes: 5,
  messaging: null,
};
