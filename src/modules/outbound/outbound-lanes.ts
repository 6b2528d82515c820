import { DeadlineQueue } from "../../lib/deadline-queue.ts";
import { FairTurns } from "../../platform/fair-turns.ts";
import type { LaneRow, TargetRow } from "./outbound.repository.ts";

/** Requests in flight that each tenant may have, whatever other tenants have. */
const IN_FLIGHT_OWN_MAX = 4;
/** Max. requests in flight beyond those, of all tenants. */
const IN_FLIGHT_SHARED_MAX = 64;
const IN_FLIGHT_PER_TENANT_MAX = 32;
const IN_FLIGHT_PER_TARGET_MAX = 4;

/** Requests that wait for a target under one order key: one at a time, the oldest first. */
export interface Lane {
  readonly key: string;
  /** Delivered or given up so far, written or not: only what lies behind it is looked for. */
  lastSeq: number;
  /** Something older waits again. */
  isStale: boolean;
  state: "queued" | "in flight" | "idle";
}

/** Number and size of waiting requests. */
export interface Load {
  rows: number;
  bytes: number;
}

/** A target for which something waits. */
export interface Target {
  readonly row: TargetRow;
  /** Keyed by order key. */
  readonly lanes: Map<string, Lane>;
  due: DeadlineQueue<Lane>;
  /** Time at which its tenant looks at it again; undefined if only a change of the target is a reason to. */
  wakeAt: number | undefined;
  inFlight: number;
  /** Number of failures in a row without an answer of a working server; while there are any, one request at a time tests it. */
  failures: number;
  failedAt: number;
  blockedUntil: number;
  /** Changed by `OutboundLanes.count` alone, which keeps the totals. */
  readonly load: Load;
  /** Running clock: no waiting request is older. */
  oldestAt: number;
  /** Ends what is in flight. */
  readonly controller: AbortController;
}

/** Targets of one tenant. */
interface Tenant {
  inFlight: number;
  readonly load: Load;
  readonly targets: Set<Target>;
  /** Targets to which a request may be sent; whoever was served last comes last. */
  readonly ready: Set<Target>;
  /** Targets by `wakeAt`; entries with another time are outdated. */
  readonly waiting: DeadlineQueue<Target>;
}

const createTenant = (): Tenant => ({
  inFlight: 0,
  load: { rows: 0, bytes: 0 },
  targets: new Set(),
  ready: new Set(),
  waiting: new DeadlineQueue(),
});

/**
 * Decides which lane is next: lanes by target, targets by tenant, times on the running clock. Tenants share the requests in flight by the time that
 * these take. It does not know what is sent.
 */
