import { DeadlineQueue } from "../../lib/deadline-queue.ts";
import type { LaneRow, TargetRow } from "./outbound.repository.ts";

const IN_FLIGHT_MAX = 64;
/** Limit of one tenant, so that other tenants can send too. */
const IN_FLIGHT_PER_TENANT_MAX = 32;
const IN_FLIGHT_PER_TARGET_MAX = 4;

/** Describes what waits for a target under one order key: one at a time, the oldest first. */
export interface Lane {
  readonly key: string;
  /** Delivered or given up so far, written or not: only what lies behind it is looked for. */
  lastSeq: number;
  /** Something older waits again. */
  isStale: boolean;
  state: "queued" | "in flight" | "idle";
}

/** A target for which something waits. */
export interface Target {
  readonly row: TargetRow;
  /** Keyed by order key. */
  readonly lanes: Map<string, Lane>;
  due: DeadlineQueue<Lane>;
  inFlight: number;
  /** Number of failures in a row without an answer of a working server; while there are any, one request at a time tests it. */
  failures: number;
  failedAt: number;
  blockedUntil: number;
  rows: number;
  bytes: number;
  /** Ends what is in flight. */
  readonly controller: AbortController;
}

/** Decides which lane is next: lanes by target, times on the running clock. It does not know what is sent. */
export class OutboundLanes {
  /** Keyed by id; whoever was served last comes last. */
  readonly targets = new Map<string, Target>();
  /** Number of requests in flight of each tenant that has any. */
  readonly #inFlight = new Map<string, number>();
  #inFlightAll = 0;
  readonly #idle = new Set<{ target: Target; lane: Lane }>();

  target(row: TargetRow): Target {
    const target = this.targets.get(row.targetId);
    if (target !== undefined) return target;
    const newTarget: Target = {
      row,
      lanes: new Map(),
      due: new DeadlineQueue(),
      inFlight: 0,
      failures: 0,
      failedAt: 0,
      blockedUntil: 0,
      rows: 0,
      bytes: 0,
      controller: new AbortController(),
    };
    this.targets.set(row.targetId, newTarget);
    return newTarget;
  }

  /** Something was added under the key. */
  add(target: Target, { orderKey, dueAt }: LaneRow): Lane {
    const existingLane = target.lanes.get(orderKey);
    const lane: Lane = existingLane ?? { key: orderKey, lastSeq: 0, isStale: false, state: "idle" };
    target.lanes.set(orderKey, lane);
    if (lane.state === "idle") this.queue(target, lane, dueAt);
    return lane;
  }

  queue(target: Target, lane: Lane, dueAt: number): void {
    lane.state = "queued";
    target.due.add(dueAt, lane);
  }

  /** All that waits for the target is due. */
  hasten(target: Target, now: number): void {
    target.due = new DeadlineQueue();
    for (const lane of target.lanes.values()) if (lane.state === "queued") target.due.add(now, lane);
    target.failures = 0;
    target.blockedUntil = 0;
  }

  idle(target: Target, lane: Lane): void {
    lane.state = "idle";
    this.#idle.add({ target, lane });
  }

  /** Lets go of lanes in which nothing waits; only once what they did is written. */
  dropIdle(): void {
    for (const { target, lane } of this.#idle) {
      if (lane.state === "idle") target.lanes.delete(lane.key);
      if (target.lanes.size === 0 && this.targets.get(target.row.targetId) === target)
        this.targets.delete(target.row.targetId);
    }
    this.#idle.clear();
  }

  remove(targetId: string): void {
    this.targets.get(targetId)?.controller.abort(new Error("it was removed"));
    this.targets.delete(targetId);
  }

  /** The next that may be sent, in flight from now on. Targets take turns. */
  take(now: number): { target: Target; lane: Lane } | undefined {
    if (this.#inFlightAll >= IN_FLIGHT_MAX) return undefined;
    for (const [targetId, target] of this.targets) {
      if (!this.#mayStart(target, now)) continue;
      const lane = target.due.takeDue(now)?.item;
      if (lane === undefined) continue;
      this.targets.delete(targetId);
      this.targets.set(targetId, target);
      lane.state = "in flight";
      this.#count(target, 1);
      return { target, lane };
    }
    return undefined;
  }

  landed(target: Target): void {
    this.#count(target, -1);
  }

  /** When something may be due next; undefined when only an answer changes that. */
  nextAt(): number | undefined {
    let next: number | undefined;
    for (const target of this.targets.values()) {
      const due = target.due.nextAt();
      if (due === undefined || !this.#hasRoom(target)) continue;
      const readyAt = Math.max(due, target.blockedUntil);
      if (next === undefined || readyAt < next) next = readyAt;
    }
    return next;
  }

  totals(): { rows: number; bytes: number; fullest: Target | undefined } {
    let rows = 0;
    let bytes = 0;
    let fullest: Target | undefined;
    for (const target of this.targets.values()) {
      rows += target.rows;
      bytes += target.bytes;
      if (fullest === undefined || target.bytes > fullest.bytes) fullest = target;
    }
    return { rows, bytes, fullest };
  }

  #hasRoom(target: Target): boolean {
    const max = target.failures > 0 ? 1 : IN_FLIGHT_PER_TARGET_MAX;
    return (
      target.inFlight < max &&
      this.#inFlightAll < IN_FLIGHT_MAX &&
      (this.#inFlight.get(target.row.tenantId) ?? 0) < IN_FLIGHT_PER_TENANT_MAX
    );
  }

  #mayStart(target: Target, now: number): boolean {
    return now >= target.blockedUntil && this.#hasRoom(target);
  }

  #count(target: Target, by: 1 | -1): void {
    const { tenantId } = target.row;
    target.inFlight += by;
    this.#inFlightAll += by;
    const ofTenant = (this.#inFlight.get(tenantId) ?? 0) + by;
    if (ofTenant === 0) this.#inFlight.delete(tenantId);
    else this.#inFlight.set(tenantId, ofTenant);
  }
}
