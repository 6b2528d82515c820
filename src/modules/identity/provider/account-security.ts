import { conflict, DomainError, invalid, notFound } from "../../../lib/core/domain-error.ts";
import { normalizeEmail } from "../../../lib/strings/normalize-email.ts";
import { randomToken, sha256 } from "../../../platform/core/ids.ts";
import { ensurePasswordStrong, type PasswordHasher } from "./password.ts";
import type { PasswordCheck } from "./password-check.ts";
import type { Account, ProviderRepository } from "./provider.repository.ts";
import type { NewSecondFactor, SecondFactor } from "./second-factor.ts";
import { samePassword } from "./sign-in.ts";

export const RESET_LIFETIME_MINUTES = 30;
const RESET_LIFETIME_MS = RESET_LIFETIME_MINUTES * 60_000;
/** Lifetime of the link that confirms a new address, in minutes. */
export const EMAIL_LIFETIME_MINUTES = 60;

export interface SecurityStatus {
  /** `false` for users of an external provider, who sign in there. */
  readonly hasPassword: boolean;
  readonly hasSecondFactor: boolean;
  readonly recoveryCodesLeft: number;
}

const wrongPassword = (field: string) => invalid("password.wrong", { field });
const noSecondFactor = () => conflict("second_factor.off");

/** Creates one-time links for mails. Only the hash of a link's secret is stored. */
function createAccountLinks({
  repository,
  now,
}: {
  repository: Pick<ProviderRepository, "findTicket" | "findAccountById" | "deleteExpired" | "insertTicket">;
  now: () => number;
}) {
  return {
    /** @throws DomainError `reset.invalid` or `email_change.invalid` for a used, expired or unknown link */
    ensure(secret: string, purpose: "reset" | "email"): Account {
      const ticket = repository.findTicket(sha256(secret), purpose, now());
      const account = ticket && repository.findAccountById(ticket.accountId);
      if (account !== undefined) return account;
      throw notFound(purpose === "reset" ? "reset.invalid" : "email_change.invalid");
    },
    /** Returns the secret of a new link. */
    create({ accountId }: Account, purpose: "reset" | "email", lifetimeMs: number): string {
      const secret = randomToken(24);
      repository.deleteExpired(now());
      const expiresAt = now() + lifetimeMs;
      repository.insertTicket({ secretHash: sha256(secret), accountId, purpose, expiresAt });
      return secret;
    },
  };
}

/** Refuses a wrong code with 400, because a 401 would end the valid session. */
async function ensureCode(secondFactor: SecondFactor, account: Account, code: string): Promise<void> {
  try {
    await secondFactor.check(account, code, { isKnown: true });
  } catch (error) {
    const isWrong = error instanceof DomainError && error.code === "second_factor.wrong";
    throw isWrong ? invalid("second_factor.code_wrong") : error;
  }
}

