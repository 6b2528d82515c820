import { ensurePasswordStrong, type PasswordHasher } from "./password.ts";
import type { ProviderRepository } from "./provider.repository.ts";

/** Time for which a password is kept, longer than an unconfirmed code can be sent again. */
const KEPT_MS = 25 * 3_600_000;

/**
 * Passwords of people whose address is not confirmed yet. Only the hash is kept, beside the accounts and not in them: it opens
 * nothing until the address is confirmed. Addresses are in lower case.
 */
export function createSignUpPasswords(deps: {
  repository: ProviderRepository;
  hasher: PasswordHasher;
  saveAccount: (email: string, passwordHash: string) => void;
  /** Steady epoch ms. */
  now: () => number;
}) {
  const { repository, hasher, now } = deps;
  return {
    /** Computes the hash; the function that it resolves to keeps it, in place of an earlier one. @throws DomainError `password.…` for a weak password. */
    async prepare(email: string, password: string): Promise<() => void> {
      ensurePasswordStrong(password, email);
      const passwordHash = await hasher.hash(password, "stranger");
      return () => repository.saveSignUpPassword({ email, passwordHash, keptUntil: now() + KEPT_MS }, now());
    },
    /** Returns `undefined` unless the password is the one kept for the address; else a function that makes the account with it. */
    async confirm(email: string, password: string): Promise<(() => void) | undefined> {
      const passwordHash = repository.findSignUpPassword(email, now());
      if (passwordHash === undefined) return undefined;
      if (!(await hasher.verify(password, passwordHash, "stranger"))) return undefined;
      return () => deps.saveAccount(email, passwordHash);
    },
    /** The code is sent again: the password is needed for as long as that one can be. */
    keep: (email: string): void => repository.keepSignUpPassword(email, now() + KEPT_MS),
    forget: (email: string): void => repository.deleteSignUpPassword(email),
  };
}

export type SignUpPasswords = ReturnType<typeof createSignUpPasswords>;
