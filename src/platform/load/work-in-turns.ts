import { workShare } from "./fair-share.ts";

/** Max. waiting pieces of a tenant. Beyond it, the sender of another piece waits while the oldest one runs. */
const WAITING_MAX = 10_000;

type Work = () => void;

/**
 * Runs the work of each tenant in its order: immediately if there is time, otherwise in turns with other tenants. For work that a message causes and
 * that cannot be refused, for example hundreds of alarms for hundreds of subscribers.
 */
export class WorkInTurns {
  readonly #tenants = new Map<string, Work[]>();

  run(tenantId: string, work: Work): void {
    const waiting = this.#tenants.get(tenantId);
    if (waiting !== undefined) {
      waiting.push(work);
      if (waiting.length > WAITING_MAX) waiting.shift()?.();
    } else if (workShare.hasTime) work();
    else void this.#start(tenantId, [work]);
  }

  /** Resolves when what is waiting now has run; undefined if nothing is. */
  drained(tenantId: string): Promise<void> | undefined {
    const waiting = this.#tenants.get(tenantId);
    return waiting && new Promise((resolve) => waiting.push(resolve));
  }

  async #start(tenantId: string, waiting: Work[]): Promise<void> {
    this.#tenants.set(tenantId, waiting);
    const owner = { tenantId, userId: `turns ${tenantId}` };
    await workShare.next(owner);
    try {
      for (let work = waiting.shift(); work !== undefined; work = waiting.shift()) {
        work();
        const share = workShare.pause(owner);
        if (share !== undefined) await share;
      }
    } finally {
      this.#tenants.delete(tenantId);
    }
  }
}
