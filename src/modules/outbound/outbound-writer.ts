import type { Clock } from "../../platform/clock.ts";
import { newId, sha256 } from "../../platform/ids.ts";
import type { SealedBox } from "../../platform/sealed-box.ts";
import { toStorageFailure } from "../../platform/storage-failure.ts";
import { type OutboundRepository, TargetGone, type TargetRow } from "./outbound.repository.ts";
import type { OutboundRequest, OutboundTarget } from "./outbound.types.ts";
import type { OutboundDelivery } from "./outbound-delivery.ts";

/** Requests that ride one commit. */
interface Group {
  readonly committed: Promise<void>;
  readonly requests: OutboundRequest[];
  readonly joined: Promise<void>;
  isOpen: boolean;
}

const columnsOf = (
  { url, sealedUrl, method, headers, timeoutMs, secret }: OutboundTarget,
  box: SealedBox,
) => ({
  url,
  urlSealed: sealedUrl?.sealed ?? null,
  method,
  headers: { ...headers },
  timeoutMs,
  secretSealed: typeof secret === "string" ? box.seal(secret) : (secret?.sealed ?? null),
});

/** Puts requests into the outbox. */
export function createOutboundWriter(deps: {
  repository: Pick<OutboundRepository, "ensureTarget" | "insert">;
  delivery: Pick<OutboundDelivery, "now" | "added">;
  box: SealedBox;
  transact: (work: () => void) => void;
  durable: () => Promise<void>;
  clock: Clock;
}) {
  const { repository, delivery, clock } = deps;
  /** Rows of targets that were used since the start; a target is one object for its whole life. */
  const rows = new WeakMap<OutboundTarget, TargetRow>();

  function rowOf({
    tenantId,
    source,
    target,
  }: Pick<OutboundRequest, "tenantId" | "source" | "target">): TargetRow | undefined {
    const existing = rows.get(target);
    if (existing !== undefined) return existing;
    const values = { tenantId, sourceKind: source.kind, sourceId: source.id, ...columnsOf(target, deps.box) };
    const created = { ...values, targetId: newId(), fingerprint: sha256(JSON.stringify(values)) };
    const targetId = repository.ensureTarget(created);
    if (targetId === undefined) return undefined;
    const row = { ...created, targetId };
    rows.set(target, row);
    return row;
  }

  function insert(request: OutboundRequest): void {
    const { orderKey, body, contentType = "application/json", dedupeKey = null } = request;
    const timeMs = delivery.now();
    const bytes = Buffer.byteLength(body);
    const fields = {
      orderKey,
      contentType,
      body,
      bytes,
      dedupeKey,
      attempts: 0,
      queuedAt: timeMs,
      dueAt: timeMs,
    };
    const none = { triedAt: null, lastStatus: null, lastError: null, diedAt: null };
    const write = () => {
      const row = rowOf(request);
      if (row === undefined) return;
      const { targetId } = row;
      const createdAt = clock.now();
      const seq = repository.insert({ ...fields, ...none, targetId, state: "WAITING", createdAt });
      if (seq !== undefined) delivery.added(row, orderKey, bytes);
    };
    try {
      write();
    } catch (error) {
      if (!(error instanceof TargetGone)) throw error;
      // The transaction that made the target's row was rolled back, or the tenant is gone: others ride the same commit.
      rows.delete(request.target);
      write();
    }
  }

  function enqueue(requests: readonly OutboundRequest[]): void {
    deps.transact(() => {
      for (const request of requests) insert(request);
    });
  }

  let group: Group | undefined;

  function openGroup(committed: Promise<void>): Group {
    const requests: OutboundRequest[] = [];
    const joined = committed.then(() => {
      newGroup.isOpen = false;
      try {
        enqueue(requests);
      } catch (error) {
        throw toStorageFailure(error) ?? error;
      }
      return deps.durable();
    });
    const newGroup: Group = { committed, requests, joined, isOpen: true };
    return newGroup;
  }

  return {
    /** Returns the id of a target and creates it if there is none. Undefined if the tenant is deleted. */
    rowOf,
    enqueue,
    enqueueAfter(committed: Promise<void>, requests: readonly OutboundRequest[]): Promise<void> {
      if (group === undefined || group.committed !== committed || !group.isOpen) group = openGroup(committed);
      group.requests.push(...requests);
      return group.joined;
    },
  };
}
