import { setImmediate } from "node:timers/promises";
import { notFound } from "../../lib/domain-error.ts";
import type { TenantId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/log.ts";
import { createPeriodic } from "../../platform/periodic.ts";
import type { AuditRepository } from "./audit.repository.ts";
import type { AuditEntry, AuditFilter, AuditRecorder, AuditScope, NewAuditEntry } from "./audit.types.ts";
import { describeChange } from "./audit-changes.ts";
import { createAuditLimit, holderOf } from "./audit-limit.ts";

const DAY_MS = 86_400_000;
const UPKEEP_INTERVAL_MS = 10 * 60_000;
/** Deleted at most in one pass: a clock that jumped ahead must not empty the log before somebody sees it. */
const PRUNED_MAX = 1_000;
/** Interval in which one refusal of a kind is stored for a caller. */
const REFUSAL_INTERVAL_MS = 60_000;
const REFUSALS_REMEMBERED_MAX = 10_000;
/** Entries that are removed without a pause: some 5 ms. */
const TRIMMED_PER_SLICE = 100;
const NAME_LENGTH_MAX = 256;
/** Entries that are looked at without a pause: some 5 ms. */
const SLICE_ROWS = 1_000;

/** The audit log: who did what, when, and from where. */
export interface AuditService extends AuditRecorder {
  /** `total`: how many match in all; told with the first page only where it has to be searched for. */
  list(
    scope: AuditScope,
    filter: AuditFilter,
    page: { limit: number; before?: number | undefined },
  ): Promise<{ items: AuditEntry[]; total: number | undefined }>;
  /** @throws DomainError `audit.not_found` */
  get(scope: AuditScope, auditId: string): AuditEntry;
  /** Returns all actions that were ever logged, for the choices of a filter. */
  listActions(scope: AuditScope): string[];
  /** All that match, the newest first, piece by piece: nothing is held while a slow reader reads. */
  pages(scope: AuditScope, filter: AuditFilter): AsyncGenerator<AuditEntry[]>;
  /** Entries that the log of a tenant holds now. */
  countOf(tenantId: TenantId): number;
  start(): void;
  stop(): void;
}

const short = (text: string | null | undefined): string | null => text?.slice(0, NAME_LENGTH_MAX) ?? null;

/** The columns of an entry, apart from its time and from who answers for it. */
function rowOf(entry: NewAuditEntry) {
  const { tenantId, actor, action, outcome, target, address, userAgent } = entry;
  return {
    auditId: newId(),
    tenantId,
    actorType: actor.type,
    actorId: actor.id,
    actorName: short(actor.name) ?? "",
    impersonatorId: actor.impersonator?.id ?? null,
    impersonatorName: short(actor.impersonator?.name),
    action,
    outcome,
    targetType: target?.type ?? null,
    targetId: short(target?.id),
    targetName: short(target?.name),
    address: short(address),
    userAgent: short(userAgent),
    ...describeChange(entry.before, entry.after),
  };
}

/** Time before which entries are deleted, in epoch ms. */
const oldestOf = (deps: { readonly days: number; readonly retentionTime: () => number }): number =>
  deps.retentionTime() - deps.days * DAY_MS;

export function createAuditService(deps: {
  repository: AuditRepository;
  durable: () => Promise<void>;
  /** Entries are kept this long; 0: as many as the limit allows. */
  days: number;
  /** Most entries of a tenant's log; null for the entries of nobody known here. */
  limitOf: (tenantId: TenantId | null) => number;
  clock: Clock;
  /** Time against which age is measured, in epoch ms. */
  retentionTime: () => number;
  log: Logger;
}): AuditService {
  const { repository, clock, log } = deps;
  const room = createAuditLimit(deps);
  let stopped = false;
  /** Monotonic time of the newest refusal of a kind to a caller. */
  const refusals = new Map<string, number>();

  function isRepeated({ actor, action, outcome, address }: NewAuditEntry): boolean {
    if (outcome === "SUCCESS") return false;
    const key = [actor.id ?? actor.name, action, address].join("|");
    const last = refusals.get(key);
    const now = clock.monotonic();
    if (last !== undefined && now - last < REFUSAL_INTERVAL_MS) return true;
    if (refusals.size >= REFUSALS_REMEMBERED_MAX) refusals.clear();
    refusals.set(key, now);
    return false;
  }

  const upkeep = createPeriodic({
    clock,
    log,
    intervalMs: UPKEEP_INTERVAL_MS,
    work() {
      if (deps.days > 0)
        for (const { tenantId, ...holder } of repository.pruneBefore(oldestOf(deps), PRUNED_MAX))
          room.removed(tenantId, holder);
      room.recount();
      void trimAll();
    },
  });

  /** Brings every log to its limit, also after the limit was lowered; others have their turn between two slices. */
  async function trimAll(): Promise<void> {
    try {
      for (const tenantId of repository.listTenants()) {
        let removed: number;
        do {
          removed = room.trim(tenantId, TRIMMED_PER_SLICE);
          await setImmediate();
          if (stopped) return;
        } while (removed === TRIMMED_PER_SLICE);
      }
    } catch (error) {
      log.warn("the audit log could not be trimmed to its limit", { error });
    }
  }

  /** Lets others have their turn between two of them. */
  async function* slices(
    scope: AuditScope,
    filter: AuditFilter,
    from: number | undefined,
  ): AsyncGenerator<AuditEntry[]> {
    let before = from;
    do {
      const slice = repository.slice(scope, filter, { before, rows: SLICE_ROWS });
      if (slice.items.length > 0) yield slice.items;
      before = slice.before;
      if (before !== undefined) await setImmediate();
    } while (before !== undefined);
  }

  return {
    record(entry) {
      if (isRepeated(entry)) return;
      const { actor, action, target } = entry;
      // What it is about has happened already: refusing it now would be a lie.
      const failed = (error: unknown) => {
        room.recount();
        log.error("an audit entry could not be written", {
          action,
          actor: actor.name,
          target: target?.id,
          error,
        });
      };
      try {
        const holder = holderOf(entry);
        const row = { ...rowOf(entry), ...holder, at: clock.now() };
        repository.insert(row, { inserted: (keptFor) => room.added(keptFor, holder), failed });
      } catch (error) {
        failed(error);
      }
    },
    durable: deps.durable,
    async list(scope, filter, { limit, before }) {
      const isWhole = scope.devices === "all" && Object.values(filter).every((value) => value === undefined);
      if (isWhole) {
        const { items } = repository.slice(scope, filter, { before, rows: limit });
        return { items, total: repository.count(scope) };
      }
      const items: AuditEntry[] = [];
      let total = 0;
      for await (const found of slices(scope, filter, before)) {
        items.push(...found.slice(0, limit - items.length));
        total += found.length;
        if (before !== undefined && items.length === limit) break;
      }
      return { items, total: before === undefined ? total : undefined };
    },
    get(scope, auditId) {
      const entry = repository.find(scope, auditId);
      if (entry === undefined) throw notFound("audit.not_found");
      return entry;
    },
    listActions: (scope) => repository.listActions(scope),
    pages: (scope, filter) => slices(scope, filter, undefined),
    countOf: room.countOf,
    start: upkeep.start,
    stop() {
      stopped = true;
      upkeep.stop();
    },
  };
}
