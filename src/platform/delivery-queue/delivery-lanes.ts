import { DeadlineQueue } from "../../lib/data/deadline-queue.ts";
import { FairTurns } from "../load/fair-turns.ts";

export interface InFlightLimits {
  /** Attempts in flight that each tenant may always have. */
  readonly own: number;
  /** Max. additional attempts in flight, shared by all tenants. */
  readonly shared: number;
  readonly perTenant: number;
  readonly perTarget: number;
}

/** Number and size of waiting rows. */
export interface Load {
  rows: number;
  bytes: number;
}

/** Destination of rows. Its rows with the same order key go out one at a time. */
export interface DeliveryTarget {
  readonly targetId: string;
  /** Null for a target that belongs to no tenant. */
  readonly tenantId: string | null;
  /** True if the target has priority over targets that are not urgent, across tenants. */
  readonly isUrgent?: boolean;
}

/** Rows of a target with one order key, which are sent one at a time, oldest first. */
export interface Lane {
  readonly key: string;
  /** Newest settled row, written or not. Only later rows are read. */
  lastSeq: number;
  /** True if an older row waits again. */
  isStale: boolean;
  state: "queued" | "in flight" | "idle";
}

/** Target with waiting rows. */
export interface WaitingTarget<Target> {
  readonly row: Target;
  /** Keyed by order key. */
  readonly lanes: Map<string, Lane>;
  due: DeadlineQueue<Lane>;
  /** Time at which its tenant checks it again; undefined if only a change of the target requires it. */
  wakeAt: number | undefined;
  inFlight: number;
  /** Consecutive failures. While the target fails, it gets one row at a time as a test. */
  failures: number;
  failedAt: number;
  blockedUntil: number;
  /** Changed only by `DeliveryLanes.count`, which updates the totals. */
  readonly load: Load;
  /** Value of `DeliveryQueue.#deletions` when the load was read. */
  deletionsSeen: number;
  /** Lower bound of the expiry of waiting rows. */
  expiresAt: number;
}

interface Tenant<Target> {
  inFlight: number;
  readonly load: Load;
  readonly targets: Set<WaitingTarget<Target>>;
  /** Targets that can be sent a row, the least recently served first. */
  readonly ready: Set<WaitingTarget<Target>>;
  /** Targets by `wakeAt`; entries with another time are outdated. */
  readonly waiting: DeadlineQueue<WaitingTarget<Target>>;
}

/**
 * Selects the next lane: lanes by target, targets by tenant. Tenants share the attempts in flight in proportion to their duration. It is independent
 * of the content.
 */
