import type { AlarmCounts, AlarmLine } from "../../lib/alarms/alarm-text.ts";
import { inEnglish } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";

export type MailLanguage = "en" | "de";

/** Values that the text of each mail names; times are ISO 8601, links absolute. */
export interface MailTemplates {
  readonly sign_up_code: { readonly fullName: string; readonly code: string; readonly minutes: number };
  /** Sign-up with an address that has an account already: nobody else learns that it has. */
  readonly sign_up_known: { readonly signInUrl: string };
  readonly invitation: {
    readonly fullName: string;
    readonly tenantName: string;
    readonly invitedBy: string;
    readonly loginUrl: string;
    readonly temporaryPassword: string;
  };
  /** Requested on the sign-in page by a user who forgot the password. */
  readonly password_reset: { readonly resetUrl: string; readonly minutes: number };
  readonly password_changed: { readonly fullName: string; readonly at: string };
  /** Goes to the address before: whoever took the account over is not the only one to know. */
  readonly email_changed: { readonly fullName: string; readonly at: string };
  /** Goes to the new address. */
  readonly email_new: { readonly fullName: string; readonly at: string };
  /** Goes to an address that a user wants to change to. */
  readonly email_confirm: { readonly confirmUrl: string; readonly minutes: number };
  /** Report to the owners that the gateway does not do its work. */
  readonly gateway_problem: {
    readonly fullName: string;
    readonly problems: readonly Text[];
    readonly at: string;
  };
  readonly alarm: AlarmMail & AlarmLine & { readonly at: string };
  /** A digest of events that were not sent one by one. */
  readonly alarm_digest: AlarmMail &
    AlarmCounts & { readonly worst: ReadonlyArray<AlarmLine & { readonly at: string }> };
  readonly notification_test: AlarmMail;
  /** Sent by hand to test the mail server. */
  readonly mail_test: Readonly<Record<string, never>>;
}

interface AlarmMail {
  readonly fullName: string;
  readonly timezone: string;
  /** Address of the console; null if it is not known. */
  readonly url: string | null;
}

export type MailTemplate = keyof MailTemplates;

const ALARM_TEMPLATES: ReadonlySet<MailTemplate> = new Set(["alarm", "alarm_digest", "notification_test"]);

/** Returns whether a mail is about alarms, and not about an account or the gateway. */
export const isAlarmTemplate = (template: MailTemplate): boolean => ALARM_TEMPLATES.has(template);

export interface NewMail<Template extends MailTemplate = MailTemplate> {
  /** Tenant whose outbox shows the mail; null for a mail to a person without a tenant. */
  readonly tenantId: TenantId | null;
  readonly to: string;
  readonly language?: MailLanguage;
  readonly template: Template;
  readonly values: MailTemplates[Template];
}

/** Takes mails into the durable outbox: what is in the same transaction is either written with the mail or not at all. */
export interface MailSender {
  /** Returns the mail's id. */
  enqueue<Template extends MailTemplate>(mail: NewMail<Template>): string;
  /** True if mails leave this gateway: false when there is no SMTP server and they wait to be read in the outbox. */
  readonly isDelivering: boolean;
}

/** HELD: no SMTP server is configured, so the mail waits to be read. */
export const MAIL_STATES = ["QUEUED", "SENT", "FAILED", "HELD"] as const;
export type MailState = (typeof MAIL_STATES)[number];

/** A mail of the outbox; times are epoch ms. */
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
  /** Time at which a secret among the values expires; null if there is none (any more). */
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

/** Tenant whose mails to list; the gateway's own tenant also sees those to people without one. */
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

/** Hands mails to a mail server, one at a time. */
export interface MailTransport {
  /** Resolves to the server's answer once it has taken the mail. @throws MailRefusal */
  send(mail: OutgoingMail): Promise<string>;
}

/** Reason why a mail was not taken; a permanent refusal is not worth another try. */
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

/** A piece of a mail; each is written as plain text and as HTML, which escapes it. */
export type MailPart =
  | { readonly kind: "text"; readonly text: string }
  /** Something to copy or type. */
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "link"; readonly label: string; readonly url: string }
  | { readonly kind: "note"; readonly text: string };

export interface MailContent {
  readonly subject: string;
  readonly parts: readonly MailPart[];
}
