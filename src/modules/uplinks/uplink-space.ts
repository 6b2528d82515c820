import { MIB } from "../../lib/core/units.ts";
import { FairTurns } from "../../platform/load/fair-turns.ts";
import { type BudgetMax, TenantBudget } from "../../platform/load/tenant-budget.ts";
import { BATCH_BYTES_MAX } from "./batch-weight.ts";

/** Max. bytes of batches that are read or in flight, in total and per tenant. */
export const UPLINK_BYTES_MAX: BudgetMax = { all: 32 * MIB, tenant: 16 * MIB };

interface Waiting {
  readonly owner: string;
  begin(space: HeldSpace): void;
}

/**
 * Budget of bytes in flight of all uplinks. Space for the largest possible batch is reserved before reading, and the unused part released
 * afterwards. If there is none, uplinks wait, and tenants take turns. A tenant's failing uplinks count as a separate tenant, so that its other
 * uplinks continue.
 */
export class UplinkSpace {
  readonly #budget: TenantBudget;
  readonly #waiting = new FairTurns<Waiting[]>({ create: () => [], hasWork: (queue) => queue.length > 0 });

  constructor(max = UPLINK_BYTES_MAX) {
    this.#budget = new TenantBudget(max);
  }

  /** Bytes in flight. */
  get used(): number {
    return this.#budget.used;
  }

  /** Reserves space if available and no other uplink of the owner is waiting. */
  tryTake(owner: string): HeldSpace | undefined {
    const hasQueue = (this.#waiting.find(owner)?.length ?? 0) > 0;
    return hasQueue || !this.#isFree(owner) ? undefined : this.#hold(owner);
  }

  /** Waits for space. Rejects with the reason of the signal. */
  take(owner: string, signal: AbortSignal): Promise<HeldSpace> {
    const { promise, resolve, reject } = Promise.withResolvers<HeldSpace>();
    const queue = this.#waiting.of(owner);
    const waiting: Waiting = { owner, begin: resolve };
    const abort = () => {
      const index = queue.indexOf(waiting);
      if (index >= 0) queue.splice(index, 1);
      reject(signal.reason);
    };
    signal.throwIfAborted();
    queue.push(waiting);
    signal.addEventListener("abort", abort);
    return promise.finally(() => signal.removeEventListener("abort", abort));
  }

  /** Changes the bytes held by an owner, and lets others use the released space. */
  change(owner: string, bytes: number): void {
    this.#budget.count(owner, bytes);
    const canGoOn = ([first]: Waiting[]) => first !== undefined && this.#isFree(first.owner);
    for (let turn = this.#waiting.next(canGoOn); turn !== undefined; turn = this.#waiting.next(canGoOn)) {
      this.#waiting.charge(turn.key, 1);
      turn.member.shift()?.begin(this.#hold(turn.key));
    }
  }

  #isFree(owner: string): boolean {
    return this.#budget.limitFor(owner, BATCH_BYTES_MAX) === undefined;
  }

  #hold(owner: string): HeldSpace {
    this.#budget.count(owner, BATCH_BYTES_MAX);
    return new HeldSpace(this, owner);
  }
}

/** Space of one batch. */
export class HeldSpace {
  readonly #space: UplinkSpace;
  readonly #owner: string;
  #bytes = BATCH_BYTES_MAX;

  constructor(space: UplinkSpace, owner: string) {
    this.#space = space;
    this.#owner = owner;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adjusts to the bytes of the read batch; this is more than reserved only for a single row. */
  resize(bytes: number): void {
    const change = bytes - this.#bytes;
    this.#bytes = bytes;
    this.#space.change(this.#owner, change);
  }

  /** Releases everything. Idempotent. */
  release(): void {
    this.resize(0);
  }
}