export class DeliveryLanes<Target extends DeliveryTarget> {
  /** Keyed by id. */
  readonly targets = new Map<string, WaitingTarget<Target>>();
  readonly #limits: InFlightLimits;
  readonly #tenants = new FairTurns<Tenant<Target>>({
    create: () => ({
      inFlight: 0,
      load: { rows: 0, bytes: 0 },
      targets: new Set(),
      ready: new Set(),
      waiting: new DeadlineQueue(),
    }),
    hasWork: ({ inFlight, targets }) => inFlight > 0 || targets.size > 0,
  });
  readonly #load: Load = { rows: 0, bytes: 0 };
  /** Number of attempts in flight beyond the tenants' own attempts. */
  #inFlightShared = 0;
  #hasUrgent = false;
  readonly #idle = new Set<{ target: WaitingTarget<Target>; lane: Lane }>();

  constructor(limits: InFlightLimits) {
    this.#limits = limits;
  }

  target(row: Target): WaitingTarget<Target> {
    const target = this.targets.get(row.targetId);
    if (target !== undefined) return target;
    const newTarget: WaitingTarget<Target> = {
      row,
      lanes: new Map(),
      due: new DeadlineQueue(),
      wakeAt: undefined,
      inFlight: 0,
      failures: 0,
      failedAt: 0,
      blockedUntil: 0,
      load: { rows: 0, bytes: 0 },
      deletionsSeen: 0,
      expiresAt: Number.POSITIVE_INFINITY,
    };
    this.#hasUrgent ||= row.isUrgent === true;
    this.targets.set(row.targetId, newTarget);
    this.#tenantOf(newTarget).targets.add(newTarget);
    return newTarget;
  }

  /** Adds a row with this order key. */
  add(target: WaitingTarget<Target>, { orderKey, dueAt }: { orderKey: string; dueAt: number }): Lane {
    const existingLane = target.lanes.get(orderKey);
    const lane: Lane = existingLane ?? { key: orderKey, lastSeq: 0, isStale: false, state: "idle" };
    target.lanes.set(orderKey, lane);
    if (lane.state === "idle") this.queue(target, lane, dueAt);
    return lane;
  }

  queue(target: WaitingTarget<Target>, lane: Lane, dueAt: number): void {
    lane.state = "queued";
    target.due.add(dueAt, lane);
    this.#schedule(target);
  }

  /** Makes all queued lanes idle. The caller then adds lanes with waiting rows. */
  restart(target: WaitingTarget<Target>): void {
    target.due = new DeadlineQueue();
    for (const lane of target.lanes.values()) if (lane.state === "queued") this.idle(target, lane);
  }

  /** Allows an immediate attempt at the target. */
  unblock(target: WaitingTarget<Target>): void {
    target.failures = 0;
    target.blockedUntil = 0;
    this.#schedule(target);
  }

  idle(target: WaitingTarget<Target>, lane: Lane): void {
    lane.state = "idle";
    this.#idle.add({ target, lane });
  }

  /** Forgets idle lanes. Call it only when all results are written. */
  dropIdle(): void {
    for (const { target, lane } of this.#idle) {
      if (lane.state === "idle") target.lanes.delete(lane.key);
      if (target.lanes.size === 0) this.remove(target);
    }
    this.#idle.clear();
  }

  remove(target: WaitingTarget<Target>): void {
    if (this.targets.get(target.row.targetId) !== target) return;
    const { rows, bytes } = target.load;
    this.count(target, { rows: -rows, bytes: -bytes });
    const tenant = this.#tenantOf(target);
    tenant.targets.delete(target);
    tenant.ready.delete(target);
    target.wakeAt = undefined;
    this.targets.delete(target.row.targetId);
  }

  /** Returns the next lane to send, which is then in flight. Tenants take turns, and so do targets of a tenant. */
  take(now: number): { target: WaitingTarget<Target>; lane: Lane } | undefined {
    return (this.#hasUrgent ? this.#take(now, true) : undefined) ?? this.#take(now, false);
  }

  /** Records that an attempt has ended after `usedMs`. */
  landed(target: WaitingTarget<Target>, usedMs: number): void {
    const tenant = this.#tenantOf(target);
    if (tenant.inFlight > this.#limits.own) this.#inFlightShared--;
    tenant.inFlight--;
    target.inFlight--;
    this.#tenants.charge(target.row.tenantId ?? "", usedMs);
    this.#schedule(target);
  }

  /** Returns the earliest time of more work; undefined if there can only be more after an attempt ends. */
  nextAt(): number | undefined {
    let next: number | undefined;
    for (const [, tenant] of this.#tenants) {
      const wakeAt = this.#hasRoom(tenant) ? tenant.waiting.nextAt() : undefined;
      if (wakeAt !== undefined && (next === undefined || wakeAt < next)) next = wakeAt;
    }
    return next;
  }

  /** Adds to the load of a target. */
  count(target: WaitingTarget<Target>, { rows, bytes }: Load): void {
    for (const load of [target.load, this.#tenantOf(target).load, this.#load]) {
      load.rows += rows;
      load.bytes += bytes;
    }
  }

  /**
   * Returns targets of the tenant with the most waiting rows if the limits are exceeded: those at least half as full as its fullest target, until
   * `rows` rows wait for them.
   */
  fullestBeyond(limits: Readonly<Load>, rows: number): WaitingTarget<Target>[] {
    const shareOf = ({ load }: { load: Load }) =>
      Math.max(load.rows / limits.rows, load.bytes / limits.bytes);
    if (shareOf({ load: this.#load }) <= 1) return [];
    const tenants = [...this.#tenants].map(([, tenant]) => tenant);
    const fullest = tenants.reduce((most, tenant) => (shareOf(tenant) > shareOf(most) ? tenant : most));
    let most = 0;
    for (const target of fullest.targets) most = Math.max(most, shareOf(target));
    const found: WaitingTarget<Target>[] = [];
    let rowsFound = 0;
    for (const target of fullest.targets) {
      if (rowsFound >= rows) break;
      if (target.load.rows === 0 || shareOf(target) < most / 2) continue;
      found.push(target);
      rowsFound += target.load.rows;
    }
    return found;
  }

  #take(now: number, isUrgent: boolean): { target: WaitingTarget<Target>; lane: Lane } | undefined {
    const turn = this.#tenants.next(
      (tenant) => this.#hasRoom(tenant) && this.#readyTarget(tenant, now, isUrgent) !== undefined,
    );
    const target = turn && this.#readyTarget(turn.member, now, isUrgent);
    const lane = target?.due.takeDue(now)?.item;
    if (turn === undefined || target === undefined || lane === undefined) return undefined;
    const tenant = turn.member;
    lane.state = "in flight";
    target.inFlight++;
    tenant.inFlight++;
    if (tenant.inFlight > this.#limits.own) this.#inFlightShared++;
    this.#tenants.charge(turn.key, 1);
    tenant.ready.delete(target);
    if (this.#isReady(target, now)) tenant.ready.add(target);
    else this.#schedule(target);
    return { target, lane };
  }

  #tenantOf(target: WaitingTarget<Target>): Tenant<Target> {
    return this.#tenants.of(target.row.tenantId ?? "");
  }

  #hasRoom({ inFlight }: Tenant<Target>): boolean {
    const { own, perTenant, shared } = this.#limits;
    return inFlight < own || (inFlight < perTenant && this.#inFlightShared < shared);
  }

  /** Returns the time from which the target can be sent a row, unless something changes. */
  #readyAt(target: WaitingTarget<Target>): number | undefined {
    const max = target.failures > 0 ? 1 : this.#limits.perTarget;
    const dueAt = target.due.nextAt();
    if (dueAt === undefined || target.inFlight >= max) return undefined;
    return Math.max(dueAt, target.blockedUntil);
  }

  #isReady(target: WaitingTarget<Target>, now: number): boolean {
    const readyAt = this.#readyAt(target);
    return readyAt !== undefined && readyAt <= now;
  }

  /** Schedules the next check of the target by its tenant. */
  #schedule(target: WaitingTarget<Target>): void {
    const tenant = this.#tenantOf(target);
    if (tenant.ready.has(target) || this.targets.get(target.row.targetId) !== target) return;
    const readyAt = this.#readyAt(target);
    if (readyAt === undefined || (target.wakeAt !== undefined && target.wakeAt <= readyAt)) return;
    target.wakeAt = readyAt;
    tenant.waiting.add(readyAt, target);
  }

  /** Returns the next target of the tenant that can be sent a row. Updates the targets before it. */
  #readyTarget(tenant: Tenant<Target>, now: number, isUrgent: boolean): WaitingTarget<Target> | undefined {
    const { ready, waiting } = tenant;
    for (let entry = waiting.takeDue(now); entry !== undefined; entry = waiting.takeDue(now)) {
      const target = entry.item;
      if (target.wakeAt !== entry.dueAt) continue;
      target.wakeAt = undefined;
      ready.add(target);
    }
    for (const target of ready) {
      if (!this.#isReady(target, now)) {
        ready.delete(target);
        this.#schedule(target);
      } else if ((target.row.isUrgent ?? false) === isUrgent) return target;
    }
    return undefined;
  }
}
