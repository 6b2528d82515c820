import { DomainError, invalid } from "../../../lib/domain-error.ts";

const LENGTH_MIN = 10;
const LENGTH_MAX = 256;
/** OWASP's recommendation for argon2id: 19 MiB and 2 passes, affordable on a small gateway. */
const ARGON2 = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
/** Hashes computed at once: two hold under 40 MiB, however many sign-ins arrive. */
const CONCURRENT_MAX = 2;
/** Those that may wait for their turn: some seconds' work. Guesses from many addresses must not bury the owner's sign-in under hours of it. */
const WAITING_MAX = 50;

const COMMON =
  "password passwort qwertyuiop qwertzuiop administrator 1q2w3e4r5t letmein iloveyou welcome changeme lineside factory machine 0123456789 1234567890 abcdefghij".split(
    " ",
  );

let running = 0;
const waiting: Array<() => void> = [];

async function limited<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running < CONCURRENT_MAX) running++;
  else if (waiting.length < WAITING_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
  else
    throw new DomainError("limited", "sign_in.busy", "Too many sign-ins at once; try again in a moment.", {
      retryAfterSeconds: 5,
    });
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next(); // takes over the place
  }
}

/** @throws DomainError `password.weak` unless the password is 10 characters or more and not a common one. */
export function ensurePasswordStrong(password: string): void {
  if (password.length < LENGTH_MIN)
    throw invalid("password.weak", `password must have ${LENGTH_MIN} characters or more`);
  if (password.length > LENGTH_MAX)
    throw invalid("password.weak", `password must have ${LENGTH_MAX} characters or fewer`);
  const bare = password.toLowerCase().replace(/[^a-z0-9]/g, "");
  const distinct = new Set(bare).size;
  const common = COMMON.some((word) => bare.replace(word, "").length < 4 && bare.includes(word));
  if (common || distinct < 4) throw invalid("password.weak", "password is too easy to guess");
}

export const hashPassword = (password: string): Promise<string> =>
  limited(() => Bun.password.hash(password, ARGON2));

export const verifyPassword = (password: string, hash: string): Promise<boolean> =>
  limited(() => Bun.password.verify(password, hash));
