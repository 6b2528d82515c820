import { MIB } from "../../lib/core/units.ts";
import { TenantBudget } from "../load/tenant-budget.ts";

/** Max. bytes of messages of brokers in progress, in total and of a tenant: a connection may have 4 MiB, and a tenant hundreds of connections. */
export const INBOUND_BYTES_MAX = { all: 64 * MIB, tenant: 32 * MIB } as const;
/** Approximate memory of a message in progress in addition to its payload. */
const MESSAGE_HEAD_BYTES = 1_024;

/** Budget of the messages in progress of all connections to brokers. */
export class InboundSpace {
  readonly #budget = new TenantBudget(INBOUND_BYTES_MAX);

  /** Bytes in use. */
  get used(): number {
    return this.#budget.used;
  }

  of(tenantId: string): TenantSpace {
    const budget = this.#budget;
    return {
      get isFull() {
        return budget.limitFor(tenantId, 1) !== undefined;
      },
      take(payloadBytes) {
        const bytes = payloadBytes + MESSAGE_HEAD_BYTES;
        budget.count(tenantId, bytes);
        return () => budget.count(tenantId, -bytes);
      },
    };
  }
}

/** Space of the connections of a tenant. */
export interface TenantSpace {
  /** True if a connection may only have one message in progress. */
  readonly isFull: boolean;
  /** Counts a message. Returns the function to call once it has been processed. */
  take(payloadBytes: number): () => void;
}
