import { DomainError } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import type { RegisterValue } from "../../lib/modbus/register-values.ts";
import { waitAfter } from "../../lib/network/retry-policy.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Logger } from "../../platform/core/log.ts";
import { type FairShare, workShare } from "../../platform/load/fair-share.ts";
import { ModbusConnection } from "../../platform/modbus/modbus-connection.ts";
import type { OutboundRule } from "../../platform/network/outbound-address.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { waitFor } from "../../platform/time/wait-for.ts";
import { modbusNotConnected } from "./modbus.errors.ts";
import type { ModbusConnectionRecord } from "./modbus.resource.ts";
import type { ConnectionState, ModbusUnit } from "./modbus.types.ts";
import { errorTextOf, UnitPoller } from "./unit-poller.ts";

const WAIT_MS_MAX = 60_000;
/** Requests of people and commands that wait for their turn. */
const WAITING_MAX = 100;

const isTimeout = (error: unknown): boolean => error instanceof DomainError && error.kind === "timed_out";

/** A request that goes before the reads that are due. */
type Task = (connection: ModbusConnection) => Promise<void>;

interface ConnectionRunnerDeps {
  readonly connection: ModbusConnectionRecord;
  readonly units: readonly ModbusUnit[];
  readonly addresses: Pick<OutboundRule, "resolve">;
  readonly store: ConstructorParameters<typeof UnitPoller>[0]["store"];
  /** Called when the connection has been opened. */
  readonly onConnected: () => void;
  /** Called for each failed connection attempt or read of a unit. */
  readonly onFailed: (reason: Text, unit?: ModbusUnit) => void;
  /** Default: what all expensive messages and requests share. */
  readonly share?: Pick<FairShare, "enter">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Keeps one connection open, reads its units one after the other, and sends what people and commands ask for in between. */
export class ConnectionRunner {
  readonly #deps: ConnectionRunnerDeps;
  readonly #stopping = new AbortController();
  readonly #tasks: { run: Task; reject(error: unknown): void }[] = [];
  #pollers: UnitPoller[] = [];
  #connection: ModbusConnection | undefined;
  #state: ConnectionState;
  #wake: () => void = () => undefined;
  #done: Promise<void> = Promise.resolve();

  constructor(deps: ConnectionRunnerDeps) {
    this.#deps = deps;
    this.#state = { status: "connecting", since: deps.clock.now(), problem: null, nextAttemptAt: null };
    for (const unit of deps.units) this.setUnit(unit);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  pollerOf(modbusUnitId: string): UnitPoller | undefined {
    return this.#pollers.find(({ unit }) => unit.modbusUnitId === modbusUnitId);
  }

  /** Adds or replaces a unit. */
  setUnit(unit: ModbusUnit): void {
    const { clock, onFailed } = this.#deps;
    this.removeUnit(unit.modbusUnitId);
    this.#pollers.push(
      new UnitPoller({
        unit,
        clock,
        store: (of, values) => this.#store(of, values),
        onFailed: (of, reason) => onFailed(reason, of),
      }),
    );
    this.#wake();
  }

  removeUnit(modbusUnitId: string): void {
    this.#pollers = this.#pollers.filter(({ unit }) => unit.modbusUnitId !== modbusUnitId);
  }

  /** Removes the unit that has the values of the device, if there is one. */
  removeDevice(deviceId: DeviceId): void {
    this.#pollers = this.#pollers.filter(({ unit }) => unit.deviceId !== deviceId);
  }

  start(): void {
    const { connection, log } = this.#deps;
    this.#done = this.#run().catch((error) =>
      log.error("a Modbus connection has ended", { connectionId: connection.connectionId, error }),
    );
  }

