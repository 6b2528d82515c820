import type { Language } from "../../lib/strings/preferred-language.ts";
import type { InviteDelivery, User } from "./users.types.ts";

/** Sign-in details that the inviting user passes on, or that were sent. */
export interface Invitation {
  readonly success: true;
  readonly userId: string;
  readonly email: string;
  readonly fullName: string;
  readonly loginUrl: string;
  readonly temporaryPassword: string;
  readonly inviteDelivery: InviteDelivery;
  /** `false` without an SMTP server, when the mail waits in the outbox. */
  readonly inviteSent: boolean;
  readonly shareText: string;
  /** True if an existing password was replaced. */
  readonly passwordReset?: boolean;
}

/** Returns the console's URL to the sign-in page, with the email address filled in (`login_hint` of OpenID Connect). */
export const loginUrlOf = (origin: string, email: string): string =>
  `${origin}/sign-in?${new URLSearchParams({ login_hint: email })}`;

interface Shared {
  readonly fullName: string;
  readonly tenantName: string;
  readonly email: string;
  readonly loginUrl: string;
  readonly temporaryPassword: string;
}

const shareTexts: Readonly<Record<Language, (shared: Shared) => readonly string[]>> = {
  en: ({ fullName, tenantName, email, loginUrl, temporaryPassword }) => [
    fullName === "" ? "Hello," : `Hello ${fullName},`,
    "",
    `you are invited to Lineside${tenantName === "" ? "" : ` of ${tenantName}`}.`,
    "",
    `Sign in: ${loginUrl}`,
    `Email: ${email}`,
    `Temporary password: ${temporaryPassword}`,
    "",
    "Please change the password when you sign in for the first time. It is good for 14 days.",
  ],
  de: ({ fullName, tenantName, email, loginUrl, temporaryPassword }) => [
    fullName === "" ? "Guten Tag," : `Guten Tag ${fullName},`,
    "",
    `Sie sind zu Lineside${tenantName === "" ? "" : ` von ${tenantName}`} eingeladen.`,
    "",
    `Anmelden: ${loginUrl}`,
    `E-Mail: ${email}`,
    `Vorläufiges Passwort: ${temporaryPassword}`,
    "",
    "Bitte ändern Sie das Passwort bei der ersten Anmeldung. Es gilt 14 Tage.",
  ],
};

/** Delivery of an invitation; `origin` is scheme, host and port of its link. */
export interface InvitationOptions {
  readonly delivery: InviteDelivery;
  readonly origin: string;
  readonly language: Language;
}

export function toInvitation(
  input: { user: User; temporaryPassword: string; tenantName: string },
  { delivery, origin, language }: InvitationOptions,
): Invitation {
  const { user, temporaryPassword, tenantName } = input;
  const { userId, email, fullName } = user;
  const loginUrl = loginUrlOf(origin, email);
  const shareText = shareTexts[language]({ fullName, tenantName, email, loginUrl, temporaryPassword });
  return {
    success: true,
    userId,
    email,
    fullName,
    loginUrl,
    temporaryPassword,
    inviteDelivery: delivery,
    inviteSent: false,
    shareText: shareText.join("\n"),
  };
}