export class OutboundLanes {
  /** Keyed by id. */
  readonly targets = new Map<string, Target>();
  readonly #tenants = new FairTurns<Tenant>({
    create: createTenant,
    hasWork: ({ inFlight, targets }) => inFlight > 0 || targets.size > 0,
  });
  readonly #load: Load = { rows: 0, bytes: 0 };
  /** Number of requests in flight beyond those that each tenant may have anyway. */
  #inFlightShared = 0;
  readonly #idle = new Set<{ target: Target; lane: Lane }>();

  target(row: TargetRow): Target {
    const target = this.targets.get(row.targetId);
    if (target !== undefined) return target;
    const newTarget: Target = {
      row,
      lanes: new Map(),
      due: new DeadlineQueue(),
      wakeAt: undefined,
      inFlight: 0,
      failures: 0,
      failedAt: 0,
      blockedUntil: 0,
      load: { rows: 0, bytes: 0 },
      oldestAt: Number.POSITIVE_INFINITY,
      controller: new AbortController(),
    };
    this.targets.set(row.targetId, newTarget);
    this.#tenantOf(newTarget).targets.add(newTarget);
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
    this.#schedule(target);
  }

  /** All that waits for the target is due. */
  hasten(target: Target, now: number): void {
    target.due = new DeadlineQueue();
    for (const lane of target.lanes.values()) if (lane.state === "queued") target.due.add(now, lane);
    target.failures = 0;
    target.blockedUntil = 0;
    this.#schedule(target);
  }

  idle(target: Target, lane: Lane): void {
    lane.state = "idle";
    this.#idle.add({ target, lane });
  }

  /** Lets go of lanes in which nothing waits; only once what they did is written. */
  dropIdle(): void {
    for (const { target, lane } of this.#idle) {
      if (lane.state === "idle") target.lanes.delete(lane.key);
      if (target.lanes.size === 0 && this.targets.get(target.row.targetId) === target) this.#forget(target);
    }
    this.#idle.clear();
  }

  remove(targetId: string): void {
    const target = this.targets.get(targetId);
    if (target === undefined) return;
    target.controller.abort(new Error("it was removed"));
    this.#forget(target);
  }

  /** The next that may be sent, in flight from now on. Tenants take turns, and so do the targets of a tenant. */
  take(now: number): { target: Target; lane: Lane } | undefined {
    const turn = this.#tenants.next((tenant) => this.#hasRoom(tenant) && isReady(this.#refresh(tenant, now)));
    if (turn === undefined) return undefined;
    const { ready } = turn.member;
    for (const target of ready) {
      const lane = target.due.takeDue(now)?.item;
      if (lane === undefined) continue;
      ready.delete(target);
      lane.state = "in flight";
      this.#tenants.charge(turn.key, 1);
      this.#begin(target, turn.member);
      if (this.#isReady(target, now)) ready.add(target);
      else this.#schedule(target);
      return { target, lane };
    }
    return undefined;
  }

  /** Notes that a request has ended after `usedMs`. */
  landed(target: Target, usedMs: number): void {
    const { tenantId } = target.row;
    const tenant = this.#tenantOf(target);
    if (tenant.inFlight > IN_FLIGHT_OWN_MAX) this.#inFlightShared--;
    tenant.inFlight--;
    target.inFlight--;
    this.#tenants.charge(tenantId, usedMs);
    this.#schedule(target);
  }

  /** Returns the time when something may be due next; undefined when only an answer changes that. */
  nextAt(): number | undefined {
    let next: number | undefined;
    for (const [, tenant] of this.#tenants) {
      const wakeAt = this.#hasRoom(tenant) ? tenant.waiting.nextAt() : undefined;
      if (wakeAt !== undefined && (next === undefined || wakeAt < next)) next = wakeAt;
    }
    return next;
  }

  /** Adds to what waits for a target. */
  count(target: Target, { rows, bytes }: Load): void {
    for (const load of [target.load, this.#tenantOf(target).load, this.#load]) {
      load.rows += rows;
      load.bytes += bytes;
    }
  }

  /**
   * Returns targets of the tenant with the most waiting requests if there are more than the limits allow: those at least half as full as its fullest
   * target, until `rows` requests wait for them.
   */
  fullestBeyond(limits: Readonly<Load>, rows: number): Target[] {
    const shareOf = ({ load }: { load: Load }) =>
      Math.max(load.rows / limits.rows, load.bytes / limits.bytes);
    if (shareOf({ load: this.#load }) <= 1) return [];
    const tenants = [...this.#tenants].map(([, tenant]) => tenant);
    const fullest = tenants.reduce((most, tenant) => (shareOf(tenant) > shareOf(most) ? tenant : most));
    let most = 0;
    for (const target of fullest.targets) most = Math.max(most, shareOf(target));
    const found: Target[] = [];
    let rowsFound = 0;
    for (const target of fullest.targets) {
      if (rowsFound >= rows) break;
      if (target.load.rows === 0 || shareOf(target) < most / 2) continue;
      found.push(target);
      rowsFound += target.load.rows;
    }
    return found;
  }

  #tenantOf(target: Target): Tenant {
    return this.#tenants.of(target.row.tenantId);
  }

  #forget(target: Target): void {
    const { rows, bytes } = target.load;
    this.count(target, { rows: -rows, bytes: -bytes });
    const tenant = this.#tenantOf(target);
    tenant.targets.delete(target);
    tenant.ready.delete(target);
    target.wakeAt = undefined;
    this.targets.delete(target.row.targetId);
  }

  #begin(target: Target, tenant: Tenant): void {
    target.inFlight++;
    tenant.inFlight++;
    if (tenant.inFlight > IN_FLIGHT_OWN_MAX) this.#inFlightShared++;
  }

  #hasRoom({ inFlight }: Tenant): boolean {
    if (inFlight < IN_FLIGHT_OWN_MAX) return true;
    return inFlight < IN_FLIGHT_PER_TENANT_MAX && this.#inFlightShared < IN_FLIGHT_SHARED_MAX;
  }

  /** Returns the time from which a request may be sent to the target, as long as nothing changes. */
  #readyAt(target: Target): number | undefined {
    const max = target.failures > 0 ? 1 : IN_FLIGHT_PER_TARGET_MAX;
    const dueAt = target.due.nextAt();
    if (dueAt === undefined || target.inFlight >= max) return undefined;
    return Math.max(dueAt, target.blockedUntil);
  }

  #isReady(target: Target, now: number): boolean {
    const readyAt = this.#readyAt(target);
    return readyAt !== undefined && readyAt <= now;
  }

  /** Sets when the tenant looks at the target again. */
  #schedule(target: Target): void {
    const tenant = this.#tenantOf(target);
    if (tenant.ready.has(target) || this.targets.get(target.row.targetId) !== target) return;
    const readyAt = this.#readyAt(target);
    if (readyAt === undefined || (target.wakeAt !== undefined && target.wakeAt <= readyAt)) return;
    target.wakeAt = readyAt;
    tenant.waiting.add(readyAt, target);
  }

  /** Brings the tenant's targets up to date, as far as it has to: the first ready target is ready. */
  #refresh(tenant: Tenant, now: number): Tenant {
    const { ready, waiting } = tenant;
    for (let entry = waiting.takeDue(now); entry !== undefined; entry = waiting.takeDue(now)) {
      const target = entry.item;
      if (target.wakeAt !== entry.dueAt) continue;
      target.wakeAt = undefined;
      ready.add(target);
    }
    for (const target of ready) {
      if (this.#isReady(target, now)) break;
      ready.delete(target);
      this.#schedule(target);
    }
    return tenant;
  }
}

const isReady = ({ ready }: Tenant): boolean => ready.size > 0;
