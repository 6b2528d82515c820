import { invalid, limited } from "../../../lib/core/domain-error.ts";
import { Lanes } from "../../../platform/load/lanes.ts";
import { isGuessablePassword } from "../../../platform/secrets/common-passwords.ts";

const LENGTH_MIN = 10;
const LENGTH_MAX = 256;
/** OWASP's recommendation for argon2id: 19 MiB and 2 passes, affordable on a small gateway. */
const ARGON2 = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
/** Max. simultaneous hashes; two take less than 40 MiB. */
const CONCURRENT_MAX = 2;
/** Max. waiting hashes of a kind, which take some seconds. Guesses from many addresses must not delay the owner's sign-in by hours. */
const WAITING_MAX = 50;

/** Priority: unknown clients wait after all others, and can only fill their own queue. */
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

/** @throws DomainError `password.…` unless the password has at least 10 characters, is not common and is not the address */
export function ensurePasswordStrong(password: string, email = ""): void {
  if (password.length < LENGTH_MIN) throw invalid("password.short", { min: LENGTH_MIN });
  if (password.length > LENGTH_MAX) throw invalid("password.long", { max: LENGTH_MAX });
  const [name = "", domain = ""] = email.split("@");
  if (isGuessablePassword(password, [`${name}${domain}`, name, domain])) throw invalid("password.weak");
}
