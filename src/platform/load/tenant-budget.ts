/** Counts by name; names with a count of 0 are removed. */
export class Counts {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, change: number): void {
    const count = this.of(name) + change;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
  }
}

/** Max. bytes in total, and of a tenant while no other one uses the budget. */
export interface BudgetMax {
  readonly all: number;
  readonly tenant: number;
}

/** Shared budget of bytes, with the usage of each tenant. */
export class TenantBudget {
  readonly #max: BudgetMax;
  readonly #tenants = new Counts();
  #used = 0;

  constructor(max: BudgetMax) {
    this.#max = max;
  }

  get used(): number {
    return this.#used;
  }

  /** Returns the limit that `bytes` more would exceed; undefined if the tenant can take them. */
  limitFor(tenantId: string, bytes: number): "tenant" | "all" | undefined {
    if (this.#tenants.of(tenantId) + bytes > this.#tenantMax(bytes)) return "tenant";
    return this.#used + bytes > this.#max.all ? "all" : undefined;
  }

  /** Counts bytes that a tenant takes, or releases (negative). */
  count(tenantId: string, bytes: number): void {
    this.#used += bytes;
    this.#tenants.add(tenantId, bytes);
  }

  /**
   * Returns the max. bytes of a tenant once `bytes` more are taken: a multiple of the bytes that are then free, so that some space always remains
   * for another tenant (dynamic thresholds, A. Choudhury and E. Hahne, IEEE/ACM Transactions on Networking 6 (2), 1998).
   */
  #tenantMax(bytes: number): number {
    const { all, tenant } = this.#max;
    return tenant < all ? Math.min(tenant, (tenant / (all - tenant)) * (all - this.#used - bytes)) : tenant;
  }
}
