import { forbidden, invalid, unauthenticated } from "../../../lib/core/domain-error.ts";
import { EMAIL_LENGTH_MAX } from "../../../lib/core/text-forms.ts";
import { normalizeEmail } from "../../../lib/strings/normalize-email.ts";
import { randomToken, sha256 } from "../../../platform/core/ids.ts";
import { ensurePasswordStrong, type PasswordHasher } from "./password.ts";
import type { Caller, PasswordCheck } from "./password-check.ts";
import type { Account, ProviderRepository, TicketPurpose } from "./provider.repository.ts";
import type { SecondFactor } from "./second-factor.ts";

const CODE_LIFETIME_MS = 60_000;
/** Time for entering the second factor or a new password. */
const TICKET_LIFETIME_MS = 15 * 60_000;
/** Lifetime of a temporary password, as long as the outbox keeps it, so that an old note or mail does not work forever. */
const TEMPORARY_PASSWORD_LIFETIME_MS = 14 * 24 * 3_600_000;

/** Target of the authorization code, carried from page to page. */
export interface CodeRequest {
  readonly redirectUri?: string | undefined;
  readonly codeChallenge?: string | undefined;
}

export interface SignIn extends Caller, CodeRequest {
  readonly email: string;
  readonly password: string;
}

export interface NextStep extends Caller, CodeRequest {
  readonly ticket: string;
}

/** Result of a sign-in step: done, or another page with its ticket. */
export type SignInStep =
  | { readonly step: "signed_in"; readonly code: string }
  | { readonly step: "second_factor" | "new_password"; readonly ticket: string };

export const ticketExpired = () => unauthenticated("sign_in.expired");
const temporaryPasswordExpired = () => forbidden("sign_in.temporary_expired");
export const samePassword = () => invalid("password.same");

