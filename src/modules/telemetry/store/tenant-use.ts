import type { TenantId } from "../../../lib/ids.ts";
import type { StoreLimits } from "./store.types.ts";

/** What the devices of one tenant use of the store, on the main thread. */
export class TenantUse {
  readonly #limitsOf: () => StoreLimits;
  /** Series. */
  count = 0;
  /** What the tenant has put into the dictionary of patterns since the start. */
  patternNodes = 0;
  /** Bytes staged in the group at hand, and that group's number. */
  groupBytes = 0;
  group = 0;
  /** Bytes staged since the start, uncompressed. */
  #staged = 0;
  /** On the disk when this was last counted, and what had been staged by then. */
  #counted = { stored: 0, staged: 0 };
  #storedMax: number;

  constructor(tenantId: TenantId, limitsOf: (tenantId: TenantId) => StoreLimits) {
    this.#limitsOf = () => limitsOf(tenantId);
    this.#storedMax = this.limits.storedBytes ?? Number.POSITIVE_INFINITY;
  }

  get limits(): StoreLimits {
    return this.#limitsOf();
  }

  /** What is stored, and what came since that was counted: somewhat more than it will take. */
  get storedBytes(): number {
    return this.#counted.stored + this.#staged - this.#counted.staged;
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
