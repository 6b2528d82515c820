import { RateMeter } from "../../lib/data/rate-meter.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { FaultEntry } from "./faults.types.ts";
import { reasonOf } from "./refusals.types.ts";

/** Lines about one entry are this far apart: one when it begins, then summaries. */
const SUMMARY_INTERVAL_MS = 10 * 60_000;
/** Log limit for all entries together: a burst, then a line every ten seconds. */
const LINES = { perSecond: 0.1, burst: 50 };
/** Lines about one address within `SUMMARY_INTERVAL_MS`. */
const LINES_PER_ADDRESS_MAX = 5;
/** More than the list has: entries that it has dropped are summarized, too. */
const RECENT_MAX = 2_000;

interface Logged {
  /** Monotonic ms of the last line; undefined when the entry has had none. */
  at: number | undefined;
  /** Refusals since then. */
  since: number;
}

/** Writes refusals to the log: a line when one begins and summaries after that, never a line for each. */
export class RefusalLog {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #log: Logger;
  readonly #meter = Object.assign(new RateMeter(), LINES);
  /** Entries with refusals that no line has counted, or that had a line lately. */
  readonly #recent = new Map<FaultEntry, Logged>();
  /** Lines by address in the current interval. */
  readonly #lines = new Map<string, number>();
  #intervalEndsAt = 0;
  /** Refusals that no line has counted, of entries beyond `RECENT_MAX`. */
  #unlisted = 0;

  constructor(clock: Pick<Clock, "monotonic">, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  refused(entry: FaultEntry): void {
    const logged = this.#recent.get(entry);
    if (logged !== undefined) {
      logged.since++;
      return;
    }
    if (this.#recent.size >= RECENT_MAX) {
      this.#unlisted++;
      return;
    }
    const hasLine = this.#mayWrite(entry);
    this.#recent.set(
      entry,
      hasLine ? { at: this.#clock.monotonic(), since: 0 } : { at: undefined, since: 1 },
    );
    if (hasLine) this.#log.warn("credential refused", fieldsOf(entry));
  }

  /** Writes the summaries that are due. `isLast`: of everything that no line has counted. */
  summarize(isLast = false): void {
    const now = this.#clock.monotonic();
    let unlisted = this.#unlisted;
    this.#unlisted = 0;
    for (const [entry, logged] of this.#recent) {
      const { at, since } = logged;
      if (!isLast && at !== undefined && now - at < SUMMARY_INTERVAL_MS) continue;
      this.#recent.delete(entry);
      if (since === 0) continue;
      if (at === undefined || !this.#mayWrite(entry)) {
        unlisted += since;
        continue;
      }
      this.#log.warn("credential refused again", { ...fieldsOf(entry), count: since });
      if (!isLast) this.#recent.set(entry, { at: now, since: 0 });
    }
    if (unlisted > 0) this.#log.warn("more credentials refused", { count: unlisted });
  }

  #mayWrite({ address = "" }: FaultEntry): boolean {
    const now = this.#clock.monotonic();
    if (now >= this.#intervalEndsAt) {
      this.#lines.clear();
      this.#intervalEndsAt = now + SUMMARY_INTERVAL_MS;
    }
    const lines = this.#lines.get(address) ?? 0;
    if (lines >= LINES_PER_ADDRESS_MAX || this.#meter.take(now) > 0) return false;
    this.#lines.set(address, lines + 1);
    return true;
  }
}

const fieldsOf = ({ source, address, identity, code, protocol, tenantId, subject }: FaultEntry) => ({
  edge: source,
  reason: reasonOf(code),
  address,
  protocol,
  ...(identity !== undefined && identity.name !== "" && { identity: identity.name }),
  ...(tenantId !== undefined && { tenantId }),
  ...(subject?.kind === "device" && { deviceId: subject.id }),
});
