import { detail, inEnglish } from "../../lib/core/domain-error.ts";
import { DAY_MS, HOUR_MS } from "../../lib/core/units.ts";
import { backOffMs, GIVE_UP_AFTER_MS } from "../../lib/network/retry-policy.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Load } from "../../platform/delivery-queue/delivery-lanes.ts";
import {
  type Attempt,
  DeliveryQueue,
  defaultInFlight,
  type GiveUp,
  type Settled,
} from "../../platform/delivery-queue/delivery-queue.ts";
import { type Clock, createMonotonicNow } from "../../platform/time/clock.ts";
import type { CountsRow, OutboundRepository, QueuedRequest, TargetRow } from "./outbound.repository.ts";
import type { OutboundResponse } from "./outbound.types.ts";

/** Delay in ms for batched writes of results, to reduce SD-card wear. */
const WRITE_AFTER_MS = 250;
/** Max. duration of an attempt in ms; longer than the timeout of any target. */
const ATTEMPT_MS_MAX = 120_000;
/** Max. dead letters of all tenants; beyond it, the tenant with the most loses its oldest. */
const DEAD_MAX = { rows: 10_000, bytes: 64 * 1024 * 1024 };
const DEAD_DAYS = 30;
const PRUNED_PER_STEP = 1_000;

type StatusResponse = Pick<OutboundResponse, "status">;

type SettledRequest = Settled<TargetRow, QueuedRequest, StatusResponse>;

/** Undelivered request that will be retried or was given up. */
export interface FailedDelivery {
  readonly target: TargetRow;
  readonly code: "fault.delivery_retried" | "fault.delivery_dead" | "fault.delivery_dropped";
  readonly reason: Text;
}

interface OutboundDeliveryDeps {
  readonly repository: OutboundRepository;
  readonly send: (
    row: QueuedRequest,
    target: TargetRow,
    signal: AbortSignal,
  ) => Promise<Attempt<StatusResponse>>;
  readonly transact: (work: () => void) => void;
  readonly onFailed: (failed: FailedDelivery) => void;
  readonly limits: Readonly<Load>;
  readonly clock: Clock;
  /** Returns the reference time for retention, in epoch ms. */
  readonly retentionTime: () => number;
  readonly random: () => number;
  readonly log: Logger;
}

const errorOf = ({ attempt }: SettledRequest): Text => attempt.error ?? detail("delivery_error.refused");

const sourceOf = ({ tenantId, sourceKind, sourceId }: TargetRow) => ({ tenantId, sourceKind, sourceId });

/** Adds up the results of each source. */
function countsOf(results: readonly SettledRequest[], wallTime: number): CountsRow[] {
  const bySource = new Map<string, CountsRow>();
  for (const settled of results) {
    const source = sourceOf(settled.target);
    const key = JSON.stringify(source);
    const none = { sent: 0, died: 0, lastSentAt: null, lastError: null, lastErrorAt: null };
    const before = bySource.get(key) ?? { ...source, ...none };
    bySource.set(
      key,
      settled.state === "delivered"
        ? { ...before, sent: before.sent + 1, lastSentAt: wallTime }
        : {
            ...before,
            died: before.died + (settled.state === "dead" ? 1 : 0),
            lastError: errorOf(settled),
            lastErrorAt: wallTime,
          },
    );
  }
  return [...bySource.values()];
}

/**
 * Creates the delivery queue of requests to external servers. A delivered row is deleted; a row that is given up becomes a dead letter. Its clock
 * only runs while the gateway runs, so nothing is given up while the gateway is off.
 */
export function createOutboundDelivery(deps: OutboundDeliveryDeps) {
  const { repository, transact, onFailed, clock, log } = deps;
  let now = createMonotonicNow(clock, 0);

  function write(results: readonly SettledRequest[]): void {
    const wallTime = clock.now();
    transact(() => {
      repository.deleteRows(results.filter(({ state }) => state === "delivered").map(({ row }) => row.seq));
      for (const settled of results) {
        const { row, state, attempts, dueAt, endedAt, attempt } = settled;
        if (state === "delivered") continue;
        repository.settle({
          seq: row.seq,
          attempts,
          dueAt,
          triedAt: endedAt,
          lastStatus: attempt.response?.status ?? null,
          lastError: errorOf(settled),
          ...(state === "dead" ? { state: "DEAD", diedAt: wallTime } : { state: "WAITING", diedAt: null }),
        });
      }
      for (const counts of countsOf(results, wallTime)) repository.addCounts(counts);
    });
  }

  /** Converts rows to dead letters without an attempt. Each source is notified once. */
  function giveUp(targets: readonly TargetRow[], { reason, ...options }: GiveUp): Map<string, Load> {
    const error =
      reason === "full"
        ? detail("delivery_error.no_room")
        : detail("delivery_error.too_old", { hours: GIVE_UP_AFTER_MS / HOUR_MS });
    const diedAt = clock.now();
    const gone = new Map<string, Load>();
    /** One target per source, with the number of its requests. */
    const bySource = new Map<string, { target: TargetRow; count: number }>();
    transact(() => {
      let { limit } = options;
      for (const target of targets) {
        if (limit <= 0) break;
        const load = repository.giveUp(target.targetId, { ...options, limit, error, diedAt });
        if (load.rows === 0) continue;
        limit -= load.rows;
        gone.set(target.targetId, load);
        const key = JSON.stringify(sourceOf(target));
        bySource.set(key, { target, count: (bySource.get(key)?.count ?? 0) + load.rows });
      }
      for (const { target, count: died } of bySource.values())
        repository.addCounts({
          ...sourceOf(target),
          sent: 0,
          died,
          lastSentAt: null,
          lastError: error,
          lastErrorAt: diedAt,
        });
    });
    for (const { target, count } of bySource.values()) {
      onFailed({ target, code: "fault.delivery_dropped", reason: error });
      log.warn("outbound requests dropped", {
        targetId: target.targetId,
        count,
        error: inEnglish(error),
      });
    }
    return gone;
  }

  const queue = new DeliveryQueue<TargetRow, QueuedRequest, StatusResponse>(
    {
      store: repository,
      limits: { inFlight: defaultInFlight, attemptMs: ATTEMPT_MS_MAX, waiting: deps.limits },
      now: () => now(),
      writeAfterMs: WRITE_AFTER_MS,
      attempt: deps.send,
      backOffMs: (failures) => backOffMs(failures, deps.random),
      onSettled(settled) {
        const { target, state } = settled;
        if (state === "delivered") return;
        const code = state === "dead" ? "fault.delivery_dead" : "fault.delivery_retried";
        onFailed({ target, code, reason: errorOf(settled) });
      },
      write,
      giveUp,
      upkeep: () =>
        repository.pruneDead(DEAD_MAX, {
          before: deps.retentionTime() - DEAD_DAYS * DAY_MS,
          limit: PRUNED_PER_STEP,
        }),
    },
    { clock, log },
  );

  return {
    queue,
    /** Returns the time of the queue, in ms. */
    now: () => now(),
    start(): void {
      now = createMonotonicNow(clock, repository.latestRunning());
      repository.deleteUnusedTargets();
      queue.start();
    },
    stop: () => queue.stop(),
  };
}

export type OutboundDelivery = ReturnType<typeof createOutboundDelivery>;
