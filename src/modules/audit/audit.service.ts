import { notFound } from "../../lib/domain-error.ts";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/log.ts";
import { createPeriodic } from "../../platform/periodic.ts";
import type { AuditRepository } from "./audit.repository.ts";
import type { AuditEntry, AuditFilter, AuditRecorder, AuditScope, NewAuditEntry } from "./audit.types.ts";
import { describeChange } from "./audit-changes.ts";

const DAY_MS = 86_400_000;
const UPKEEP_INTERVAL_MS = 10 * 60_000;
/** Deleted at most in one pass: a clock that jumped ahead must not empty the log before somebody sees it. */
const PRUNED_MAX = 1_000;
/** Refusals kept at most: who is refused a million times must not push out what was done. */
const REFUSALS_MAX = 10_000;
/** Of the same refusal to the same caller one is kept a minute. */
const REFUSAL_INTERVAL_MS = 60_000;
const REFUSALS_REMEMBERED_MAX = 10_000;
const NAME_LENGTH_MAX = 256;
const EXPORT_PAGE = 500;

/** Who did what, when, and from where. */
export interface AuditService extends AuditRecorder {
  list(
    scope: AuditScope,
    filter: AuditFilter,
    page: { limit: number; before?: number | undefined },
  ): { items: AuditEntry[]; total: number };
  /** @throws DomainError `audit.not_found` */
  get(scope: AuditScope, auditId: string): AuditEntry;
  /** What was ever done, for a filter's choices. */
  listActions(scope: AuditScope): string[];
  /** All that match, the newest first, a page at a time: nothing is held while a slow reader reads. */
  pages(scope: AuditScope, filter: AuditFilter): Generator<AuditEntry[]>;
  start(): void;
  stop(): void;
}

const short = (text: string | null | undefined): string | null => text?.slice(0, NAME_LENGTH_MAX) ?? null;

export function createAuditService(deps: {
  repository: AuditRepository;
  durable: () => Promise<void>;
  /** Entries are kept this long; 0: as many as `entriesMax`. */
  days: number;
  entriesMax: number;
  clock: Clock;
  log: Logger;
}): AuditService {
  const { repository, clock, log } = deps;
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
      repository.pruneBeyond(deps.entriesMax, "done", PRUNED_MAX);
      repository.pruneBeyond(REFUSALS_MAX, "refused", PRUNED_MAX);
      if (deps.days > 0) repository.pruneBefore(clock.now() - deps.days * DAY_MS, PRUNED_MAX);
    },
  });

  return {
    record(entry) {
      if (isRepeated(entry)) return;
      const { tenantId, actor, action, outcome, target, address, userAgent } = entry;
      try {
        repository.insert({
          auditId: newId(),
          tenantId,
          at: clock.now(),
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
        });
      } catch (error) {
        // What it is about has happened already: refusing it now would be a lie.
        log.error("an audit entry could not be written", {
          action,
          actor: actor.name,
          target: target?.id,
          error,
        });
      }
    },
    durable: deps.durable,
    list: (scope, filter, page) => ({
      items: repository.list(scope, filter, page),
      total: repository.count(scope, filter),
    }),
    get(scope, auditId) {
      const entry = repository.find(scope, auditId);
      if (entry === undefined) throw notFound("audit.not_found", "There is no such entry.");
      return entry;
    },
    listActions: (scope) => repository.listActions(scope),
    *pages(scope, filter) {
      let before: number | undefined;
      for (;;) {
        const page = repository.list(scope, filter, { limit: EXPORT_PAGE, before });
        if (page.length > 0) yield page;
        before = page.at(-1)?.sequence;
        if (page.length < EXPORT_PAGE) return;
      }
    },
    start: upkeep.start,
    stop: upkeep.stop,
  };
}
