import { workShare } from "./fair-share.ts";
import { Counts } from "./tenant-budget.ts";

/** Max. waiting pieces of a tenant before messages that may cause more wait. */
const BUSY_PIECES = 10_000;
/** Max. waiting pieces of a tenant. Beyond it, the oldest one runs immediately: elapsed times and requests cause work that waits for no room. */
const WAITING_MAX = 20_000;

type Work = () => void;

class Tenant {
  readonly #pieces: Array<{ readonly cause: string; readonly work: Work }> = [];
  readonly #byCause = new Counts();
  /** Called when all pieces of a cause have run. */
  readonly #drained = new Map<string, PromiseWithResolvers<void>>();
  #room: PromiseWithResolvers<void> | undefined;

  get length(): number {
    return this.#pieces.length;
  }

  add(cause: string, work: Work): void {
    this.#byCause.add(cause, 1);
    this.#pieces.push({ cause, work });
  }

  runOldest(): void {
    const piece = this.#pieces.shift();
    if (piece === undefined) return;
    const { cause, work } = piece;
    try {
      work();
    } finally {
      this.#byCause.add(cause, -1);
      if (this.#byCause.of(cause) === 0) {
        this.#drained.get(cause)?.resolve();
        this.#drained.delete(cause);
      }
      if (this.length < BUSY_PIECES / 2) this.#makeRoom();
    }
  }

  drained(cause: string): Promise<void> | undefined {
    if (this.#byCause.of(cause) === 0) return undefined;
    const drained = this.#drained.get(cause) ?? Promise.withResolvers();
    this.#drained.set(cause, drained);
    return drained.promise;
  }

  room(): Promise<void> | undefined {
    if (this.length < BUSY_PIECES) return undefined;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  #makeRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  end(): void {
    for (const { resolve } of this.#drained.values()) resolve();
    this.#makeRoom();
  }
}

/**
 * Runs the work of each tenant in its order: immediately if there is time, otherwise in turns with other tenants. For work that a message causes and
 * that cannot be refused, for example hundreds of alarms for hundreds of subscribers.
 */
export class WorkInTurns {
  readonly #tenants = new Map<string, Tenant>();

  /** `cause`: the one that caused the work, for example a device. */
  run(tenantId: string, cause: string, work: Work): void {
    const tenant = this.#tenants.get(tenantId);
    if (tenant !== undefined) {
      tenant.add(cause, work);
      if (tenant.length > WAITING_MAX) tenant.runOldest();
    } else if (workShare.hasTime) work();
    else {
      const first = new Tenant();
      first.add(cause, work);
      void this.#start(tenantId, first);
    }
  }

  /** Resolves when the work of a cause has run; undefined if none of it waits. Others need not wait for it. */
  drained(tenantId: string, cause: string): Promise<void> | undefined {
    return this.#tenants.get(tenantId)?.drained(cause);
  }

  /** Resolves when the tenant may cause more work; undefined if it may now. Ask again afterwards: others may have been faster. */
  room(tenantId: string): Promise<void> | undefined {
    return this.#tenants.get(tenantId)?.room();
  }

  async #start(tenantId: string, tenant: Tenant): Promise<void> {
    this.#tenants.set(tenantId, tenant);
    const owner = { tenantId, userId: `turns ${tenantId}` };
    await workShare.next(owner);
    try {
      while (tenant.length > 0) {
        tenant.runOldest();
        const share = workShare.pause(owner);
        if (share !== undefined) await share;
      }
    } finally {
      this.#tenants.delete(tenantId);
      tenant.end();
    }
  }
}
