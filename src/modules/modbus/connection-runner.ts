import { DomainError } from "../../lib/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/log.ts";
import { ModbusConnection } from "../../platform/modbus/modbus-connection.ts";
import type { OutboundRule } from "../../platform/outbound-address.ts";
import { waitFor } from "../../platform/wait-for.ts";
import { modbusNotConnected } from "./modbus.errors.ts";
import type { ConnectionState, ModbusConnectionRecord, ModbusUnit } from "./modbus.types.ts";
import { errorTextOf, UnitPoller } from "./unit-poller.ts";

const FIRST_WAIT_MS = 1_000;
const WAIT_MS_MAX = 60_000;
/** Requests of people and commands that wait for their turn. */
const WAITING_MAX = 100;

/** A request that goes before the reads that are due. */
type Task = (connection: ModbusConnection) => Promise<void>;

interface ConnectionRunnerDeps {
  readonly connection: ModbusConnectionRecord;
  readonly units: readonly ModbusUnit[];
  readonly addresses: Pick<OutboundRule, "resolve">;
  readonly store: ConstructorParameters<typeof UnitPoller>[0]["store"];
  /** Called when the connection has been opened. */
  readonly onConnected: () => void;
  /** Called when the state has changed. */
  readonly onChange: () => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Keeps one connection open, reads its units one after the other, and sends what people and commands ask for in between. */
export class ConnectionRunner {
  readonly #deps: ConnectionRunnerDeps;
  readonly #stopping = new AbortController();
  readonly #tasks: { run: Task; reject(error: unknown): void }[] = [];
  #pollers: readonly UnitPoller[] = [];
  #connection: ModbusConnection | undefined;
  #state: ConnectionState;
  #wake: () => void = () => undefined;
  #done: Promise<void> = Promise.resolve();

  constructor(deps: ConnectionRunnerDeps) {
    this.#deps = deps;
    this.#state = { status: "connecting", since: deps.clock.now(), problem: null, nextAttemptAt: null };
    this.setUnits(deps.units);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  pollerOf(modbusUnitId: string): UnitPoller | undefined {
    return this.#pollers.find(({ unit }) => unit.modbusUnitId === modbusUnitId);
  }

  /** Replaces the units. Those that have not changed keep their health. */
  setUnits(units: readonly ModbusUnit[]): void {
    const { clock, store } = this.#deps;
    this.#pollers = units.map((unit) => {
      const current = this.pollerOf(unit.modbusUnitId);
      return current?.unit.updatedAt === unit.updatedAt ? current : new UnitPoller({ unit, clock, store });
    });
    this.#wake();
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
      let connected = false;
      try {
        await this.#connect();
        connected = true;
        await this.#serve();
      } catch (error) {
        if (signal.aborted) break;
        failures = connected && this.#hasRead() ? 1 : failures + 1;
        await this.#waitAfter(error, failures);
      } finally {
        this.#connection?.close();
        this.#connection = undefined;
        for (const { reject } of this.#tasks.splice(0)) reject(modbusNotConnected());
      }
    }
    this.#change({ status: "off", problem: null, nextAttemptAt: null });
  }

  /** Returns whether a unit has answered since the connection was opened. */
  #hasRead(): boolean {
    return this.#pollers.some(({ health }) => (health.lastReadAt ?? 0) >= this.#state.since);
  }

  async #connect(): Promise<void> {
    const { connection, addresses, clock, onConnected } = this.#deps;
    const { signal } = this.#stopping;
    if (this.#state.status !== "connecting")
      this.#change({ ...this.#state, status: "connecting", nextAttemptAt: null });
    this.#connection = await ModbusConnection.open({ ...connection, addresses, clock, signal });
    this.#change({ status: "connected", problem: null, nextAttemptAt: null });
    onConnected();
  }

  async #serve(): Promise<void> {
    const connection = this.#connection;
    while (connection !== undefined && !this.#stopping.signal.aborted) {
      if (!connection.isOpen) throw connection.failure;
      const task = this.#tasks.shift();
      if (task !== undefined) {
        await this.#pause();
        await task.run(connection);
        continue;
      }
      const next = this.#nextPoller();
      const now = this.#deps.clock.monotonic();
      if (next !== undefined && (next.dueAt ?? 0) <= now) await next.poll(connection, () => this.#pause());
      else await this.#sleep(connection, next?.dueAt === undefined ? WAIT_MS_MAX : next.dueAt - now);
    }
  }

  #nextPoller(): UnitPoller | undefined {
    let first: UnitPoller | undefined;
    for (const poller of this.#pollers)
      if ((poller.dueAt ?? Number.POSITIVE_INFINITY) < (first?.dueAt ?? Number.POSITIVE_INFINITY))
        first = poller;
    return first;
  }

  /** Waits until a read is due, a task comes or the connection ends. */
  async #sleep(connection: ModbusConnection, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#deps.clock.schedule(ms, resolve);
    this.#wake = resolve;
    await Promise.race([promise, connection.closed]);
    cancel();
  }

  async #pause(): Promise<void> {
    const { connection, clock } = this.#deps;
    if (connection.pauseMs > 0) await waitFor(clock, connection.pauseMs, this.#stopping.signal);
  }

  async #waitAfter(error: unknown, failures: number): Promise<void> {
    const { clock, random } = this.#deps;
    const longest = Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 10));
    const waitMs = longest * (0.5 + random() / 2);
    const problem: Text =
      error instanceof DomainError ? { code: error.code, params: error.params } : errorTextOf(error);
    this.#change({ status: "waiting", problem, nextAttemptAt: clock.now() + waitMs });
    await waitFor(clock, waitMs, this.#stopping.signal);
  }

  #change(to: Omit<ConnectionState, "since">): void {
    const { clock, onChange } = this.#deps;
    const since = to.status === this.#state.status ? this.#state.since : clock.now();
    this.#state = { ...to, since };
    onChange();
  }
}
