import { setImmediate } from "node:timers/promises";
import { notFound } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { DAY_MS } from "../../lib/core/units.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { hasText } from "../../lib/texts/catalogues.ts";
import { newId } from "../../platform/core/ids.ts";
import type { Logger } from "../../platform/core/log.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { createPeriodic } from "../../platform/time/periodic.ts";
import type { AuditRepository } from "./audit.repository.ts";
import { redacted } from "./audit.repository.ts";
import type { AuditEntry, AuditFilter, AuditRecorder, AuditScope, NewAuditEntry } from "./audit.types.ts";
import type { AuditHolder, AuditHolders } from "./audit-shares.ts";

/** Placeholder for secrets in the log, which may show that a secret changed. */
const HIDDEN = "•••";
const TEXT_LENGTH_MAX = 8_192;
const DEPTH_MAX = 8;

/** Names of secret fields. Objects named `credentials` and the like contain secrets, and a device's attribute may have such a name. */
const SECRET_NAME = /passw|secret|token|otp|credential|authorization|api_?key|private_?key|^code$|^pin$/i;
/** Fields that change with every update. */
const STAMPS: ReadonlySet<string> = new Set(["updatedAt", "lastUsedAt"]);
/** Fields omitted from entries about creation and deletion, because the entry itself contains them. */
const EXISTING: ReadonlySet<string> = new Set([...STAMPS, "createdAt", "tenantId"]);

/** Returns whether the object is a catalog text, whose field `code` is not a secret. */
const isCatalogueText = ({ code, params }: Record<string, unknown>): boolean =>
  typeof code === "string" && hasText(code) && isJsonObject(params);

function withoutSecrets(value: unknown, depth = 0): unknown {
  if (depth > DEPTH_MAX) return "…";
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1));
  if (!isJsonObject(value) || isCatalogueText(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      SECRET_NAME.test(name) && inner !== null && typeof inner !== "boolean"
        ? HIDDEN
        : withoutSecrets(inner, depth + 1),
    ]),
  );
}

function bounded(value: unknown): string | null {
  if (value === undefined) return null;
  const text = JSON.stringify(value);
  if (text === undefined) return null;
  if (text.length <= TEXT_LENGTH_MAX) return text;
  const fields = isJsonObject(value) ? Object.keys(value).slice(0, 100) : [];
  return JSON.stringify({
    truncated: true,
    bytes: text.length,
    fields: fields.map((name) => name.slice(0, 64)),
  });
}

/** Returns the fields of `first` that differ in `second` or are missing there, and the device of an object, which decides who sees the entry. */
function differing(first: unknown, second: unknown, targetId: string | undefined): unknown {
  if (!isJsonObject(first) || !isJsonObject(second)) return first;
  const changed = Object.entries(first).filter(
    ([name, value]) =>
      !STAMPS.has(name) &&
      (JSON.stringify(value) !== JSON.stringify(second[name]) || (name === "deviceId" && value !== targetId)),
  );
  return Object.fromEntries(changed);
}

/** Removes empty fields. */
function filled(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([name, inner]) => inner !== null && !EXISTING.has(name)),
  );
}

/** Describes a change for the log: only the differences, without secrets, at most 8 KiB each. */
function describeChange({ before, after, target }: NewAuditEntry): {
  before: string | null;
  after: string | null;
} {
  const wasThere = before !== undefined && before !== null;
  const isThere = after !== undefined && after !== null;
  const was = wasThere && isThere ? differing(before, after, target?.id) : filled(before);
  const is = wasThere && isThere ? differing(after, before, target?.id) : filled(after);
  return {
    before: bounded(withoutSecrets(was ?? undefined)),
    after: bounded(withoutSecrets(is ?? undefined)),
  };
}

/** Max. entries removed per new entry, so that a lowered limit is reached in small steps. */
const REMOVED_PER_ENTRY_MAX = 8;

/** Returns the holder to whom an entry is attributed, and its share of the log. */
function holderOf({ tenantId, actor, outcome, address }: NewAuditEntry): AuditHolder {
  const who = actor.impersonator?.id ?? actor.keyOwnerId ?? actor.id;
  // Each attempt can name another account, so strangers are grouped by address only.
  if (outcome !== "SUCCESS") return { share: "refusals", holder: who ?? address ?? "" };
  if (actor.type === "COMMAND_LINE") return { share: "operator", holder: actor.name };
  const isOwner = tenantId !== null && actor.role === "TENANT_OWNER";
  return { share: isOwner ? "owners" : "members", holder: who ?? address ?? "" };
}

