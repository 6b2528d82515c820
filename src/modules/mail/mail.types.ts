import type { AlarmCounts, AlarmLine } from "../../lib/alarms/alarm-text.ts";
import { inEnglish } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";

export type MailLanguage = "en" | "de";

/** Values of each mail's text; times are ISO 8601, links absolute. */
export interface MailTemplates {
  readonly sign_up_code: { readonly fullName: string; readonly code: string; readonly minutes: number };
  /** Sent at sign-up with an address that already has an account, which only its owner learns this way. */
  readonly sign_up_known: { readonly signInUrl: string };
  readonly invitation: {
    readonly fullName: string;
    readonly tenantName: string;
    readonly invitedBy: string;
    readonly loginUrl: string;
    readonly temporaryPassword: string;
  };
  /** Requested on the sign-in page after a forgotten password. */
  readonly password_reset: { readonly resetUrl: string; readonly minutes: number };
  readonly password_changed: { readonly fullName: string; readonly at: string };
  /** Sent to the previous address, so that an account takeover is noticed. */
  readonly email_changed: { readonly fullName: string; readonly at: string };
  /** Sent to the new address. */
  readonly email_new: { readonly fullName: string; readonly at: string };
  /** Sent to the address to which a user wants to change. */
  readonly email_confirm: { readonly confirmUrl: string; readonly minutes: number };
  /** Report to the owners about a problem of the gateway. */
  readonly gateway_problem: {
    readonly fullName: string;
    readonly problems: readonly Text[];
    readonly at: string;
  };
  readonly alarm: AlarmMail & AlarmLine & { readonly at: string };
  /** Digest of events that were not sent individually. */
  readonly alarm_digest: AlarmMail &
    AlarmCounts & { readonly worst: ReadonlyArray<AlarmLine & { readonly at: string }> };
  readonly notification_test: AlarmMail;
  /** Sent manually to test the mail server. */
  readonly mail_test: Readonly<Record<string, never>>;
}

interface AlarmMail {
  readonly fullName: string;
  readonly timezone: string;
  /** URL of the console; null if unknown. */
  readonly url: string | null;
}

export type MailTemplate = keyof MailTemplates;

const ALARM_TEMPLATES: ReadonlySet<MailTemplate> = new Set(["alarm", "alarm_digest", "notification_test"]);

/** Returns whether a mail is about alarms rather than an account or the gateway. */
export const isAlarmTemplate = (template: MailTemplate): boolean => ALARM_TEMPLATES.has(template);

export interface NewMail<Template extends MailTemplate = MailTemplate> {
  /** Tenant whose outbox shows the mail; null for a recipient without a tenant. */
  readonly tenantId: TenantId | null;
  readonly to: string;
  readonly language?: MailLanguage;
  readonly template: Template;
  readonly values: MailTemplates[Template];
}

/** Adds mails to the durable outbox, in the caller's transaction if there is one. */
export interface MailSender {
  /** Returns the mail's id. */
  enqueue<Template extends MailTemplate>(mail: NewMail<Template>): string;
  /** False without an SMTP server, when mails wait in the outbox. */
  readonly isDelivering: boolean;
}

/** HELD: no SMTP server is configured, so the mail waits to be read. */
export const MAIL_STATES = ["QUEUED", "SENT", "FAILED", "HELD"] as const;
export type MailState = (typeof MAIL_STATES)[number];

/** Mail in the outbox; times are epoch ms. */
export interface OutboxMail {
  readonly mailId: string;
  readonly tenantId: TenantId | null;
  readonly recipient: string;
  readonly language: MailLanguage;
  readonly template: MailTemplate;
  readonly isAlarm: boolean;
  readonly values: Readonly<Record<string, unknown>>;
  readonly state: MailState;
  readonly attempts: number;
  readonly dueAt: number;
  readonly lastError: Text | null;
  /** Expiry of a secret in the values; null if there is none, or it was removed. */
  readonly secretUntil: number | null;
  readonly createdAt: number;
  readonly sentAt: number | null;
}

export interface MailFilter {
  readonly state?: MailState | undefined;
  readonly search?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Tenant whose mails are listed; the gateway's own tenant also sees mails to recipients without a tenant. */
export interface MailScope {
  readonly tenantId: TenantId;
  readonly includesStrangers: boolean;
}

export interface OutgoingMail {
  readonly mailId: string;
  /** Name next to the sender's address. */
  readonly fromName: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Sends mails through a mail server, one at a time. */
export interface MailTransport {
  /** Resolves to the server's response once it has accepted the mail. @throws MailRefusal */
  send(mail: OutgoingMail): Promise<string>;
}

/** Reason for a refused mail; a permanent refusal is not retried. */
export class MailRefusal extends Error {
  readonly text: Text;
  readonly isPermanent: boolean;
  constructor(text: Text, isPermanent: boolean, cause?: unknown) {
    super(inEnglish(text), { cause });
    this.name = "MailRefusal";
    this.text = text;
    this.isPermanent = isPermanent;
  }
}

/** Part of a mail, rendered as plain text and as escaped HTML. */
export type MailPart =
  | { readonly kind: "text"; readonly text: string }
  /** Text to copy or type. */
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "link"; readonly label: string; readonly url: string }
  | { readonly kind: "note"; readonly text: string };

export interface MailContent {
  readonly subject: string;
  readonly parts: readonly MailPart[];
}
