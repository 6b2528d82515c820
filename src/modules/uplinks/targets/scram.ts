import { pbkdf2 } from "node:crypto";
import { promisify } from "node:util";
import { detail } from "../../../lib/core/domain-error.ts";
import { TargetError } from "../target.errors.ts";

/** Max. iterations. Servers use 4,096 to 600,000; a million takes a thread up to 0.8 s. */
export const SCRAM_ITERATIONS_MAX = 600_000;

const derive = promisify(pbkdf2);
/** Previous derivation. They run one at a time, because they use threads shared by the whole gateway. */
let previous: Promise<unknown> = Promise.resolve();

/** Password and the server's parameters for its derivation. */
export interface ScramDemand {
  readonly password: string | Buffer;
  readonly salt: string | Buffer;
  readonly iterations: number;
  readonly digest: "sha256" | "sha512";
}

/**
 * Derives the salted password of RFC 5802 (`Hi`) without blocking the thread.
 * @throws TargetError `uplink.scram_iterations` if the server demands more than `SCRAM_ITERATIONS_MAX`
 */
export async function saltPassword({ password, salt, iterations, digest }: ScramDemand): Promise<Buffer> {
  if (!(iterations >= 1 && iterations <= SCRAM_ITERATIONS_MAX))
    throw new TargetError(
      "settings",
      detail("uplink.scram_iterations", { iterations, max: SCRAM_ITERATIONS_MAX }),
    );
  const derived = previous.then(() =>
    derive(password, salt, iterations, digest === "sha256" ? 32 : 64, digest),
  );
  previous = derived.catch(() => undefined);
  return derived;
}