/** Creates the steps from a password to an authorization code, one page each (RFC 6749, with PKCE by RFC 7636 S256). */
export function createSignInFlow(deps: {
  repository: ProviderRepository;
  passwords: PasswordCheck;
  hasher: PasswordHasher;
  secondFactor: SecondFactor;
  onPasswordChanged: (email: string) => void;
  /** Returns monotonic epoch ms. */
  now: () => number;
}) {
  const { repository, passwords, hasher, secondFactor, now } = deps;

  function newCode({ redirectUri, codeChallenge }: CodeRequest) {
    const code = randomToken(32);
    repository.deleteExpired(now());
    const row = {
      codeHash: sha256(code),
      redirectUri: redirectUri ?? null,
      codeChallenge: codeChallenge ?? null,
      expiresAt: now() + CODE_LIFETIME_MS,
    };
    return { code, row };
  }

  function issueCodeOf(account: Account, request: CodeRequest): string {
    const { code, row } = newCode(request);
    if (!repository.insertCodeOf(account, row)) throw ticketExpired();
    return code;
  }

  function issueTicket({ accountId }: Account, purpose: TicketPurpose): string {
    const secret = randomToken(24);
    const expiresAt = now() + TICKET_LIFETIME_MS;
    repository.insertTicket({ secretHash: sha256(secret), accountId, purpose, expiresAt });
    return secret;
  }

  function ensureTicket(ticket: string, purpose: TicketPurpose): Account {
    const found = repository.findTicket(sha256(ticket), purpose, now());
    const account = found && repository.findAccountById(found.accountId);
    if (account === undefined) throw ticketExpired();
    return account;
  }

  /** Continues after the password and, if it is on, the second factor. */
  function proceed(account: Account, request: Caller & CodeRequest): SignInStep {
    if (account.mustChangePassword)
      return { step: "new_password", ticket: issueTicket(account, "new_password") };
    passwords.remember(account, request);
    return { step: "signed_in", code: issueCodeOf(account, request) };
  }

  async function checkPassword({ email, password, ...caller }: SignIn): Promise<Account> {
    const normalized = normalizeEmail(email);
    const account = await passwords.check(normalized.slice(0, EMAIL_LENGTH_MAX + 1), password, caller);
    const isOver = account.updatedAt <= now() - TEMPORARY_PASSWORD_LIFETIME_MS;
    if (account.mustChangePassword && isOver) throw temporaryPasswordExpired();
    return account;
  }

  async function replacePassword(account: Account, password: string): Promise<Account> {
    ensurePasswordStrong(password, account.email);
    if (await hasher.verify(password, account.passwordHash, "known")) throw samePassword();
    const passwordHash = await hasher.hash(password);
    // A simultaneous change, or an invitation meanwhile, must not be overwritten.
    if (repository.findAccountById(account.accountId)?.passwordHash !== account.passwordHash)
      throw ticketExpired();
    repository.updateAccount(account.accountId, { passwordHash, mustChangePassword: false }, now());
    repository.deletePending(account.email);
    deps.onPasswordChanged(account.email);
    return { ...account, passwordHash, mustChangePassword: false };
  }

  return {
    /** Issues a code to a user whose address was proven elsewhere. */
    issueCode(email: string, request: CodeRequest): string {
      const { code, row } = newCode(request);
      repository.insertCode({ ...row, email });
      return code;
    },
    /** @throws DomainError `unauthenticated` for a wrong pair, `limited` after too many */
    async begin(request: SignIn): Promise<SignInStep> {
      const account = await checkPassword(request);
      if (secondFactor.isOn(account))
        return { step: "second_factor", ticket: issueTicket(account, "second_factor") };
      return proceed(account, request);
    },
    async enterSecondFactor({
      ticket,
      code,
      ...request
    }: NextStep & { readonly code: string }): Promise<SignInStep> {
      const account = ensureTicket(ticket, "second_factor");
      await secondFactor.check(account, code, { isKnown: passwords.isKnown(account, request) });
      repository.deleteTicket(sha256(ticket));
      return proceed(account, request);
    },
    /** Returns the email of the sign-in to which a ticket of the second page belongs. */
    emailOf(ticket: string): string | undefined {
      const found = repository.findTicket(sha256(ticket), "second_factor", now());
      return found && repository.findAccountById(found.accountId)?.email;
    },
    async setNewPassword({
      ticket,
      password,
      ...request
    }: NextStep & { readonly password: string }): Promise<SignInStep> {
      const changed = await replacePassword(ensureTicket(ticket, "new_password"), password);
      return proceed(changed, request);
    },
    /** Runs all steps of a sign-in, for scripts. @throws DomainError `forbidden` that names the missing step */
    async signIn({
      otp,
      newPassword,
      ...request
    }: SignIn & { readonly otp?: string; readonly newPassword?: string }): Promise<{ code: string }> {
      let account = await checkPassword(request);
      if (secondFactor.isOn(account)) {
        if (otp === undefined) throw forbidden("sign_in.second_factor");
        await secondFactor.check(account, otp, { isKnown: passwords.isKnown(account, request) });
      }
      if (account.mustChangePassword) {
        if (newPassword === undefined) throw forbidden("sign_in.new_password");
        account = await replacePassword(account, newPassword);
      }
      passwords.remember(account, request);
      return { code: issueCodeOf(account, request) };
    },
    /** Returns the email address of a code. @throws DomainError `invalid` for an invalid or expired code */
    redeem(code: string, codeVerifier: string | undefined): { email: string } {
      const taken = repository.takeCode(sha256(code), now());
      const challenge =
        codeVerifier === undefined
          ? null
          : Buffer.from(new Bun.CryptoHasher("sha256").update(codeVerifier).digest()).toString("base64url");
      // A verifier for a code without a challenge belongs to another request: somebody has put the code in its place (RFC 9700, 4.8.2).
      if (taken === undefined || taken.codeChallenge !== challenge) throw invalid("auth.code_invalid");
      return { email: taken.email };
    },
  };
}

export type SignInFlow = ReturnType<typeof createSignInFlow>;
