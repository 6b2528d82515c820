import type { TenantId } from "../../lib/core/ids.ts";
import { changeUrlSecrets } from "../../lib/network/outbound-request.ts";
import { GIVE_UP_AFTER_MS } from "../../lib/network/retry-policy.ts";
import { newId, sha256 } from "../../platform/core/ids.ts";
import { refusedWrite } from "../../platform/database/storage-failure.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { SealedBox } from "../../platform/secrets/sealed-box.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { type OutboundRepository, TargetGone, type TargetRow } from "./outbound.repository.ts";
import type { OutboundRequest, OutboundTarget } from "./outbound.types.ts";
import type { OutboundDelivery } from "./outbound-delivery.ts";

const WRITTEN_PER_STEP = 200;

/** Requests of a tenant that share a commit. */
interface Group {
  readonly committed: Promise<void>;
  readonly requests: OutboundRequest[];
  /** Resolves once the requests are on disk. */
  readonly joined: Promise<void>;
  /** Resolves once the requests are written, or have failed. */
  readonly ended: Promise<void>;
  isOpen: boolean;
}

/** Returns the columns of a URL: if it contains secrets, a masked form and the sealed URL. */
export function sealAddress(url: string, box: SealedBox): Pick<TargetRow, "url" | "urlSealed"> {
  const shown = changeUrlSecrets(url, () => "…");
  return shown === url ? { url, urlSealed: null } : { url: shown, urlSealed: box.seal(url) };
}

const columnsOf = (
  { url, sealedUrl, method, headers, timeoutMs, secret }: OutboundTarget,
  box: SealedBox,
) => ({
  ...(sealedUrl === undefined ? sealAddress(url, box) : { url, urlSealed: sealedUrl.sealed }),
  method,
  headers: { ...headers },
  timeoutMs,
  secretSealed: typeof secret === "string" ? box.seal(secret) : (secret?.sealed ?? null),
});

export function createOutboundWriter(deps: {
  repository: Pick<OutboundRepository, "ensureTarget" | "insert">;
  delivery: Pick<OutboundDelivery, "now"> & { readonly queue: Pick<OutboundDelivery["queue"], "added"> };
  box: SealedBox;
  transact: (work: () => void) => void;
  durable: () => Promise<void>;
  clock: Clock;
}) {
  const { repository, delivery, clock } = deps;
  /** Rows of targets used since startup; a target keeps its object for its whole life. */
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
      const seq = repository.insert({
        ...fields,
        ...none,
        tenantId: row.tenantId,
        targetId,
        state: "WAITING",
        createdAt,
      });
      if (seq !== undefined)
        delivery.queue.added(row, { orderKey, bytes, expiresAt: timeMs + GIVE_UP_AFTER_MS });
    };
    try {
      write();
    } catch (error) {
      if (!(error instanceof TargetGone)) throw error;
      // The transaction that created the target was rolled back, or the tenant was deleted. Other rows share this commit.
      rows.delete(request.target);
      write();
    }
  }

  function enqueue(requests: readonly OutboundRequest[]): void {
    deps.transact(() => {
      for (const request of requests) insert(request);
    });
  }

  /** Newest unwritten group of each tenant. */
  const groups = new Map<TenantId, Group>();

  /** Writes the requests in slices, because a message can have thousands of webhooks. */
  async function enqueueAll(requests: readonly OutboundRequest[]): Promise<void> {
    for (let first = 0; first < requests.length; first += WRITTEN_PER_STEP) {
      const share = first === 0 ? undefined : workShare.pause();
      if (share !== undefined) await share;
      enqueue(requests.slice(first, first + WRITTEN_PER_STEP));
    }
  }

  function openGroup(committed: Promise<void>, tenantId: TenantId): Group {
    const before = groups.get(tenantId);
    const requests: OutboundRequest[] = [];
    const write = async () => {
      await before?.ended; // requests of a device stay in order
      newGroup.isOpen = false;
      try {
        await enqueueAll(requests);
      } catch (error) {
        throw refusedWrite(error);
      }
    };
    const written = committed.then(write);
    const end = () => {
      newGroup.isOpen = false;
      if (groups.get(tenantId) === newGroup) groups.delete(tenantId);
    };
    const ended = written.then(end, end);
    const joined = written.then(() => deps.durable());
    const newGroup: Group = { committed, requests, joined, ended, isOpen: true };
    groups.set(tenantId, newGroup);
    return newGroup;
  }

  return {
    rowOf,
    enqueue,
    enqueueAfter(committed: Promise<void>, requests: readonly OutboundRequest[]): Promise<void> {
      const [request] = requests;
      if (request === undefined) return committed;
      const { tenantId } = request; // of one message, and so of one tenant
      const existing = groups.get(tenantId);
      const isSame = existing?.isOpen === true && existing.committed === committed;
      const group = isSame ? existing : openGroup(committed, tenantId);
      group.requests.push(...requests);
      return group.joined;
    },
  };
}
