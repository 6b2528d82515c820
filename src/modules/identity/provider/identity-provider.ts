import { DomainError, invalid } from "../../../lib/domain-error.ts";
import { newId, randomToken, sha256 } from "../../../platform/ids.ts";
import { ensurePasswordStrong, hashPassword, verifyPassword } from "./password.ts";
import type { ProviderRepository } from "./provider.repository.ts";

const CODE_LIFE_MS = 60_000;
const FAILURE_WINDOW_MS = 15 * 60_000;
/** Failures in a window after which a subject is refused without looking at the password. */
const FAILURES_MAX = { pair: 10, address: 50, account: 25 } as const;

export interface SignIn {
  readonly email: string;
  readonly password: string;
  readonly address: string;
  readonly redirectUri?: string | undefined;
  readonly codeChallenge?: string | undefined;
}

/** The embedded identity provider (authorization-code flow with PKCE, RFC 7636 S256): accounts with passwords, and codes. */
export interface IdentityProvider {
  saveAccount(email: string, password: string): Promise<void>;
  /** Makes the account where there is none; must be changed at the first sign-in. */
  setTemporaryPassword(email: string, password: string): Promise<void>;
  /** Does nothing where there is no account. An account that has the new address already belongs to nobody (any more) and goes. */
  rename(email: string, newEmail: string): void;
  delete(email: string): void;
  hasAccount(email: string): boolean;
  /** A single-use code; throws `unauthenticated` for a wrong pair and `limited` after too many. */
  signIn(request: SignIn): Promise<{ code: string }>;
  /** The e-mail behind a code; throws `invalid` for any code that is not (or no longer) good. */
  redeem(code: string, codeVerifier: string | undefined): { email: string };
  ready(): Promise<void>;
}

export function createIdentityProvider(deps: {
  repository: ProviderRepository;
  /** Steady epoch ms: setting the clock neither ends a lock-out nor makes one last. */
  now: () => number;
}): IdentityProvider {
  const { repository, now } = deps;
  const normalize = (email: string) => email.trim().toLowerCase();
  /** Verified in place of a missing account's hash, so that both take the same time. */
  let decoy: Promise<string> | undefined;

  function subjects(email: string, address: string) {
    return [
      { subject: `pair:${email}|${address}`, max: FAILURES_MAX.pair },
      { subject: `address:${address}`, max: FAILURES_MAX.address },
      { subject: `account:${email}`, max: FAILURES_MAX.account },
    ];
  }

  const currentWindow = () => ({ after: now() - FAILURE_WINDOW_MS, now: now() });

  function ensureNotThrottled(email: string, address: string): void {
    const window = currentWindow();
    if (subjects(email, address).some(({ subject, max }) => repository.countFailures(subject, window) >= max))
      throw new DomainError(
        "limited",
        "sign_in.throttled",
        "Too many failed sign-ins; try again in a while.",
        {
          retryAfterSeconds: FAILURE_WINDOW_MS / 1000,
        },
      );
  }

  async function save(email: string, password: string, mustChangePassword: boolean): Promise<void> {
    const passwordHash = await hashPassword(password);
    const account = { accountId: newId<string>(), email: normalize(email), passwordHash, mustChangePassword };
    repository.saveAccount(account, now());
  }

  return {
    async saveAccount(email, password) {
      ensurePasswordStrong(password);
      await save(email, password, false);
    },
    setTemporaryPassword: (email, password) => save(email, password, true),
    rename(given, newEmail) {
      const [email, target] = [normalize(given), normalize(newEmail)];
      if (email === target || repository.findAccount(email) === undefined) return;
      repository.deleteAccount(target);
      repository.renameAccount(email, target, now());
    },
    delete: (email) => repository.deleteAccount(normalize(email)),
    hasAccount: (email) => repository.findAccount(normalize(email)) !== undefined,
    async signIn({ email: given, password, address, redirectUri, codeChallenge }) {
      const email = normalize(given);
      ensureNotThrottled(email, address);
      // Counted before the slow check, so that parallel guesses cannot slip under the limit; cleared on success.
      const window = currentWindow();
      for (const { subject } of subjects(email, address)) repository.addFailure(subject, window);
      const account = repository.findAccount(email);
      decoy ??= hashPassword(randomToken(18));
      const forgive = () => {
        for (const { subject } of subjects(email, address)) repository.forgiveFailure(subject);
      };
      const matches = await verifyPassword(password, account?.passwordHash ?? (await decoy)).catch(
        (error) => {
          forgive(); // nothing was compared
          throw error;
        },
      );
      if (account === undefined || !matches)
        throw new DomainError("unauthenticated", "sign_in.wrong", "E-mail or password is wrong.");
      forgive();
      repository.clearFailures(`pair:${email}|${address}`);
      const code = randomToken(32);
      repository.insertCode({
        codeHash: sha256(code),
        accountId: account.accountId,
        redirectUri: redirectUri ?? null,
        codeChallenge: codeChallenge ?? null,
        expiresAt: now() + CODE_LIFE_MS,
      });
      repository.deleteExpired(now(), now() - FAILURE_WINDOW_MS);
      return { code };
    },
    redeem(code, codeVerifier) {
      const taken = repository.takeCode(sha256(code), now());
      const challenge =
        codeVerifier === undefined
          ? null
          : Buffer.from(new Bun.CryptoHasher("sha256").update(codeVerifier).digest()).toString("base64url");
      if (taken === undefined || (taken.codeChallenge !== null && taken.codeChallenge !== challenge))
        throw invalid("auth.code_invalid", "code is unknown, used or expired");
      return { email: taken.email };
    },
    async ready() {
      decoy ??= hashPassword(randomToken(18));
      await decoy;
    },
  };
}
