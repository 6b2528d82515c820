import { detail } from "../../lib/core/domain-error.ts";
import type { Problem } from "../core/health.ts";
import type { Logger } from "../core/log.ts";

/** Duration of a write after which the disk counts as stalled. Slow disks take some seconds. */
const STALLED_MS = 8_000;

/** Notices a disk that does not finish a write, such as an unreachable network drive: it reports no error, but nothing is acknowledged. */
export class DiskWait {
  readonly #log: Logger;
  readonly #now: () => number;
  /** Start of each unfinished write, oldest first. */
  readonly #writes = new Set<{ readonly startedAtMs: number }>();
  #isLogged = false;

  /** @param now monotonic ms */
  constructor(log: Logger, now = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  /** Follows a write to its end, whatever its outcome. */
  follow(write: Promise<unknown>): void {
    const entry = { startedAtMs: this.#now() };
    this.#writes.add(entry);
    const end = () => void this.#writes.delete(entry);
    write.then(end, end);
  }

  /** Reason why nothing is acknowledged. */
  problem(): Problem | undefined {
    const [oldest] = this.#writes;
    const isStalled = oldest !== undefined && this.#now() - oldest.startedAtMs > STALLED_MS;
    if (isStalled && !this.#isLogged) this.#log.error("the disk does not finish a write, nothing is stored");
    if (!isStalled && this.#isLogged) this.#log.info("the disk has finished its writes");
    this.#isLogged = isStalled;
    return isStalled ? { severity: "UNREADY", ...detail("storage.stalled") } : undefined;
  }
}
