import { forbidden, limited, notFound } from "../../lib/core/domain-error.ts";
import type { SessionId } from "../../lib/core/ids.ts";
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

const HOUR_MS = 3_600_000;

/** Language and links of the mail to the person who asks, and the address of the request. */
export interface ResetContext {
  readonly address: string;
  readonly language: MailLanguage;
  /** Scheme, host and port of links in mails. */
  readonly origin: string;
}

/** A session as its person sees it; times are epoch ms of the clock on the wall. */
export interface OwnSession extends Session {
  readonly isCurrent: boolean;
  /** Address of who acts as the person. */
  readonly impersonatedBy?: string;
}

/** Creates the service for users' own accounts: password, second factor, sessions. A user who acts as another one cannot use it. */
export function createAccountService(deps: {
  provider: IdentityProvider;
  users: Pick<UsersService, "findById" | "findByEmail">;
  sessions: Pick<SessionsService, "list" | "end" | "endAll">;
  throttle: Throttle;
  mail: MailSender;
  /** Steady epoch ms. */
  now: () => number;
  /** Epoch ms as the clock on the wall has it. */
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
    /** Signs the person out everywhere else. */
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
    /** Sends a link to set a new password. Does the same, but sends nothing, for an address that is not known. */
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
    /** Signs the account out everywhere. */
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
    /** All but the one that asks; says how many. */
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
