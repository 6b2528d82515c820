/**
 * Kinds of actors with separate shares of a tenant's audit log. No kind can use up another kind's share; unused shares are lent. Within a share, the
 * actor with the most entries loses its oldest ones.
 */
export const AUDIT_SHARES = ["operator", "owners", "members", "refusals"] as const;
export type AuditShare = (typeof AUDIT_SHARES)[number];

/** Share of the log that each kind of actor keeps when the log is full; the shares add up to 1. */
const PART_OF_LOG: Readonly<Record<AuditShare, number>> = {
  operator: 0.1,
  owners: 0.4,
  members: 0.4,
  refusals: 0.1,
};

/** Tenant or user to whom entries are attributed. */
export interface AuditHolder {
  readonly share: AuditShare;
  readonly holder: string;
}

/** Counts the entries of one tenant by holder. */
export class AuditHolders {
  /** Entries by holder, for each share. */
  readonly #counts: Readonly<Record<AuditShare, Map<string, number>>> = {
    operator: new Map(),
    owners: new Map(),
    members: new Map(),
    refusals: new Map(),
  };
  readonly #totals: Record<AuditShare, number> = { operator: 0, owners: 0, members: 0, refusals: 0 };

  get total(): number {
    return AUDIT_SHARES.reduce((sum, share) => sum + this.#totals[share], 0);
  }

  /** Adds `entries`, which may be negative. */
  add({ share, holder }: AuditHolder, entries: number): void {
    const counts = this.#counts[share];
    const left = Math.max(0, (counts.get(holder) ?? 0) + entries);
    this.#totals[share] += left - (counts.get(holder) ?? 0);
    if (left === 0) counts.delete(holder);
    else counts.set(holder, left);
  }

  /** Returns the holder that must give up an entry if the log has more than `limit`. */
  largest(limit: number): AuditHolder | undefined {
    const excessOf = (share: AuditShare) => this.#totals[share] - PART_OF_LOG[share] * limit;
    const share = AUDIT_SHARES.reduce((most, next) => (excessOf(next) > excessOf(most) ? next : most));
    let holder: string | undefined;
    let most = 0;
    for (const [name, entries] of this.#counts[share])
      if (entries > most) {
        most = entries;
        holder = name;
      }
    return holder === undefined ? undefined : { share, holder };
  }
}
