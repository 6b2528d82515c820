import { DomainError } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { backOffMs } from "../../lib/network/retry-policy.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Logger } from "../../platform/core/log.ts";
import { type FairShare, workShare } from "../../platform/load/fair-share.ts";
import type { OutboundRule } from "../../platform/network/outbound-address.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { waitFor } from "../../platform/time/wait-for.ts";
import type { FieldKind, FieldProtocol } from "./field.protocol.ts";
import type { ConnectionState, FieldPoint } from "./field.types.ts";
import { UnitPoller, WAIT_MS_MAX } from "./unit-poller.ts";

/** Max. sleep of a connection without units. */
const IDLE_MS = 60_000;
/** Retry delays after a refused user or password. Saving corrected credentials reconnects immediately. */
const REFUSED_USER_WAITS = { firstMs: 20_000, maxMs: 5 * 60_000 };
/** Max. waiting requests of users and commands. */
const WAITING_MAX = 100;

const isTimeout = (error: unknown): boolean => error instanceof DomainError && error.kind === "timed_out";

/** Request that takes precedence over due reads. */
type Task<Line> = (line: Line) => Promise<void>;

interface ConnectionRunnerDeps<Kind extends FieldKind> {
  readonly protocol: FieldProtocol<Kind>;
  readonly connection: Kind["connection"];
  readonly units: readonly Kind["unit"][];
  readonly addresses: Pick<OutboundRule, "resolve">;
  /**
   * Stores values read together; an empty list is a sign of life. Resolves when they are on disk. @throws DomainError if the rate or storage limit
   * is exceeded
   */
  readonly store: (unit: Kind["unit"], points: readonly FieldPoint[]) => Promise<void>;
  /** Called when the connection has been opened. */
  readonly onConnected: () => void;
  /** Called for each failed connection attempt or read of a unit. */
  readonly onFailed: (reason: Text, unit?: Kind["unit"]) => void;
  /** Default: the share of all expensive messages and requests. */
  readonly share?: Pick<FairShare, "enter">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Keeps one connection open, reads its units in turn, and sends requests of users and commands in between. */
export class ConnectionRunner<Kind extends FieldKind> {
  readonly #deps: ConnectionRunnerDeps<Kind>;
  readonly #stopping = new AbortController();
  readonly #tasks: { run: Task<Kind["line"]>; reject(error: unknown): void }[] = [];
  #pollers: UnitPoller<Kind>[] = [];
  #line: Kind["line"] | undefined;
  #state: ConnectionState;
  #wake: () => void = () => undefined;
  #done: Promise<void> = Promise.resolve();

  constructor(deps: ConnectionRunnerDeps<Kind>) {
    this.#deps = deps;
    this.#state = { status: "connecting", since: deps.clock.now(), problem: null, nextAttemptAt: null };
    for (const unit of deps.units) this.setUnit(unit);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  pollerOf(unitId: string): UnitPoller<Kind> | undefined {
    const { unitIdOf } = this.#deps.protocol;
    return this.#pollers.find(({ unit }) => unitIdOf(unit) === unitId);
  }

  /** Adds or replaces a unit. */
  setUnit(unit: Kind["unit"]): void {
    const { protocol, connection, clock, onFailed } = this.#deps;
    const unitId = protocol.unitIdOf(unit);
    this.removeUnit(unitId);
    this.#pollers.push(
      new UnitPoller({
        protocol,
        unit,
        connection,
        clock,
        othersAnswer: () =>
          this.#pollers.some(({ unit: other, answers }) => answers && protocol.unitIdOf(other) !== unitId),
        store: (of, points) => this.#store(of, points),
        onFailed: (of, reason) => onFailed(reason, of),
      }),
    );
    this.#wake();
  }

  removeUnit(unitId: string): void {
    const { unitIdOf } = this.#deps.protocol;
    this.#pollers = this.#pollers.filter(({ unit }) => unitIdOf(unit) !== unitId);
  }

  /** Removes the device's unit, if any. */
  removeDevice(deviceId: DeviceId): void {
    this.#pollers = this.#pollers.filter(({ unit }) => unit.deviceId !== deviceId);
  }

  start(): void {
    const { protocol, connection, log } = this.#deps;
    this.#done = this.#run().catch((error) =>
      log.error(`${protocol.label} connection has ended`, { connectionId: connection.connectionId, error }),
    );
  }

