import type { MessagePart } from "../../lib/alarms/message-parts.ts";
import type { AlarmSeverity } from "../../lib/alarms/severity.ts";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { MailLanguage } from "../mail/mail.types.ts";
import type { Sealed } from "../outbound/outbound.types.ts";

export const NOTIFICATION_TRIGGERS = ["CREATED", "ESCALATED", "CLEARED"] as const;
export type NotificationTrigger = (typeof NOTIFICATION_TRIGGERS)[number];

/** Alarm event of interest to users, written together with the event. */
export interface AlarmNotification {
  readonly tenantId: TenantId;
  readonly alarmId: string;
  readonly deviceId: DeviceId;
  readonly trigger: NotificationTrigger;
  readonly severity: AlarmSeverity;
  /** Severity before an increase; users already notified for it are not notified again. */
  readonly formerSeverity: AlarmSeverity | null;
  readonly level: number;
  readonly alarmType: string;
  readonly message: string;
  readonly messageParts: readonly MessagePart[] | null;
  /** Reason for clearing an alarm. */
  readonly cause: Text | null;
  /** Epoch ms. */
  readonly at: number;
}

export interface QueuedNotification extends AlarmNotification {
  readonly sequence: number;
  /** Id of the last recipient notified so far, in the order of ids; an empty string at first. */
  readonly notifiedUpTo: string;
}

export const CHANNELS = ["email", "messaging"] as const;
export type Channel = (typeof CHANNELS)[number];
/** Channels to users, and the tenant's messengers. */
export const FLOW_CHANNELS = [...CHANNELS, "messenger"] as const;

/** Line of a digest, or the content of a single notification. */
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
  /** Reason for clearing an alarm. */
  readonly cause?: Text;
  /** ISO 8601. */
  readonly at: string;
}

/** Notifications not sent individually because there were too many within a short time. */
export interface Digest {
  readonly total: number;
  readonly bySeverity: Readonly<Partial<Record<AlarmSeverity, number>>>;
  readonly byTrigger: Readonly<Partial<Record<NotificationTrigger, number>>>;
  /** Most severe first, then oldest first. */
  readonly worst: readonly NotificationLine[];
}

/** Notifications of one user or messenger on one channel within the current window. */
export interface Flow {
  /** Id of the user or messenger. */
  readonly recipientId: string;
  readonly channel: (typeof FLOW_CHANNELS)[number];
  /** End of the window, on the clock of `createMonotonicNow`: epoch ms that clock changes do not move. */
  readonly endsAt: number;
  readonly sent: number;
  readonly digest: Digest | null;
}

/** Templated HTTP request that sends messages to phones and chat services. */
export interface Messaging {
  readonly url: string;
  readonly method: "POST" | "PUT" | "PATCH";
  /** Header values; secrets are sealed. */
  readonly headers: Readonly<Record<string, string | Sealed>>;
  readonly contentType: string;
  readonly body: string;
}

export interface NotificationSettings {
  readonly language: MailLanguage;
  readonly timezone: string;
  /** Max. single notifications within the window; further ones are collected in a digest. */
  readonly digestAfter: number;
  readonly digestMinutes: number;
  /** `null` if messages cannot be sent. */
  readonly messaging: Messaging | null;
}

export const notificationDefaults: NotificationSettings = {
  language: "en",
  timezone: "UTC",
  digestAfter: 10,
  digestMinutes: 5,
  messaging: null,
};
