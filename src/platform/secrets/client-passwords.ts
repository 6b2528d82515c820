import { timingSafeEqual } from "node:crypto";
import { randomToken } from "../core/ids.ts";
import { Lanes } from "../load/lanes.ts";
import type { Clock } from "../time/clock.ts";
import { evictOldest, GuessBudgets } from "./guess-budget.ts";

/** Bytes of a generated password: 144 random bits need no slow hash, and verification takes a microsecond. */
const GENERATED_BYTES = 18;
const GENERATED = "sha256:";
/** Parameters of argon2id by OWASP for little memory: a gateway has 100 MB, and hundreds of devices may reconnect simultaneously. */
const ARGON2 = { algorithm: "argon2id", memoryCost: 7_168, timeCost: 5 } as const;
/** Max. simultaneous hashes. Further sign-ins wait, without delaying other work. */
const CONCURRENT_MAX = 2;
/** Max. sign-ins that wait for a hash. Connections have their own limit; this one bounds the memory. */
const WAITING_MAX = 20_000;
const HASHES = "hashes";
/** Max. wrong passwords remembered per client: a misconfigured client repeats itself. */
const WRONG_MAX = 8;
/** Max. other credentials with the same name whose passwords are remembered as wrong. */
const DIFFERING_MAX = 1_000;
const HASHES_MAX = 200_000;

export type Verdict = "right" | "wrong" | "later";

export interface SignInAttempt {
  /** Id of the device or MQTT client with this password. */
  readonly credentialId: string;
  readonly passwordHash: string;
  readonly password: Uint8Array;
  readonly address: string;
  /** Id of another device or MQTT client for which the password is correct, so this attempt is not a guess. */
  readonly provenBy?: string | undefined;
  /** If false, the verdict is `later` instead of a wait while too many passwords are tried. */
  readonly canWait: boolean;
  /** Returns whether the client has disconnected. */
  isGone(): boolean;
}

type KnownAttempt = Pick<SignInAttempt, "passwordHash" | "password">;

/** Correct and wrong passwords of one hash, as keyed digests that are valid only in this process. */
interface Learned {
  right: string | undefined;
  readonly wrong: Set<string>;
  /** Credential with a different password → digest of that password. Guesses do not evict entries. */
  readonly differing: Map<string, string>;
}

/** Returns whether the gateway generated the password of a hash, so that nobody can guess it. */
export const isOfGeneratedPassword = (passwordHash: string): boolean => passwordHash.startsWith(GENERATED);

const sha256 = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Returns the verdict on a password that was checked before. */
function knownVerdict(
  { right, wrong, differing }: Learned,
  digest: string,
  provenBy: string | undefined,
): Verdict | undefined {
  if (right !== undefined && isSame(right, digest)) return "right";
  const isWrong = wrong.has(digest) || (provenBy !== undefined && differing.get(provenBy) === digest);
  return isWrong ? "wrong" : undefined;
}

function rememberWrong({ wrong, differing }: Learned, digest: string, provenBy: string | undefined): void {
  if (provenBy !== undefined) {
    evictOldest(differing, DIFFERING_MAX);
    differing.set(provenBy, digest);
    return;
  }
  if (wrong.size >= WRONG_MAX) wrong.delete(wrong.values().next().value ?? "");
  wrong.add(digest);
}

/**
 * Passwords of MQTT clients, including devices. Generated passwords are stored as SHA-256, chosen ones as argon2id. That hash is computed once;
 * afterwards, a returning client is recognized by a keyed digest of its password. Guesses are slowed down by address and credential, and only if a
 * hash must be computed, so that the client itself always gets in.
 */
export function createClientPasswords({ clock }: { clock: Pick<Clock, "monotonic" | "schedule"> }) {
  const key = crypto.getRandomValues(new Uint8Array(32));
  /** Keyed by hash: an attempt that waited during a change of the password finds the old hash, and does not affect the new one. */
  const learned = new Map<string, Learned>();
  const guesses = new GuessBudgets(clock);
  const lanes = new Lanes(CONCURRENT_MAX);

  function learnedOf({ passwordHash }: Pick<SignInAttempt, "passwordHash">): Learned {
    const before = learned.get(passwordHash);
    if (before !== undefined) return before;
    evictOldest(learned, HASHES_MAX);
    const fresh = { right: undefined, wrong: new Set<string>(), differing: new Map() };
    learned.set(passwordHash, fresh);
    return fresh;
  }

  const digestOf = (password: Uint8Array): string =>
    new Bun.CryptoHasher("sha256", key).update(password).digest("hex");

  async function compute(attempt: SignInAttempt, digest: string): Promise<Verdict> {
    const of = learnedOf(attempt);
    return lanes.run(HASHES, async () => {
      if (attempt.isGone()) return "later";
      if (of.right === digest) return "right"; // learned while this one waited
      const isRight = await Bun.password.verify(attempt.password, attempt.passwordHash);
      if (isRight) {
        of.right = digest;
        guesses.forget(attempt);
        return "right";
      }
      rememberWrong(of, digest, attempt.provenBy);
      return "wrong";
    });
  }

  /** Computes the hash once the budget allows it. */
  async function computeLater(
    attempt: SignInAttempt,
    digest: string,
    turn: Promise<boolean>,
  ): Promise<Verdict> {
    if (!(await turn)) return "later";
    return knownVerdict(learnedOf(attempt), digest, attempt.provenBy) ?? compute(attempt, digest);
  }

  function verifyCustom(attempt: SignInAttempt): Verdict | Promise<Verdict> {
    const { password } = attempt;
    if (password.length === 0 || password.length > 1024) return "wrong";
    const digest = digestOf(password);
    const verdict = knownVerdict(learnedOf(attempt), digest, attempt.provenBy);
    if (verdict !== undefined) return verdict;
    if (attempt.provenBy !== undefined) return compute(attempt, digest);
    if (lanes.waiting(HASHES) >= WAITING_MAX) return "later";
    const turn = guesses.take(attempt);
    if (typeof turn === "boolean") return turn ? compute(attempt, digest) : "later";
    return computeLater(attempt, digest, turn);
  }

  return {
    generate(): { password: string; passwordHash: string } {
      const password = randomToken(GENERATED_BYTES);
      return { password, passwordHash: GENERATED + sha256(Buffer.from(password)) };
    },
    /** Returns whether the password was verified as correct since startup. */
    isKnown({ passwordHash, password }: KnownAttempt): boolean {
      const right = learned.get(passwordHash)?.right;
      return right !== undefined && isSame(right, digestOf(password));
    },
    hash: (password: string): Promise<string> => lanes.run(HASHES, () => Bun.password.hash(password, ARGON2)),
    verify(attempt: SignInAttempt): Verdict | Promise<Verdict> {
      const { passwordHash, password } = attempt;
      if (isOfGeneratedPassword(passwordHash))
        return isSame(passwordHash, GENERATED + sha256(password)) ? "right" : "wrong";
      return verifyCustom(attempt);
    },
  };
}

export type ClientPasswords = ReturnType<typeof createClientPasswords>;