/** Creates the service for users' own accounts. Every change that weakens an account requires the password. */
export function createAccountSecurity(deps: {
  repository: ProviderRepository;
  passwords: PasswordCheck;
  hasher: PasswordHasher;
  secondFactor: SecondFactor;
  onPasswordChanged: (email: string) => void;
  /** Returns monotonic epoch ms. */
  now: () => number;
}) {
  const { repository, passwords, hasher, secondFactor, now } = deps;
  const find = (email: string) => repository.findAccount(normalizeEmail(email));

  function ensureAccount(email: string): Account {
    const account = find(email);
    if (account === undefined) throw conflict("account.external");
    return account;
  }

  async function ensureOwn(email: string, password: string, field = "password"): Promise<Account> {
    const account = ensureAccount(email);
    if (!(await passwords.checkOwn(account, password))) throw wrongPassword(field);
    return account;
  }

  /** Sets a password. `check` runs after hashing, which takes a while, and may throw. */
  async function setPassword(account: Account, password: string, check?: () => void): Promise<void> {
    const passwordHash = await hasher.hash(password);
    check?.();
    if (repository.findAccountById(account.accountId)?.passwordHash !== account.passwordHash)
      throw conflict("password.changed");
    repository.updateAccount(account.accountId, { passwordHash, mustChangePassword: false }, now());
    repository.deletePending(account.email);
  }

  const links = createAccountLinks({ repository, now });
  return {
    statusOf(email: string): SecurityStatus {
      const account = find(email);
      if (account === undefined) return { hasPassword: false, hasSecondFactor: false, recoveryCodesLeft: 0 };
      return {
        hasPassword: true,
        hasSecondFactor: secondFactor.isOn(account),
        recoveryCodesLeft: secondFactor.countRecoveryCodes(account),
      };
    },
    /**
     * Changes the password without ending sessions, which is the caller's task. @throws DomainError `password.wrong`, `password.same`,
     * `password.weak` or `limited`
     */
    async changePassword(email: string, current: string, password: string): Promise<void> {
      ensurePasswordStrong(password, email);
      const account = await ensureOwn(email, current, "currentPassword");
      if (password === current) throw samePassword();
      await setPassword(account, password);
    },
    /** Returns the secret of a link by mail; undefined if there is no account. */
    createResetSecret(email: string): string | undefined {
      const account = find(email);
      return account && links.create(account, "reset", RESET_LIFETIME_MS);
    },
    /**
     * Returns the secret of a link to a new address, after checking the password and, if it is on, the second factor.
     * @throws DomainError `password.wrong`, `second_factor.code_wrong`, `account.external` or `limited`
     */
    async createEmailSecret(email: string, proof: { password: string; code: string }): Promise<string> {
      const account = await ensureOwn(email, proof.password);
      if (secondFactor.isOn(account)) await ensureCode(secondFactor, account, proof.code);
      return links.create(account, "email", EMAIL_LIFETIME_MINUTES * 60_000);
    },
    /** Returns the current address. @throws DomainError `email_change.invalid` for a used, expired or unknown link */
    readEmailSecret: (secret: string): string => links.ensure(secret, "email").email,
    isResetSecret: (secret: string): boolean =>
      repository.findTicket(sha256(secret), "reset", now()) !== undefined,
    /** @throws DomainError `reset.invalid` for a used, expired or unknown link */
    async resetPassword(secret: string, password: string): Promise<{ email: string }> {
      const account = links.ensure(secret, "reset");
      ensurePasswordStrong(password, account.email);
      await setPassword(account, password, () => links.ensure(secret, "reset")); // it may have been used, or ended, meanwhile
      repository.forgetClients(account.accountId); // clients that used the old password are no longer trusted
      deps.onPasswordChanged(account.email);
      return { email: account.email };
    },
    async beginSecondFactor(email: string, password: string): Promise<NewSecondFactor> {
      const account = await ensureOwn(email, password);
      if (secondFactor.isOn(account)) throw conflict("second_factor.on");
      return secondFactor.begin(account, "Lineside");
    },
    /** Returns the recovery codes, which are shown only once. */
    async confirmSecondFactor(email: string, code: string): Promise<string[]> {
      const account = ensureAccount(email);
      if (secondFactor.isOn(account)) throw conflict("second_factor.on");
      try {
        return await secondFactor.confirm(account, code);
      } catch (error) {
        const isWrong = error instanceof DomainError && error.code === "second_factor.wrong";
        throw isWrong ? invalid("second_factor.code_wrong") : error;
      }
    },
    async endSecondFactor(email: string, password: string): Promise<void> {
      const account = await ensureOwn(email, password);
      if (!secondFactor.isOn(account)) throw noSecondFactor();
      secondFactor.turnOff(account);
    },
    async renewRecoveryCodes(email: string, password: string): Promise<string[]> {
      const account = await ensureOwn(email, password);
      if (!secondFactor.isOn(account)) throw noSecondFactor();
      return secondFactor.renewRecoveryCodes(account);
    },
  };
}

export type AccountSecurity = ReturnType<typeof createAccountSecurity>;
