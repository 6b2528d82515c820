import type { TenantId } from "../../lib/ids.ts";

export type MailLanguage = "en" | "de";

/** What each mail says, by the values that its text names; times are ISO 8601, links absolute. */
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
  /** Asked for on the sign-in page by somebody who forgot the password. */
  readonly password_reset: { readonly resetUrl: string; readonly minutes: number };
  readonly password_changed: { readonly fullName: string; readonly at: string };
}

export type MailTemplate = keyof MailTemplates;

export interface NewMail<Template extends MailTemplate = MailTemplate> {
  /** Whose outbox shows it; null for a mail to somebody without a tenant. */
  readonly tenantId: TenantId | null;
  readonly to: string;
  readonly language?: MailLanguage;
  readonly template: Template;
  readonly values: MailTemplates[Template];
}

/** Takes mails into the durable outbox: what is in the same transaction is either written with the mail or not at all. */
export interface MailSender {
  enqueue<Template extends MailTemplate>(mail: NewMail<Template>): void;
  /** Whether mails leave this gateway: false when no SMTP server is configured and they wait to be read in the outbox. */
  readonly isDelivering: boolean;
}
