import type { TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import { newId } from "../../platform/core/ids.ts";
import { mapRows, type RowPage } from "../../platform/database/row-list.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { OutboundAddresses } from "../../platform/network/outbound-address.ts";
import type { SealedBox } from "../../platform/secrets/sealed-box.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DomainEvents } from "../events.types.ts";
import { deliveryNotFound, notDead } from "./outbound.errors.ts";
import type { OutboundRepository, RequestRow, TargetRow } from "./outbound.repository.ts";
import type {
  OutboundCounts,
  OutboundEntry,
  OutboundFilter,
  OutboundRequest,
  OutboundResponse,
  OutboundSource,
  OutboundState,
  OutboundTarget,
  Sealed,
} from "./outbound.types.ts";
import type { OutboundDelivery } from "./outbound-delivery.ts";
import { deliveryIdOf, type OutboundSender } from "./outbound-sender.ts";
import { createOutboundWriter } from "./outbound-writer.ts";

/** Max. dead letters resent per call. */
const REPLAYED_MAX = 10_000;
/** Max. rows requeued or deleted before other requests run. */
const ROWS_PER_STEP = 500;

type TargetNow = (url: string) => OutboundTarget | undefined;

/**
 * Creates the service for requests to external servers that must not be lost. Each is a row in the database, written in the caller's transaction. It
 * is deleted after its target has accepted it (2xx), and becomes a dead letter if the target rejects it, after 24 hours of gateway runtime, or if
 * the queue is full.
 */
export function createOutboundService(deps: {
  repository: OutboundRepository;
  delivery: OutboundDelivery;
  sender: OutboundSender;
  addresses: OutboundAddresses;
  box: SealedBox;
  transact: (work: () => void) => void;
  durable: () => Promise<void>;
  clock: Clock;
  events: EventBus<DomainEvents>;
}) {
  const { repository, delivery, sender, clock } = deps;
  const { queue } = delivery;
  const writer = createOutboundWriter(deps);
  function toEntry({
    request,
    target,
  }: {
    request: Omit<RequestRow, "body">;
    target: TargetRow;
  }): OutboundEntry {
    const { orderKey, state, attempts, lastStatus, lastError, createdAt, diedAt, bytes, dueAt } = request;
    const waitMs = Math.max(dueAt - delivery.now(), 0);
    return {
      deliveryId: deliveryIdOf(request),
      source: { kind: target.sourceKind as OutboundSource["kind"], id: target.sourceId }, // written by us
      url: target.url,
      method: target.method,
      orderKey,
      state,
      attempts,
      lastStatus,
      lastError,
      createdAt,
      nextAttemptAt: state === "WAITING" ? clock.now() + waitMs : null,
      diedAt,
      bytes,
    };
  }

  function find(tenantId: TenantId, deliveryId: string) {
    queue.tryFlush();
    const seq = /\.(\d{1,15})$/.exec(deliveryId)?.[1];
    const found = seq === undefined ? undefined : repository.find(Number(seq));
    if (
      found === undefined ||
      found.target.tenantId !== tenantId ||
      deliveryIdOf(found.request) !== deliveryId
    )
      throw deliveryNotFound();
    return found;
  }

  /** Returns the target to which a target's dead letters are resent. */
  function destinationOf(target: TargetRow, targetNow?: TargetNow): TargetRow {
    const tenantId = target.tenantId; // written by us, as is the kind
    const source = { kind: target.sourceKind as OutboundSource["kind"], id: target.sourceId };
    const wanted = targetNow?.(target.url);
    return (wanted && writer.rowOf({ tenantId, source, target: wanted })) ?? target;
  }

  const targetsOf = (tenantId: TenantId, source: OutboundSource) => repository.listTargets(tenantId, source);

  /** Notifies the queue of changed rows, once per target after the last part, because it counts all rows of a target. */
  async function reread(targets: Iterable<TargetRow>, options: { tryNow: boolean }): Promise<void> {
    for (const target of targets) {
      const turn = workShare.pause();
      if (turn !== undefined) await turn;
      queue.changed(target, options);
    }
  }

  /** Deletes the requests of a source in parts, letting other requests run in between. `atLast` runs in the transaction of the last part. */
  async function deleteInParts(
    tenantId: TenantId,
    source: OutboundSource,
    { which, atLast }: { which?: OutboundState | undefined; atLast?: () => void },
  ): Promise<number> {
    let deleted = 0;
    for (let isLast = false; !isLast; ) {
      if (deleted > 0) await workShare.next();
      queue.tryFlush();
      deps.transact(() => {
        const count = repository.deleteOf(tenantId, source, { which, limit: ROWS_PER_STEP });
        deleted += count;
        isLast = count < ROWS_PER_STEP;
        if (isLast) atLast?.();
      });
    }
    return deleted;
  }

  deps.events.on("tenant.deleted", ({ tenantId }) => {
    queue.removed((target) => target.tenantId === tenantId);
  });

  return {
    /** Adds a request, in the caller's transaction if there is one. It survives a power cut once the database is `durable()`. */
    enqueue: writer.enqueue,
    /**
     * Enqueues requests as soon as `committed` has resolved; resolves once they are on disk. Requests after the same commit share one write, one
     * sync and the returned promise.
     */
    enqueueAfter: writer.enqueueAfter,
    /** Makes one attempt immediately, without the queue, to test a URL. */
    async sendNow({
      tenantId,
      target,
      body,
      contentType = "application/json",
    }: Omit<OutboundRequest, "source" | "orderKey">): Promise<OutboundResponse> {
      const { signal } = new AbortController();
      const outgoing = { tenantId, target, body, contentType, deliveryId: newId() };
      const { error, response } = await sender.attempt(outgoing, signal);
      return { ...response, error };
    },
    /** Seals a secret of a target, which nobody can read again. */
    seal: (secret: string): Sealed => ({ sealed: deps.box.seal(secret) }),
    /** Opens a sealed URL for a change. Undefined if the key was lost. */
    openUrl: ({ sealed }: Sealed): string | undefined => deps.box.open(sealed),
    /** Returns why nothing would be sent to the URL, judged by the URL alone. */
    refusalOf: (tenantId: TenantId, url: string): Text | undefined =>
      deps.addresses.of(tenantId).refusalOfUrl(url),
    list(tenantId: TenantId, filter: OutboundFilter): RowPage<OutboundEntry> {
      queue.tryFlush();
      return mapRows(repository.list(tenantId, filter), toEntry);
    },
    get(tenantId: TenantId, deliveryId: string): OutboundEntry & { readonly body: string } {
      const found = find(tenantId, deliveryId);
      return { ...toEntry(found), body: found.request.body };
    },
    /** Resends a dead letter, with another 24 hours; to the target that `targetNow` returns for its URL, if any. */
    replay(tenantId: TenantId, deliveryId: string, targetNow?: TargetNow): OutboundEntry {
      const { request, target } = find(tenantId, deliveryId);
      if (request.state !== "DEAD") throw notDead();
      const to = destinationOf(target, targetNow);
      const { targetId } = to;
      repository.revive([request.seq], targetId, delivery.now());
      queue.changed(to, { tryNow: true });
      return toEntry(find(tenantId, deliveryIdOf({ targetId, seq: request.seq })));
    },
    /** Resends the dead letters of a source. Returns their number. Each is requeued once, even if it dies again meanwhile. */
    async replayAll(tenantId: TenantId, source: OutboundSource, targetNow?: TargetNow): Promise<number> {
      /** Destinations by id of the original target. */
      const destinations = new Map(
        targetsOf(tenantId, source).map((target) => [target.targetId, destinationOf(target, targetNow)]),
      );
      /** Requeued targets by id. */
      const revived = new Map<string, TargetRow>();
      let replayed = 0;
      let after: number | undefined = 0;
      try {
        while (after !== undefined && replayed < REPLAYED_MAX) {
          if (after > 0) await workShare.next();
          queue.tryFlush();
          const dead = repository.listDead(tenantId, source, { after, limit: ROWS_PER_STEP });
          deps.transact(() => {
            for (const [targetId, rows] of Map.groupBy(dead, (row) => row.targetId)) {
              const to = destinations.get(targetId);
              if (to === undefined) continue; // created meanwhile
              const seqs = rows.map(({ seq }) => seq);
              replayed += repository.revive(seqs, to.targetId, delivery.now());
              revived.set(to.targetId, to);
            }
          });
          after = dead.at(ROWS_PER_STEP - 1)?.seq;
        }
      } finally {
        await reread(revived.values(), { tryNow: true }); // also what was revived before an error
      }
      return replayed;
    },
    delete(tenantId: TenantId, deliveryId: string): void {
      const { request, target } = find(tenantId, deliveryId);
      repository.deleteRows([request.seq]);
      queue.changed(target, { tryNow: false });
    },
    /** Deletes waiting requests, dead letters, or both. Returns their number. */
    async deleteAll(tenantId: TenantId, source: OutboundSource, which?: OutboundState): Promise<number> {
      try {
        return await deleteInParts(tenantId, source, { which });
      } finally {
        await reread(targetsOf(tenantId, source), { tryNow: false });
      }
    },
    /** Deletes all requests of a source, and with the last of them, by `remove`, the source itself, so that it still exists after an interruption. */
    async removeSource(tenantId: TenantId, source: OutboundSource, remove: () => void): Promise<void> {
      const atLast = () => {
        repository.deleteCounts(tenantId, source);
        remove();
      };
      try {
        await deleteInParts(tenantId, source, { atLast });
      } catch (error) {
        await reread(targetsOf(tenantId, source), { tryNow: false });
        throw error;
      }
      queue.removed(
        ({ tenantId: of, sourceKind, sourceId }) =>
          of === tenantId && sourceKind === source.kind && sourceId === source.id,
      );
    },
    countsOf(tenantId: TenantId, source: OutboundSource): OutboundCounts {
      queue.tryFlush();
      const none = { sent: 0, died: 0, lastSentAt: null, lastError: null, lastErrorAt: null };
      const { sent, died, lastSentAt, lastError, lastErrorAt } =
        repository.countsOf(tenantId, source) ?? none;
      return { sent, died, lastSentAt, lastError, lastErrorAt, ...repository.numbersOf(tenantId, source) };
    },
  };
}

export type OutboundService = ReturnType<typeof createOutboundService>;
