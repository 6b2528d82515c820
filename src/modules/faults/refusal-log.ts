import { RateMeter } from "../../lib/data/rate-meter.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { FaultEntry } from "./faults.types.ts";
import { reasonOf } from "./refusals.types.ts";

/** Min. interval in ms between lines about one entry: one at its beginning, then summaries. */
const SUMMARY_INTERVAL_MS = 10 * 60_000;
/** Log rate for all entries together: a burst, then a line every ten seconds. */
const LINES = { perSecond: 0.1, burst: 50 };
/** Max. lines about one address within `SUMMARY_INTERVAL_MS`. */
const LINES_PER_ADDRESS_MAX = 5;
/** Max. tracked entries; more than the list holds, because dropped entries are summarized, too. */
const RECENT_MAX = 2_000;

interface Logged {
  /** Monotonic ms of the last line; undefined if there was none. */
  at: number | undefined;
  /** Refusals since the last line. */
  since: number;
}

/** Writes refusals to the log: a line for the first, then summaries instead of a line each. */
export class RefusalLog {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #log: Logger;
  readonly #meter = Object.assign(new RateMeter(), LINES);
  /** Entries with unlogged refusals, or with a recent line. */
  readonly #recent = new Map<FaultEntry, Logged>();
  /** Lines by address in the current interval. */
  readonly #lines = new Map<string, number>();
  #intervalEndsAt = 0;
  /** Unlogged refusals of entries beyond `RECENT_MAX`. */
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

  /** Writes the due summaries. `isLast`: also all other unlogged refusals. */
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
