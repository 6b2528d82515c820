import { invalid, limited } from "../../../lib/core/domain-error.ts";
import { isGuessablePassword } from "../../../platform/secrets/common-passwords.ts";

const LENGTH_MIN = 10;
const LENGTH_MAX = 256;
/** OWASP's recommendation for argon2id: 19 MiB and 2 passes, affordable on a small gateway. */
const ARGON2 = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
/** Max. simultaneous hashes: two hold under 40 MiB, however many sign-ins arrive. */
const CONCURRENT_MAX = 2;
/** Hashes of one kind that may wait, which is some seconds of work. Guesses from many addresses must not delay the owner's sign-in by hours. */
const WAITING_MAX = 50;

/** Strangers wait behind everybody else, and can fill only their own queue. */
export type Urgency = "known" | "stranger";

export function createPasswordHasher() {
  let running = 0;
  const waiting: Record<Urgency, Array<() => void>> = { known: [], stranger: [] };

  async function inTurn<Result>(urgency: Urgency, work: () => Promise<Result>): Promise<Result> {
    const queue = waiting[urgency];
    if (running < CONCURRENT_MAX) running++;
    else if (queue.length < WAITING_MAX) await new Promise<void>((resolve) => queue.push(resolve));
    else throw limited("sign_in.busy", 5);
    try {
      return await work();
    } finally {
      const next = waiting.known.shift() ?? waiting.stranger.shift();
      if (next === undefined) running--;
      else next(); // takes over the place
    }
  }

  return {
    hash: (password: string, urgency: Urgency = "known"): Promise<string> =>
      inTurn(urgency, () => Bun.password.hash(password, ARGON2)),
    verify: (password: string, hash: string, urgency: Urgency): Promise<boolean> =>
      inTurn(urgency, () => Bun.password.verify(password, hash)),
  };
}

export type PasswordHasher = ReturnType<typeof createPasswordHasher>;

/** @throws DomainError `password.…` unless the password is 10 characters or more, not a common one and not the address. */
export function ensurePasswordStrong(password: string, email = ""): void {
  if (password.length < LENGTH_MIN) throw invalid("password.short", { min: LENGTH_MIN });
  if (password.length > LENGTH_MAX) throw invalid("password.long", { max: LENGTH_MAX });
  const [name = "", domain = ""] = email.split("@");
  if (isGuessablePassword(password, [`${name}${domain}`, name, domain])) throw invalid("password.weak");
}
