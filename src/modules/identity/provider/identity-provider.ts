import { normalizeEmail } from "../../../lib/strings/normalize-email.ts";
import { newId } from "../../../platform/core/ids.ts";
import { type AccountSecurity, createAccountSecurity } from "./account-security.ts";
import { createPasswordHasher, ensurePasswordStrong, type PasswordHasher } from "./password.ts";
import { createPasswordCheck } from "./password-check.ts";
import type { ProviderRepository } from "./provider.repository.ts";
import { createSecondFactor } from "./second-factor.ts";
import { createSignInFlow, type SignInFlow } from "./sign-in.ts";
import type { Throttle } from "./throttle.ts";

/** Time for which a password is kept; longer than an unconfirmed code can be resent. */
const KEPT_MS = 25 * 3_600_000;

/**
 * Creates the store of passwords whose addresses are not confirmed yet. Only hashes are stored, separately from accounts: they grant no access until
 * the address is confirmed. Addresses are in lower case.
 */
function createSignUpPasswords(deps: {
  repository: ProviderRepository;
  hasher: PasswordHasher;
  saveAccount: (email: string, passwordHash: string) => void;
  /** Returns monotonic epoch ms. */
  now: () => number;
}) {
  const { repository, hasher, now } = deps;
  return {
    /**
     * Computes the hash, and resolves to a function that stores it in place of an earlier one. @throws DomainError `password.…` for a weak password
     */
    async prepare(email: string, password: string): Promise<() => void> {
      ensurePasswordStrong(password, email);
      const passwordHash = await hasher.hash(password, "stranger");
      return () => repository.saveSignUpPassword({ email, passwordHash, keptUntil: now() + KEPT_MS }, now());
    },
    /** Returns a function that creates the account with the password; `undefined` unless it matches the stored one. */
    async confirm(email: string, password: string): Promise<(() => void) | undefined> {
      const passwordHash = repository.findSignUpPassword(email, now());
      if (passwordHash === undefined) return undefined;
      if (!(await hasher.verify(password, passwordHash, "stranger"))) return undefined;
      return () => deps.saveAccount(email, passwordHash);
    },
    /** Extends the time for which the password is kept, because the code was resent. */
    keep: (email: string): void => repository.keepSignUpPassword(email, now() + KEPT_MS),
    forget: (email: string): void => repository.deleteSignUpPassword(email),
  };
}

type SignUpPasswords = ReturnType<typeof createSignUpPasswords>;

/** Embedded identity provider: accounts with passwords and second factors, and their sign-in up to a code. */
export interface IdentityProvider extends SignInFlow, AccountSecurity {
  /** Creates the account, or sets the password of the existing one. @throws DomainError `password.…` for a weak password */
  saveAccount(email: string, password: string): Promise<void>;
  readonly signUpPasswords: SignUpPasswords;
  /** Sets a password that must be changed at the first sign-in, and creates a missing account. A second factor is removed, because its owner may have lost it. */
  setTemporaryPassword(email: string, password: string): Promise<void>;
  /** Computes the hash, the slow part of `setTemporaryPassword`; resolves to a function that does the rest immediately. */
  prepareTemporaryPassword(email: string, password: string): Promise<() => void>;
  /** Ends pending sign-ins and mail links of an address, which must be restarted. */
  endPending(email: string): void;
  hasAccount(email: string): boolean;
  /** Renames an account, if there is one. An account that already has the new address no longer belongs to a user, and is deleted. */
  rename(email: string, newEmail: string): void;
  delete(email: string): void;
}

export function createIdentityProvider(deps: {
  repository: ProviderRepository;
  throttle: Throttle;
  hasher?: PasswordHasher | undefined;
  /** Called when a password was changed without a session, so that sessions started with the old one are ended. */
  onPasswordChanged: (email: string) => void;
  /** Returns monotonic epoch ms, so that setting the clock neither ends nor prolongs a lock-out. */
  now: () => number;
  /** Returns epoch ms of the wall clock. */
  wallNow: () => number;
}): IdentityProvider {
  const { repository, now, hasher = createPasswordHasher() } = deps;
  const passwords = createPasswordCheck({ ...deps, hasher });
  const secondFactor = createSecondFactor(deps);

  function save(email: string, passwordHash: string, mustChangePassword: boolean): void {
    repository.savePassword(newId(), { email, passwordHash, mustChangePassword }, now());
    repository.deletePending(email);
  }

  async function prepare(text: string, password: string, mustChangePassword: boolean): Promise<() => void> {
    const passwordHash = await hasher.hash(password);
    const email = normalizeEmail(text);
    return () => {
      save(email, passwordHash, mustChangePassword);
      const account = repository.findAccount(email);
      if (account === undefined || !mustChangePassword) return;
      secondFactor.turnOff(account);
      repository.forgetClients(account.accountId); // clients that used the old password are no longer trusted
    };
  }

  return {
    ...createSignInFlow({ ...deps, passwords, hasher, secondFactor }),
    ...createAccountSecurity({ ...deps, passwords, hasher, secondFactor }),
    signUpPasswords: createSignUpPasswords({
      repository,
      hasher,
      saveAccount: (email, passwordHash) => save(email, passwordHash, false),
      now,
    }),
    async saveAccount(email, password) {
      ensurePasswordStrong(password, email);
      (await prepare(email, password, false))();
    },
    prepareTemporaryPassword: (email, password) => prepare(email, password, true),
    async setTemporaryPassword(email, password) {
      (await prepare(email, password, true))();
    },
    hasAccount: (email) => repository.findAccount(normalizeEmail(email)) !== undefined,
    rename(text, newEmail) {
      const [email, target] = [normalizeEmail(text), normalizeEmail(newEmail)];
      if (email === target) return;
      for (const address of [email, target]) repository.deletePending(address); // pending links to either address become invalid
      if (repository.findAccount(email) === undefined) return;
      repository.deleteAccount(target);
      repository.renameAccount(email, target, now());
    },
    endPending: (email) => repository.deletePending(normalizeEmail(email)),
    delete(text) {
      const email = normalizeEmail(text);
      repository.deletePending(email);
      repository.deleteAccount(email);
    },
  };
}
