import { unauthenticated } from "../../../lib/core/domain-error.ts";
import { sha256 } from "../../../platform/core/ids.ts";
import { tooMany } from "./password-check.ts";
import type { Account, ProviderRepository } from "./provider.repository.ts";
import type { Throttle } from "./throttle.ts";

const STEP_MS = 30_000;
const RECOVERY_CODES = 10;
/** Characters of recovery codes, without similar-looking ones, because the codes are printed and typed. */
const ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789";
const GROUPS = 4;
const GROUP_LENGTH = 5;
/**
 * Limits of wrong codes. Three codes of a million are valid at any time: at 5 per hour, an attacker with the password needs 8 years on average.
 * Attempts from elsewhere only use up the share of unknown clients, so the owner can still sign in from known ones.
 */
const BUDGETS = {
  stranger: { burst: 10, perHour: 3, kind: "second_factor" },
  known: { burst: 5, perHour: 2, kind: "second_factor_known" },
} as const;

/** Secret for an authenticator app, also as a URI and as its QR code. */
export interface NewSecondFactor {
  readonly secret: string;
  readonly uri: string;
  readonly qrSvg: string;
}

export const wrongCode = () => unauthenticated("second_factor.wrong");

/** Returns 20 random characters from an alphabet of 31, about 99 bits: `k7mf9-2qxtd-h4w3r-abcde`. */
function createRecoveryCode(): string {
  const group = () => {
    let text = "";
    while (text.length < GROUP_LENGTH) {
      const [byte = 255] = crypto.getRandomValues(new Uint8Array(1));
      text += ALPHABET[byte & 31] ?? ""; // the 32nd is drawn again, so that all are equally likely
    }
    return text;
  };
  return Array.from({ length: GROUPS }, group).join("-");
}

const hashOf = (recoveryCode: string): string => sha256(recoveryCode.toLowerCase().replace(/[^a-z0-9]/g, ""));

/** Creates the second factor: codes of an authenticator app (TOTP, RFC 6238), and recovery codes for a lost app. */
export function createSecondFactor(deps: {
  repository: ProviderRepository;
  throttle: Throttle;
  /** Returns monotonic epoch ms. */
  now: () => number;
  /** Returns epoch ms of the wall clock, which the app's codes follow. */
  wallNow: () => number;
}) {
  const { repository, throttle, now, wallNow } = deps;

  /** Returns the time step of a code (previous, current or next); undefined for a wrong code. */
  async function stepOf(secret: string, code: string): Promise<number | undefined> {
    const { Secret, TOTP } = await import("otpauth");
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    const delta = totp.validate({ token: code, timestamp: wallNow(), window: 1 });
    return delta === null ? undefined : Math.floor(wallNow() / STEP_MS) + delta;
  }

  function isUsed(step: number, lastStep: number): boolean {
    // A last step later than any possible code was stored while the clock was wrong.
    const newest = Math.floor(wallNow() / STEP_MS) + 1;
    return step <= lastStep && lastStep <= newest;
  }

  async function takeAppCode(accountId: string, code: string): Promise<boolean> {
    const secret = repository.findAccountById(accountId)?.totpSecret;
    if (secret === undefined || secret === null) return false;
    const step = await stepOf(secret, code);
    const current = repository.findAccountById(accountId); // read again, because simultaneous requests may use the same code
    if (step === undefined || current?.totpSecret !== secret || isUsed(step, current.totpLastStep))
      return false;
    repository.updateAccount(accountId, { totpLastStep: step }, now());
    return true;
  }

  function renewRecoveryCodes({ accountId }: Account): string[] {
    const codes = Array.from({ length: RECOVERY_CODES }, createRecoveryCode);
    repository.replaceRecoveryCodes(accountId, codes.map(hashOf));
    return codes;
  }

  return {
    isOn: ({ totpSecret }: Account): boolean => totpSecret !== null,
    /** Accepts a code of the app or a recovery code, each once. @throws DomainError `second_factor.wrong` or `limited` */
    async check(
      { accountId, email }: Account,
      text: string,
      { isKnown }: { readonly isKnown: boolean },
    ): Promise<void> {
      const allowance = { ...BUDGETS[isKnown ? "known" : "stranger"], who: email };
      const refused = throttle.take([allowance]);
      if (refused !== undefined) throw tooMany(refused.waitMs);
      const code = text.replace(/\s/g, "");
      const isGood = /^\d{6}$/.test(code)
        ? await takeAppCode(accountId, code)
        : repository.takeRecoveryCode(accountId, hashOf(code));
      if (!isGood) throw wrongCode();
      throttle.giveBack([allowance]);
    },
    /** Creates a new secret, which takes effect once `confirm` has received a code of it. */
    async begin({ accountId, email }: Account, issuer: string): Promise<NewSecondFactor> {
      const { Secret, TOTP } = await import("otpauth");
      const secret = new Secret({ size: 20 });
      repository.updateAccount(accountId, { totpPendingSecret: secret.base32 }, now());
      const uri = new TOTP({ secret, issuer, label: email }).toString();
      const { renderSVG } = await import("uqr");
      return { secret: secret.base32, uri, qrSvg: renderSVG(uri, { border: 2 }) };
    },
    /** Turns the second factor on and returns the recovery codes, which cannot be read again. */
    async confirm(account: Account, code: string): Promise<string[]> {
      const pending = repository.findAccountById(account.accountId)?.totpPendingSecret ?? null;
      const step = pending === null ? undefined : await stepOf(pending, code.replace(/\s/g, ""));
      if (step === undefined) throw wrongCode();
      const change = { totpSecret: pending, totpPendingSecret: null, totpLastStep: step };
      repository.updateAccount(account.accountId, change, now());
      return renewRecoveryCodes(account);
    },
    turnOff({ accountId }: Account): void {
      repository.updateAccount(accountId, { totpSecret: null, totpPendingSecret: null }, now());
      repository.replaceRecoveryCodes(accountId, []);
    },
    renewRecoveryCodes,
    countRecoveryCodes: ({ accountId }: Account): number => repository.countRecoveryCodes(accountId),
  };
}

export type SecondFactor = ReturnType<typeof createSecondFactor>;