/** Keeps each tenant's log within its limit; a tenant's entries never displace another tenant's. */
function createAuditLimit(deps: {
  repository: Pick<AuditRepository, "countHolders" | "removeOldest">;
  limitOf: (tenantId: TenantId | null) => number;
}) {
  const { repository } = deps;
  /** Counts by tenant with writes since startup; null for entries without a known tenant. */
  const counted = new Map<TenantId | null, AuditHolders>();

  function holdersOf(tenantId: TenantId | null): AuditHolders {
    const holders = counted.get(tenantId) ?? repository.countHolders(tenantId);
    counted.set(tenantId, holders);
    return holders;
  }

  /** Removes at most `limit` entries beyond the tenant's limit. Returns their number. */
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
      // The entry is already in the table, so a first count includes it.
      if (counted.has(tenantId)) holdersOf(tenantId).add(holder, 1);
      trim(tenantId, REMOVED_PER_ENTRY_MAX);
    },
    removed(tenantId: TenantId | null, holder: AuditHolder): void {
      counted.get(tenantId)?.add(holder, -1);
    },
    trim,
    /** Forgets the counts, because the command line is a separate process that also writes to the log. */
    recount: () => counted.clear(),
    countOf: (tenantId: TenantId) => holdersOf(tenantId).total,
  };
}

const UPKEEP_INTERVAL_MS = 10 * 60_000;
/** Max. entries deleted per pass, so that a clock that jumped ahead does not empty the log unnoticed. */
const PRUNED_MAX = 1_000;
/** Min. interval between stored refusals of the same kind to a caller. */
const REFUSAL_INTERVAL_MS = 60_000;
const REFUSALS_REMEMBERED_MAX = 10_000;
/** Entries removed without a pause, about 5 ms. */
const TRIMMED_PER_SLICE = 100;
const NAME_LENGTH_MAX = 256;
/** Entries examined without a pause, about 5 ms. */
const SLICE_ROWS = 1_000;

/** Audit log: who did what, when, and from where. */
export interface AuditService extends AuditRecorder {
  /** `total`: number of all matches; computed only for the first page if it requires a search. */
  list(
    scope: AuditScope,
    filter: AuditFilter,
    page: { limit: number; before?: number | undefined },
  ): Promise<{ items: AuditEntry[]; total: number | undefined }>;
  /** @throws DomainError `audit.not_found` */
  get(scope: AuditScope, auditId: string): AuditEntry;
  /** Returns all logged actions, as choices of a filter. */
  listActions(scope: AuditScope): string[];
  /** Yields all matches, newest first, page by page: a slow reader holds no resources. */
  pages(scope: AuditScope, filter: AuditFilter): AsyncGenerator<readonly AuditEntry[]>;
  countOf(tenantId: TenantId): number;
  start(): void;
  stop(): void;
}

const short = (text: string | null | undefined): string | null => text?.slice(0, NAME_LENGTH_MAX) ?? null;

/** Returns the columns of an entry, except time and holder. */
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
    ...describeChange(entry),
  };
}

/** Returns the time before which entries are deleted, in epoch ms. */
const oldestOf = (deps: { readonly days: number; readonly retentionTime: () => number }): number =>
  deps.retentionTime() - deps.days * DAY_MS;

export function createAuditService(deps: {
  repository: AuditRepository;
  durable: () => Promise<void>;
  /** Days for which entries are kept; 0: as many as the limit allows. */
  days: number;
  /** Returns the max. entries of a tenant's log; null for entries without a known tenant. */
  limitOf: (tenantId: TenantId | null) => number;
  clock: Clock;
  /** Returns the reference time for retention, in epoch ms. */
  retentionTime: () => number;
  log: Logger;
}): AuditService {
  const { repository, clock, log } = deps;
  const room = createAuditLimit(deps);
  let stopped = false;
  /** Monotonic time of the last refusal, by kind and caller. */
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

  /** Trims every log to its limit, which may have been lowered; other work runs between slices. */
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
      log.warn("trimming the audit log failed", { error });
    }
  }

  /** Redacts entries one at a time, because hidden names may be anywhere in their JSON. Leaves out those of hidden devices. */
  async function shownOf(items: readonly AuditEntry[], scope: AuditScope): Promise<readonly AuditEntry[]> {
    if (scope.devices === "all") return items;
    const shown: AuditEntry[] = [];
    for (const entry of items) {
      const seen = redacted(entry, scope);
      if (seen !== undefined) shown.push(seen);
      await workShare.pause();
    }
    return shown;
  }

  /** Yields slices, letting other work run in between. */
  async function* slices(
    scope: AuditScope,
    filter: AuditFilter,
    from: number | undefined,
  ): AsyncGenerator<readonly AuditEntry[]> {
    let before = from;
    do {
      const slice = repository.slice(scope, filter, { before, rows: SLICE_ROWS });
      if (slice.items.length > 0) yield await shownOf(slice.items, scope);
      before = slice.before;
      if (before !== undefined) await workShare.next();
    } while (before !== undefined);
  }

  return {
    record(entry) {
      if (isRepeated(entry)) return;
      const { actor, action, target } = entry;
      // The recorded change has already happened, so it cannot be refused now.
      const failed = (error: unknown) => {
        room.recount();
        log.error("writing an audit entry failed", {
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
