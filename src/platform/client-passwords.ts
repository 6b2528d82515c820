import { timingSafeEqual } from "node:crypto";
import { addressGroup } from "../lib/network-address.ts";
import { RateMeter } from "../lib/rate-meter.ts";
import type { Clock } from "./clock.ts";
import { randomToken } from "./ids.ts";

/** 18 random bytes: 144 bits need no slow hash, and verifying one costs a microsecond. */
const GENERATED_BYTES = 18;
const GENERATED = "sha256:";
/** OWASP's choice for argon2id with little memory: a gateway has hundreds of devices that come back at once, and 100 MB. */
const ARGON2 = { algorithm: "argon2id", memoryCost: 7_168, timeCost: 5 } as const;
/** Hashes computed at once; others wait, and nobody else is held up by them. */
const CONCURRENT_MAX = 2;
/** Sign-ins that may wait for a hash: their connections are bounded, this bounds their memory. */
const WAITING_MAX = 20_000;
/** New guesses at one password from one address: so many at once, then one a second. */
const GUESSES_AT_ONCE = 5;
const ADDRESSES_MAX = 10_000;
/** Passwords known to be wrong, of one client: a client that was set up badly repeats itself. */
const WRONG_MAX = 8;
const CREDENTIALS_MAX = 200_000;

export type Verdict = "right" | "wrong" | "later";

export interface SignInAttempt {
  /** Id of the device or MQTT client whose password it is. */
  readonly credentialId: string;
  readonly passwordHash: string;
  readonly password: Uint8Array;
  readonly address: string;
  /** The client has gone: nobody waits for the answer. */
  isGone(): boolean;
}

/** Describes what was learned of the password behind one hash: keyed digests, good only in this process. */
interface Learned {
  readonly passwordHash: string;
  right: string | undefined;
  readonly wrong: Set<string>;
}

/** Returns whether the gateway generated the password behind a hash, so that nobody can guess it. */
export const isOfGeneratedPassword = (passwordHash: string): boolean => passwordHash.startsWith(GENERATED);

const sha256 = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Keeps a map from growing without end: what was added first goes first. */
function evictOldest(map: Map<string, unknown>, max: number): void {
  if (map.size < max) return;
  const oldest = map.keys().next().value;
  if (oldest !== undefined) map.delete(oldest);
}

/**
 * Passwords of MQTT clients, devices among them. Generated ones are kept as SHA-256; those that people chose as argon2id, which is computed once: after that a
 * client that comes back is known by a keyed digest of what it sent. Who guesses is slowed down by address and credential, and only
 * where a hash would have to be computed, so that the client itself always gets in.
 */
export function createClientPasswords({ clock }: { clock: Pick<Clock, "monotonic"> }) {
  const key = crypto.getRandomValues(new Uint8Array(32));
  const learned = new Map<string, Learned>();
  /** Guesses by address and credential. */
  const guesses = new Map<string, RateMeter>();
  const waiting: Array<() => void> = [];
  let running = 0;

  function learnedOf({ credentialId, passwordHash }: SignInAttempt): Learned {
    const existingLearned = learned.get(credentialId);
    if (existingLearned?.passwordHash === passwordHash) return existingLearned;
    evictOldest(learned, CREDENTIALS_MAX);
    const fresh = { passwordHash, right: undefined, wrong: new Set<string>() };
    learned.set(credentialId, fresh);
    return fresh;
  }

  function mayGuess({ address, credentialId }: SignInAttempt): boolean {
    const name = `${addressGroup(address)} ${credentialId}`;
    let meter = guesses.get(name);
    if (meter === undefined) {
      evictOldest(guesses, ADDRESSES_MAX);
      meter = new RateMeter();
      meter.perSecond = 1;
      meter.burst = GUESSES_AT_ONCE;
      guesses.set(name, meter);
    }
    return meter.take(clock.monotonic()) === 0;
  }

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running < CONCURRENT_MAX) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve)); // whoever ends hands its place over
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  }

  async function compute(attempt: SignInAttempt, digest: string): Promise<Verdict> {
    const of = learnedOf(attempt);
    return inTurn(async () => {
      if (attempt.isGone()) return "later";
      if (of.right === digest) return "right"; // learned while this one waited
      const isRight = await Bun.password.verify(attempt.password, attempt.passwordHash);
      if (isRight) {
        of.right = digest;
        guesses.delete(`${addressGroup(attempt.address)} ${attempt.credentialId}`);
        return "right";
      }
      if (of.wrong.size >= WRONG_MAX) of.wrong.delete(of.wrong.values().next().value ?? "");
      of.wrong.add(digest);
      return "wrong";
    });
  }

  function verifyCustom(attempt: SignInAttempt): Verdict | Promise<Verdict> {
    const { password } = attempt;
    if (password.length === 0 || password.length > 1024) return "wrong";
    const digest = new Bun.CryptoHasher("sha256", key).update(password).digest("hex");
    const of = learnedOf(attempt);
    if (of.right !== undefined && isSame(of.right, digest)) return "right";
    if (of.wrong.has(digest)) return "wrong";
    if (waiting.length >= WAITING_MAX || !mayGuess(attempt)) return "later";
    return compute(attempt, digest);
  }

  return {
    generate(): { password: string; passwordHash: string } {
      const password = randomToken(GENERATED_BYTES);
      return { password, passwordHash: GENERATED + sha256(Buffer.from(password)) };
    },
    hash: (password: string): Promise<string> => inTurn(() => Bun.password.hash(password, ARGON2)),
    verify(attempt: SignInAttempt): Verdict | Promise<Verdict> {
      const { passwordHash, password } = attempt;
      if (isOfGeneratedPassword(passwordHash))
        return isSame(passwordHash, GENERATED + sha256(password)) ? "right" : "wrong";
      return verifyCustom(attempt);
    },
  };
}

export type ClientPasswords = ReturnType<typeof createClientPasswords>;
