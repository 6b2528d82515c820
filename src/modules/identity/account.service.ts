import { forbidden, limited, notFound } from "../../lib/core/domain-error.ts";
import type { SessionId } from "../../lib/core/ids.ts";
import { HOUR_MS } from "../../lib/core/units.ts";
import { addressGroup } from "../../lib/network/network-address.ts";
import { normalizeEmail } from "../../lib/strings/normalize-email.ts";
import type { MailLanguage, MailSender } from "../mail/mail.types.ts";
import type { UsersService } from "../users/users.service.ts";
import type { Principal } from "../users/users.types.ts";
import type { Session } from "./identity.types.ts";
import { RESET_LIFETIME_MINUTES, type SecurityStatus } from "./provider/account-security.ts";
import type { IdentityProvider } from "./provider/identity-provider.ts";
import type { NewSecondFactor } from "./provider/second-factor.ts";
import type { Throttle } from "./provider/throttle.ts";
import type { SessionsService } from "./sessions.service.ts";

/** Language and link origin of the requested mail, and the address of the request. */
export interface ResetContext {
  readonly address: string;
  readonly language: MailLanguage;
  /** Scheme, host and port of links in mails. */
  readonly origin: string;
}

/** Session as shown to its user; times are epoch ms of the wall clock. */
export interface OwnSession extends Session {
  readonly isCurrent: boolean;
  /** Email address of the impersonating user. */
  readonly impersonatedBy?: string;
}

/** Creates the service for users' own accounts: password, second factor, sessions. Not available during impersonation. */
export function createAccountService(deps: {
  provider: IdentityProvider;
  users: Pick<UsersService, "findById" | "findByEmail">;
  sessions: Pick<SessionsService, "list" | "end" | "endAll">;
  throttle: Throttle;
  mail: MailSender;
  /** Returns monotonic epoch ms. */
  now: () => number;
  /** Returns epoch ms of the wall clock. */
  wallNow: () => number;
}) {
  const { provider, users, sessions, throttle, mail, now, wallNow } = deps;

  function ensureOneself({ impersonator }: Principal): void {
    if (impersonator !== undefined) throw forbidden("account.not_own");
  }

  function confirmChange(email: string, language: MailLanguage): void {
    const user = users.findByEmail(email);
    if (user === undefined) return;
    const values = { fullName: user.fullName, at: new Date(wallNow()).toISOString() };
    mail.enqueue({ tenantId: user.tenantId, to: email, language, template: "password_changed", values });
  }

  return {
    securityOf: ({ email }: Principal): SecurityStatus => provider.statusOf(email),
    /** Changes the password and ends all other sessions of the user. */
    async changePassword(
      principal: Principal,
      { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
      language: MailLanguage,
    ): Promise<void> {
      ensureOneself(principal);
      const { email, userId, sessionId } = principal;
      await provider.changePassword(email, currentPassword, newPassword);
      sessions.endAll(userId, sessionId as SessionId); // it came from `authenticate`
      confirmChange(email, language);
    },
    /** Sends a link for setting a new password. For an unknown address, it behaves the same without sending. */
    requestReset(text: string, { address, language, origin }: ResetContext): void {
      const email = normalizeEmail(text);
      const refused =
        throttle.take([{ kind: "reset_address", who: addressGroup(address), burst: 20, perHour: 30 }]) ??
        throttle.takeOf([
          { kind: "reset_mail", who: email, max: 1, windowMs: 60_000 },
          { kind: "reset_mail", who: email, max: 5, windowMs: HOUR_MS },
          { kind: "reset_mail", who: email, max: 10, windowMs: 24 * HOUR_MS },
        ]);
      if (refused !== undefined)
        throw limited("reset.too_many", Math.max(Math.ceil(refused.waitMs / 1000), 1));
      const user = users.findByEmail(email);
      if (user?.status !== "ACTIVE") return;
      const secret = provider.createResetSecret(email);
      if (secret === undefined) return;
      const query = new URLSearchParams({ token: secret, ui_locales: language });
      const values = { resetUrl: `${origin}/idp/reset?${query}`, minutes: RESET_LIFETIME_MINUTES };
      mail.enqueue({ tenantId: user.tenantId, to: email, language, template: "password_reset", values });
    },
    isResetSecret: (secret: string): boolean => provider.isResetSecret(secret),
    /** Sets the password by a link and ends all sessions of the account. */
    async resetPassword(secret: string, password: string, language: MailLanguage): Promise<void> {
      const { email } = await provider.resetPassword(secret, password);
      confirmChange(email, language);
    },
    async beginSecondFactor(principal: Principal, password: string): Promise<NewSecondFactor> {
      ensureOneself(principal);
      return provider.beginSecondFactor(principal.email, password);
    },
    async confirmSecondFactor(principal: Principal, code: string): Promise<string[]> {
      ensureOneself(principal);
      return provider.confirmSecondFactor(principal.email, code);
    },
    async endSecondFactor(principal: Principal, password: string): Promise<void> {
      ensureOneself(principal);
      await provider.endSecondFactor(principal.email, password);
    },
    async renewRecoveryCodes(principal: Principal, password: string): Promise<string[]> {
      ensureOneself(principal);
      return provider.renewRecoveryCodes(principal.email, password);
    },
    listSessions(principal: Principal): OwnSession[] {
      ensureOneself(principal);
      const offset = wallNow() - now();
      return sessions.list(principal.userId).map((session) => {
        const impersonator =
          session.impersonatorId === null ? undefined : users.findById(session.impersonatorId);
        return {
          ...session,
          createdAt: session.createdAt + offset,
          lastUsedAt: session.lastUsedAt + offset,
          expiresAt: session.expiresAt + offset,
          isCurrent: session.sessionId === principal.sessionId,
          ...(impersonator && { impersonatedBy: impersonator.email }),
        };
      });
    },
    endSession(principal: Principal, sessionId: string): void {
      ensureOneself(principal);
      const own = sessions.list(principal.userId).find((session) => session.sessionId === sessionId);
      if (own === undefined) throw notFound("session.not_found");
      sessions.end(own.sessionId);
    },
    /** Ends all sessions except the caller's. Returns their number. */
    endOtherSessions(principal: Principal): number {
      ensureOneself(principal);
      const others = sessions.list(principal.userId).length - 1;
      provider.endPending(principal.email);
      sessions.endAll(principal.userId, principal.sessionId as SessionId); // it came from `authenticate`
      return others;
    },
  };
}

export type AccountService = ReturnType<typeof createAccountService>;
