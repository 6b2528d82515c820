import type { Session } from "./session.ts";

export interface QueueByteLimits {
  /** Bytes for all clients of one device or API key together. */
  readonly perCredential: number;
  /** Bytes for all clients of a tenant together; null for no limit. */
  perTenant(tenantId: string): number | null;
  /** Bytes for all tenants together. Beyond it, the tenant with the most gives up messages. */
  readonly all: number;
}

/** Queued bytes that share a limit. */
class Pool {
  bytes = 0;
  /** Sessions with queued messages, the one that has waited longest first. */
  readonly waiting = new Set<Session>();

  get oldest(): Session | undefined {
    return this.waiting.values().next().value;
  }

  change(session: Session, bytes: number): void {
    this.bytes += bytes;
    if (session.queue.length > 0) this.waiting.add(session);
    else this.waiting.delete(session);
  }
}

/** Decides whose queue gives up a message: never that of another tenant, unless that tenant has the most of all. */
export class QueueLimits {
  readonly #limits: QueueByteLimits;
  readonly #credentials = new Map<string, Pool>();
  readonly #tenants = new Map<string, Pool>();
  #bytes = 0;

  constructor(limits: QueueByteLimits) {
    this.#limits = limits;
  }

  /** Counts what a queue has gained or lost, after it has. */
  changed(session: Session, bytes: number): void {
    const { tenantId, credentialId } = session.owner;
    session.queuedBytes += bytes;
    this.#bytes += bytes;
    for (const [pools, id] of [
      [this.#credentials, credentialId],
      [this.#tenants, tenantId],
    ] as const) {
      const pool = pools.get(id) ?? new Pool();
      pool.change(session, bytes);
      if (pool.bytes > 0 || pool.waiting.size > 0) pools.set(id, pool);
      else pools.delete(id);
    }
  }

  /** Returns whether `bytes` more fit into the queue of the session; if not, whose oldest message has to go first, where one can. */
  check(session: Session, bytes: number): { fits: true } | { fits: false; victim: Session | undefined } {
    const { tenantId, credentialId } = session.owner;
    const own = session.queue.length > 0 ? session : undefined;
    const credential = this.#credentials.get(credentialId);
    if ((credential?.bytes ?? 0) + bytes > this.#limits.perCredential)
      return { fits: false, victim: own ?? credential?.oldest };
    const tenant = this.#tenants.get(tenantId);
    if ((tenant?.bytes ?? 0) + bytes > (this.#limits.perTenant(tenantId) ?? Number.POSITIVE_INFINITY))
      return { fits: false, victim: own ?? tenant?.oldest };
    if (this.#bytes + bytes <= this.#limits.all) return { fits: true };
    const larger = this.#largestBeyond((tenant?.bytes ?? 0) + bytes);
    return { fits: false, victim: larger === undefined ? (own ?? tenant?.oldest) : larger.oldest };
  }

  bytesOf(tenantId: string): number {
    return this.#tenants.get(tenantId)?.bytes ?? 0;
  }

  #largestBeyond(bytes: number): Pool | undefined {
    let largest: Pool | undefined;
    for (const pool of this.#tenants.values()) if (pool.bytes > (largest?.bytes ?? bytes)) largest = pool;
    return largest;
  }
}