  /** Resolves when no work is in progress. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    this.#line?.close();
    await this.#done;
  }

  /** Stores values, unless the unit was removed or changed during the read. */
  async #store(unit: Kind["unit"], points: readonly FieldPoint[]): Promise<void> {
    await this.#turn();
    if (this.pollerOf(this.#deps.protocol.unitIdOf(unit))?.unit === unit)
      await this.#deps.store(unit, points);
  }

  /** Runs a task on the open connection, before the next read. @throws DomainError `conflict` without a connection */
  perform<Result>(task: (line: Kind["line"]) => Promise<Result>): Promise<Result> {
    if (this.#line?.isOpen !== true || this.#tasks.length >= WAITING_MAX)
      return Promise.reject(this.#deps.protocol.errors.notConnected());
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#tasks.push({ run: (line) => task(line).then(resolve, reject), reject });
    this.#wake();
    return promise;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.#connect();
        await this.#serve();
      } catch (error) {
        if (signal.aborted) break;
        failures = await this.#recover(error, failures);
      } finally {
        this.#line?.close();
        this.#line = undefined;
        for (const { reject } of this.#tasks.splice(0)) reject(this.#deps.protocol.errors.notConnected());
      }
    }
    this.#change({ status: "off", problem: null, nextAttemptAt: null });
  }

  /** Waits until the next attempt. Returns the number of consecutive failures, including this one. */
  async #recover(error: unknown, before: number): Promise<number> {
    const hasResponded = this.#line?.hasResponded === true;
    const failures = hasResponded ? 1 : before + 1;
    // A serial line ends its connection after each request without a response: the other units must not wait for long.
    if (!hasResponded || !isTimeout(error)) {
      for (const poller of this.#pollers) poller.askAgain();
      await this.#sleepAfter(error, failures);
    }
    return failures;
  }

  async #connect(): Promise<void> {
    const { protocol, connection, addresses, clock, onConnected } = this.#deps;
    const { signal } = this.#stopping;
    if (this.#state.status !== "connecting")
      this.#change({ ...this.#state, status: "connecting", nextAttemptAt: null });
    this.#line = await protocol.open(connection, { addresses, clock, signal });
    void this.#line.closed.then(() => this.#wake());
    this.#line.onChange = (change) => {
      for (const poller of this.#pollers) poller.changed(change);
      this.#wake();
    };
    this.#change({ status: "connected", problem: null, nextAttemptAt: null });
    onConnected();
  }

  async #serve(): Promise<void> {
    const line = this.#line;
    while (line !== undefined && !this.#stopping.signal.aborted) {
      if (!line.isOpen) throw line.failure;
      if (await this.#runTask(line)) continue;
      const next = this.#nextPoller();
      const now = this.#deps.clock.monotonic();
      if (next !== undefined && (next.dueAt ?? 0) <= now) await next.poll(line, () => this.#beforeRead(line));
      else await this.#sleep(next?.dueAt === undefined ? IDLE_MS : next.dueAt - now);
    }
  }

  /** Runs the longest-waiting task. Returns false if no task is waiting. */
  async #runTask(line: Kind["line"]): Promise<boolean> {
    const task = this.#tasks.shift();
    if (task === undefined) return false;
    await this.#pause();
    await task.run(line);
    return true;
  }

  /** Lets one task go first: a unit may need many requests, and a command must not wait for all of them. */
  async #beforeRead(line: Kind["line"]): Promise<void> {
    await this.#runTask(line);
    await this.#pause();
    await this.#turn();
  }

  /** Waits for the site's share of the event loop, so that fast servers on many connections do not delay others. */
  #turn(): Promise<void> | undefined {
    const { connection, share = workShare } = this.#deps;
    return share.enter({ tenantId: connection.tenantId, userId: connection.connectionId });
  }

  #nextPoller(): UnitPoller<Kind> | undefined {
    let first: UnitPoller<Kind> | undefined;
    for (const poller of this.#pollers)
      if ((poller.dueAt ?? Number.POSITIVE_INFINITY) < (first?.dueAt ?? Number.POSITIVE_INFINITY))
        first = poller;
    return first;
  }

  /** Waits until a read is due, a task is added or the connection ends. */
  async #sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#deps.clock.schedule(ms, resolve);
    this.#wake = resolve;
    await promise;
    cancel();
  }

  async #pause(): Promise<void> {
    const { connection, clock } = this.#deps;
    const { pauseMs = 0 } = connection;
    if (pauseMs > 0) await waitFor(clock, pauseMs, this.#stopping.signal);
  }

  async #sleepAfter(error: unknown, failures: number): Promise<void> {
    const { protocol, clock, onFailed, random } = this.#deps;
    const { text: problem, isUserRefused = false } = protocol.failureOf(error);
    const isRefused = isUserRefused && this.#line === undefined;
    const waitMs = backOffMs(failures, random, isRefused ? REFUSED_USER_WAITS : { maxMs: WAIT_MS_MAX });
    this.#change({ status: "waiting", problem, nextAttemptAt: clock.now() + waitMs });
    onFailed(problem);
    await waitFor(clock, waitMs, this.#stopping.signal);
  }

  #change(to: Omit<ConnectionState, "since">): void {
    const since = to.status === this.#state.status ? this.#state.since : this.#deps.clock.now();
    this.#state = { ...to, since };
  }
}
