import { invalid, limited } from "../../../lib/core/domain-error.ts";
import { Lanes } from "../../../platform/load/lanes.ts";
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

const HASHES = "hashes";

export function createPasswordHasher() {
  const lanes = new Lanes(CONCURRENT_MAX);

  async function inTurn<Result>(urgency: Urgency, work: () => Promise<Result>): Promise<Result> {
    const isPatient = urgency === "stranger";
    if (lanes.waiting(HASHES, isPatient) >= WAITING_MAX) throw limited("sign_in.busy", 5);
    return lanes.run(HASHES, work, { isPatient });
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