  /** Resolves when nothing is in progress. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    this.#connection?.close();
    await this.#done;
  }

  /** Stores values, unless the unit was removed or changed while they were read. */
  async #store(unit: ModbusUnit, values: Readonly<Record<string, RegisterValue>>): Promise<void> {
    await this.#turn();
    if (this.pollerOf(unit.modbusUnitId)?.unit === unit) await this.#deps.store(unit, values);
  }

  /** Runs a task on the open connection, before the next read. @throws DomainError `conflict` without a connection */
  perform<Result>(task: (connection: ModbusConnection) => Promise<Result>): Promise<Result> {
    if (this.#connection?.isOpen !== true || this.#tasks.length >= WAITING_MAX)
      return Promise.reject(modbusNotConnected());
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#tasks.push({ run: (connection) => task(connection).then(resolve, reject), reject });
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
        this.#connection?.close();
        this.#connection = undefined;
        for (const { reject } of this.#tasks.splice(0)) reject(modbusNotConnected());
      }
    }
    this.#change({ status: "off", problem: null, nextAttemptAt: null });
  }

  /** Waits until the next attempt. Returns the failures in a row, this one included. */
  async #recover(error: unknown, before: number): Promise<number> {
    const hasAnswered = this.#connection?.hasAnswered === true;
    const failures = hasAnswered ? 1 : before + 1;
    // A serial line ends its connection after each request without an answer: the other units must not wait for long.
    if (!hasAnswered || !isTimeout(error)) await this.#sleepAfter(error, failures);
    return failures;
  }

  async #connect(): Promise<void> {
    const { connection, addresses, clock, onConnected } = this.#deps;
    const { signal } = this.#stopping;
    if (this.#state.status !== "connecting")
      this.#change({ ...this.#state, status: "connecting", nextAttemptAt: null });
    this.#connection = await ModbusConnection.open({ ...connection, addresses, clock, signal });
    void this.#connection.closed.then(() => this.#wake());
    this.#change({ status: "connected", problem: null, nextAttemptAt: null });
    onConnected();
  }

  async #serve(): Promise<void> {
    const connection = this.#connection;
    while (connection !== undefined && !this.#stopping.signal.aborted) {
      if (!connection.isOpen) throw connection.failure;
      if (await this.#runTask(connection)) continue;
      const next = this.#nextPoller();
      const now = this.#deps.clock.monotonic();
      if (next !== undefined && (next.dueAt ?? 0) <= now)
        await next.poll(connection, () => this.#beforeRead(connection));
      else await this.#sleep(next?.dueAt === undefined ? WAIT_MS_MAX : next.dueAt - now);
    }
  }

  /** Runs the task that has waited longest. Returns whether there was one. */
  async #runTask(connection: ModbusConnection): Promise<boolean> {
    const task = this.#tasks.shift();
    if (task === undefined) return false;
    await this.#pause();
    await task.run(connection);
    return true;
  }

  /** Lets one task go first: a unit may need many requests, and a command must not wait for all of them. */
  async #beforeRead(connection: ModbusConnection): Promise<void> {
    await this.#runTask(connection);
    await this.#pause();
    await this.#turn();
  }

  /** Waits for the site's share of the event loop: fast servers on many connections must not hold up others. */
  #turn(): Promise<void> | undefined {
    const { connection, share = workShare } = this.#deps;
    return share.enter({ tenantId: connection.tenantId, userId: connection.connectionId });
  }

  #nextPoller(): UnitPoller | undefined {
    let first: UnitPoller | undefined;
    for (const poller of this.#pollers)
      if ((poller.dueAt ?? Number.POSITIVE_INFINITY) < (first?.dueAt ?? Number.POSITIVE_INFINITY))
        first = poller;
    return first;
  }

  /** Waits until a read is due, a task comes or the connection ends. */
  async #sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#deps.clock.schedule(ms, resolve);
    this.#wake = resolve;
    await promise;
    cancel();
  }

  async #pause(): Promise<void> {
    const { connection, clock } = this.#deps;
    if (connection.pauseMs > 0) await waitFor(clock, connection.pauseMs, this.#stopping.signal);
  }

  async #sleepAfter(error: unknown, failures: number): Promise<void> {
    const { clock, onFailed, random } = this.#deps;
    const waitMs = waitAfter(failures, random, { maxMs: WAIT_MS_MAX });
    const problem: Text =
      error instanceof DomainError ? { code: error.code, params: error.params } : errorTextOf(error);
    this.#change({ status: "waiting", problem, nextAttemptAt: clock.now() + waitMs });
    onFailed(problem);
    await waitFor(clock, waitMs, this.#stopping.signal);
  }

  #change(to: Omit<ConnectionState, "since">): void {
    const since = to.status === this.#state.status ? this.#state.since : this.#deps.clock.now();
    this.#state = { ...to, since };
  }
}
