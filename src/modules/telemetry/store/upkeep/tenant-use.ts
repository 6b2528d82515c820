import type { TenantId } from "../../../../lib/core/ids.ts";
import { DAY_MS } from "../../../../lib/core/units.ts";
import type { Clock } from "../../../../platform/time/clock.ts";
import type { StoreLimits } from "../store.types.ts";

/** Keys and bytes used by one tenant's devices, on the main thread. */
export class TenantUse {
  readonly #limitsOf: () => StoreLimits;
  readonly #clock: Pick<Clock, "monotonic">;
  /** Number of series. */
  count = 0;
  /** Number of patterns that the tenant has added to the dictionary since startup. */
  patternNodes = 0;
  /** Key names that were new to all devices, on the current day. */
  #newNames = { count: 0, untilMs: 0 };
  /** Bytes staged in the current group, and that group's number. */
  groupBytes = 0;
  group = 0;
  /** Bytes staged since startup, uncompressed. */
  #staged = 0;
  /** Bytes on disk at the last count, and the bytes staged by then. */
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

  /** Estimated stored bytes: the counted bytes plus bytes staged since, which is slightly too high. */
  get storedBytes(): number {
    return this.#counted.stored + this.#staged - this.#counted.staged;
  }

  /** New names of the current day. Names stay in the dictionary when their points are deleted, so this limits its growth. */
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

  /** Starts a count; the returned function takes the result. */
  beginCount(): (stored: number) => void {
    const staged = this.#staged;
    return (stored) => {
      this.#counted = { stored, staged };
      this.#storedMax = this.limits.storedBytes ?? Number.POSITIVE_INFINITY;
    };
  }
}
