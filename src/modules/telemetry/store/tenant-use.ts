import type { TenantId } from "../../../lib/core/ids.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { StoreLimits } from "./store.types.ts";

const DAY_MS = 86_400_000;

/** Keys and bytes that one tenant's devices use of the store, on the main thread. */
export class TenantUse {
  readonly #limitsOf: () => StoreLimits;
  readonly #clock: Pick<Clock, "monotonic">;
  /** Series. */
  count = 0;
  /** Number of patterns that the tenant has added to the dictionary since the start. */
  patternNodes = 0;
  /** Names of keys that nobody had before, within the day at hand. */
  #newNames = { count: 0, untilMs: 0 };
  /** Bytes staged in the group at hand, and that group's number. */
  groupBytes = 0;
  group = 0;
  /** Bytes staged since the start, uncompressed. */
  #staged = 0;
  /** Bytes on the disk at the last count, and bytes that had been staged by then. */
  #counted = { stored: 0, staged: 0 };
  #storedMax: number;

  constructor(
    tenantId: TenantId,
    limitsOf: (tenantId: TenantId) => StoreLimits,
    clock: Pick<Clock, "monotonic">,
  ) {
    this.#clock = clock;
    this.#limitsOf = () => limitsOf(tenantId);
    this.#storedMax = this.limits.storedBytes ?? Number.POSITIVE_INFINITY;
  }

  get limits(): StoreLimits {
    return this.#limitsOf();
  }

  /** Returns the stored bytes, plus those staged since they were counted: an estimate slightly above what these will take. */
  get storedBytes(): number {
    return this.#counted.stored + this.#staged - this.#counted.staged;
  }

  /** Names that nobody had before stay in the dictionary when their points are deleted: this bounds how fast it grows. */
  get newNames(): number {
    const now = this.#clock.monotonic();
    if (now >= this.#newNames.untilMs) this.#newNames = { count: 0, untilMs: now + DAY_MS };
    return this.#newNames.count;
  }

  addNewName(): void {
    this.#newNames.count = this.newNames + 1;
  }

  get isFull(): boolean {
    return this.storedBytes >= this.#storedMax;
  }

  staged(bytes: number): void {
    this.#staged += bytes;
    this.groupBytes += bytes;
  }

  /** Begins a count; the function that it returns takes the result. */
  beginCount(): (stored: number) => void {
    const staged = this.#staged;
    return (stored) => {
      this.#counted = { stored, staged };
      this.#storedMax = this.limits.storedBytes ?? Number.POSITIVE_INFINITY;
    };
  }
}
