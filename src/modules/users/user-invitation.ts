import type { InviteDelivery, User } from "./users.types.ts";

/** What the person who invites hands over, or what was sent. */
export interface Invitation {
  readonly success: true;
  readonly userId: string;
  readonly email: string;
  readonly fullName: string;
  readonly loginUrl: string;
  readonly temporaryPassword: string;
  readonly inviteDelivery: InviteDelivery;
  /** False while no SMTP server is configured: the mail waits in the outbox. */
  readonly inviteSent: boolean;
  readonly shareText: string;
  /** A password that there was no longer works. */
  readonly passwordReset?: boolean;
}

/** The console's way to the sign-in page, with the address filled in (`login_hint`, as OpenID Connect calls it). */
export const loginUrlOf = (origin: string, email: string): string =>
  `${origin}/sign-in?${new URLSearchParams({ login_hint: email })}`;

export function toInvitation(given: {
  user: User;
  temporaryPassword: string;
  tenantName: string;
  delivery: InviteDelivery;
  origin: string;
}): Invitation {
  const { user, temporaryPassword, tenantName, delivery } = given;
  const { userId, email, fullName } = user;
  const loginUrl = loginUrlOf(given.origin, email);
  const shareText = [
    `${fullName === "" ? "Hello" : `Hello ${fullName}`},`,
    "",
    `you are invited to Lineside${tenantName === "" ? "" : ` of ${tenantName}`}.`,
    "",
    `Sign in: ${loginUrl}`,
    `E-mail: ${email}`,
    `Temporary password: ${temporaryPassword}`,
    "",
    "Please change the password when you sign in for the first time.",
  ].join("\n");
  return {
    success: true,
    userId,
    email,
    fullName,
    loginUrl,
    temporaryPassword,
    inviteDelivery: delivery,
    inviteSent: false,
    shareText,
  };
}
