import type { TenantId } from "../../lib/ids.ts";
import type { AuditRepository } from "./audit.repository.ts";
import type { NewAuditEntry } from "./audit.types.ts";
import type { AuditHolder, AuditHolders } from "./audit-shares.ts";

/** An entry that is added removes at most so many: a limit that was lowered is reached in small steps. */
const REMOVED_PER_ENTRY_MAX = 8;

/** Decides who answers for an entry, and which part of the log the entry takes. */
export function holderOf({ tenantId, actor, outcome, address }: NewAuditEntry): AuditHolder {
  const who = actor.impersonator?.id ?? actor.keyOwnerId ?? actor.id;
  // Anybody may name another account in every attempt: a stranger is known by the address alone.
  if (outcome !== "SUCCESS") return { share: "refusals", holder: who ?? address ?? "" };
  if (actor.type === "COMMAND_LINE") return { share: "operator", holder: actor.name };
  const isOwner = tenantId !== null && actor.role === "TENANT_OWNER";
  return { share: isOwner ? "owners" : "members", holder: who ?? address ?? "" };
}

/** Keeps the log of each tenant within its limit; a tenant's entries never make room for those of another tenant. */
export function createAuditLimit(deps: {
  repository: Pick<AuditRepository, "countHolders" | "removeOldest">;
  limitOf: (tenantId: TenantId | null) => number;
}) {
  const { repository } = deps;
  /** Counts of entries by tenant, of tenants that were written to since the start; null for those of nobody known. */
  const counted = new Map<TenantId | null, AuditHolders>();

  function holdersOf(tenantId: TenantId | null): AuditHolders {
    const holders = counted.get(tenantId) ?? repository.countHolders(tenantId);
    counted.set(tenantId, holders);
    return holders;
  }

  /** Removes at most `limit` entries beyond the tenant's limit and returns how many. */
  function trim(tenantId: TenantId | null, limit: number): number {
    const entriesMax = deps.limitOf(tenantId);
    let removed = 0;
    for (; removed < limit && holdersOf(tenantId).total > entriesMax; removed++) {
      const largest = holdersOf(tenantId).largest(entriesMax);
      if (largest === undefined) break;
      if (repository.removeOldest(tenantId, largest)) holdersOf(tenantId).add(largest, -1);
      else counted.delete(tenantId); // another process has removed the entry
    }
    return removed;
  }

  return {
    added(tenantId: TenantId | null, holder: AuditHolder): void {
      // The entry is in the table by now: a first count includes it.
      if (counted.has(tenantId)) holdersOf(tenantId).add(holder, 1);
      trim(tenantId, REMOVED_PER_ENTRY_MAX);
    },
    removed(tenantId: TenantId | null, holder: AuditHolder): void {
      counted.get(tenantId)?.add(holder, -1);
    },
    trim,
    /** Forgets the counts: the command line is another process and writes to the log too. */
    recount: () => counted.clear(),
    countOf: (tenantId: TenantId) => holdersOf(tenantId).total,
  };
}
