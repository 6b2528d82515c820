import { DomainError, detail } from "../../lib/core/domain-error.ts";
import {
  ModbusException,
  ModbusProtocolError,
  readAnswer,
  readRequest,
} from "../../lib/modbus/modbus-pdu.ts";
import { planReads, type ReadBlock, wordsIn } from "../../lib/modbus/read-plan.ts";
import { decodeRegister, type RegisterValue } from "../../lib/modbus/register-values.ts";
import { networkErrorText } from "../../lib/network/network-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { ModbusConnection } from "../../platform/modbus/modbus-connection.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { ModbusRegister, ModbusUnit, UnitHealth } from "./modbus.types.ts";

/** Registers with the same interval, and the requests that read them. */
interface PollGroup {
  readonly intervalMs: number;
  readonly registers: readonly ModbusRegister[];
  blocks: readonly ReadBlock<ModbusRegister>[];
  /** Index of the block to begin with: the one at which the last read ended early, so that none is left out for ever. */
  first: number;
  /** Monotonic time of the next read. */
  dueAt: number;
}

/** Exceptions that concern the address, the number of registers or the function: another request may succeed. */
const REFUSALS: ReadonlySet<number> = new Set([1, 2, 3]);
/** Exceptions by which a gateway to a serial line says that it cannot reach the unit. */
const UNREACHABLE: ReadonlySet<number> = new Set([10, 11]);
/** Time after which a refused register is asked for again: a device may get it with another configuration. */
const REFUSED_AGAIN_MS = 10 * 60_000;
/** Longest time for which a unit that does not answer is left alone. */
const SILENCE_MS_MAX = 60_000;
/** Shortest wait after the second time in a row; it doubles with each further time. */
const SILENCE_MS_MIN = 1_000;

export const errorTextOf = (error: unknown): Text => {
  if (error instanceof ModbusException) return detail("modbus.exception", { code: error.exceptionCode });
  if (error instanceof ModbusProtocolError) return detail("modbus.bad_answer", { reason: error.message });
  return networkErrorText(error);
};

/** Returns whether the unit did not answer: it may be switched off, and asking it takes the time of the others. */
const isSilence = (error: unknown): boolean =>
  error instanceof ModbusException
    ? UNREACHABLE.has(error.exceptionCode)
    : error instanceof DomainError && error.kind === "timed_out";

/** Something else ended the connection between two requests of a unit, which is not to blame. */
class Interrupted extends Error {}

/** What the reads of one group share. */
interface ReadStep {
  readonly connection: ModbusConnection;
  /** Values that were read, by key. */
  readonly values: Record<string, RegisterValue>;
  /** Resolves when the next request may be sent. */
  readonly ready: () => Promise<void>;
  /** Whether the unit has answered, be it with an exception. */
  isAnswered: boolean;
  /** Whether a register that was refused has been read. */
  isRecovered: boolean;
}

interface UnitPollerDeps {
  readonly unit: ModbusUnit;
  readonly clock: Clock;
  /** Stores values that were read together. Resolves when they are on the disk. @throws DomainError for the rate or the storage */
  readonly store: (unit: ModbusUnit, values: Readonly<Record<string, RegisterValue>>) => Promise<void>;
  /** Called for each read that failed. */
  readonly onFailed: (unit: ModbusUnit, reason: Text) => void;
}

/**
 * Reads the registers of one unit, each group at its own interval. Reads that could not be made in time are left out: a gap stays a gap.
 * A block that the device refuses is split until only the registers that it does not have are left out.
 */
export class UnitPoller {
  readonly unit: ModbusUnit;
  readonly #deps: UnitPollerDeps;
  readonly #groups: PollGroup[];
  readonly #values = new Map<string, RegisterValue>();
  /** Registers that the device refuses, and the time (monotonic) from which they are asked for again. */
  readonly #refused = new Map<string, { readonly code: number; readonly againAt: number }>();
  #silentUntil = Number.NEGATIVE_INFINITY;
  #silences = 0;
  #health = { lastReadAt: null, lastError: null, lastErrorAt: null, answered: 0, failed: 0 } as {
    lastReadAt: number | null;
    lastError: Text | null;
    lastErrorAt: number | null;
    answered: number;
    failed: number;
  };

  constructor(deps: UnitPollerDeps) {
    this.#deps = deps;
    this.unit = deps.unit;
    const now = deps.clock.monotonic();
    const byInterval = Map.groupBy(
      deps.unit.registers,
      ({ intervalMs }) => intervalMs ?? deps.unit.intervalMs,
    );
    this.#groups = [...byInterval].map(([intervalMs, registers]) => ({
      intervalMs,
      registers,
      blocks: planReads(registers, deps.unit),
      first: 0,
      dueAt: now,
    }));
  }

  get health(): UnitHealth {
    const refused = new Map([...this.#refused].map(([key, { code }]) => [key, code]));
    return { ...this.#health, values: this.#values, refused };
  }

  /** Monotonic time of the next read; `undefined` for a unit without registers. */
  get dueAt(): number | undefined {
    if (this.#groups.length === 0) return undefined;
    return Math.max(this.#silentUntil, Math.min(...this.#groups.map(({ dueAt }) => dueAt)));
  }

  /** Reads the group that is due first. Errors of the unit are kept in its health. @throws Error when the connection has ended */
  async poll(connection: ModbusConnection, ready: () => Promise<void>): Promise<void> {
    const group = this.#groups.toSorted((a, b) => a.dueAt - b.dueAt)[0];
    if (group === undefined) return;
    const now = this.#deps.clock.monotonic();
    const late = Math.max(0, now - group.dueAt);
    group.dueAt += group.intervalMs * (Math.floor(late / group.intervalMs) + 1);
    const step: ReadStep = {
      connection,
      values: Object.create(null),
      ready,
      isAnswered: false,
      isRecovered: false,
    };
    const error = await this.#readGroup(step, group);
    if (step.isRecovered) this.#planAgain(group);
    // What was read before an error is true nevertheless.
    await this.#store(step.values);
    if (step.isAnswered) this.#silences = 0;
    if (error !== undefined && !(error instanceof Interrupted)) this.#fail(error, step, group);
    if (!connection.isOpen) throw connection.failure;
  }

  /** Reads the blocks of a group. Returns the newest error. */
  async #readGroup(step: ReadStep, group: PollGroup): Promise<unknown> {
    const blocks = [...group.blocks.slice(group.first), ...group.blocks.slice(0, group.first)];
    let failure: unknown;
    group.first = 0;
    for (const block of blocks) {
      try {
        const parts = await this.#read(step, block);
        if (parts.length > 1)
          group.blocks = group.blocks.flatMap((current) => (current === block ? parts : current));
      } catch (error) {
        failure = error;
        if (step.connection.isOpen && !isSilence(error)) continue;
        const index = group.blocks.indexOf(block);
        const isAgain = step.isAnswered || error instanceof Interrupted;
        group.first = (isAgain ? index : index + 1) % group.blocks.length;
        break;
      }
    }
    return failure;
  }

  /** Joins the registers of a group again after one that was refused has been read. */
  #planAgain(group: PollGroup): void {
    const [refused, others] = [true, false].map((isRefused) =>
      group.registers.filter(({ key }) => this.#refused.has(key) === isRefused),
    ) as [ModbusRegister[], ModbusRegister[]];
    group.blocks = [
      ...planReads(others, this.unit),
      ...refused.flatMap((register) => planReads([register], this.unit)),
    ];
    group.first = 0;
  }

  /**
   * Reads one block into `values`. Returns the blocks to read from now on: the parts of a block that the device refuses as a whole.
   * @throws Error for a unit that does not answer
   */
  async #read(
    step: ReadStep,
    block: ReadBlock<ModbusRegister>,
  ): Promise<readonly ReadBlock<ModbusRegister>[]> {
    const { registers, range } = block;
    const [first] = registers;
    if (first === undefined || (registers.length === 1 && this.#isRefused(first))) return [block];
    try {
      await step.ready();
      if (!step.connection.isOpen) throw new Interrupted();
      const answer = await step.connection.request(this.unit.unitId, readRequest(range));
      this.#keep(step, block, readAnswer(range, answer));
      return [block];
    } catch (error) {
      if (error instanceof ModbusException && !isSilence(error)) step.isAnswered = true;
      if (!(error instanceof ModbusException) || !REFUSALS.has(error.exceptionCode)) throw error;
      if (registers.length > 1) return this.#readHalves(step, registers);
      this.#refuse(first, error);
      return [block];
    }
  }

  async #readHalves(
    step: ReadStep,
    registers: readonly ModbusRegister[],
  ): Promise<readonly ReadBlock<ModbusRegister>[]> {
    const middle = Math.ceil(registers.length / 2);
    const parts: ReadBlock<ModbusRegister>[] = [];
    for (const half of [registers.slice(0, middle), registers.slice(middle)])
      for (const part of planReads(half, this.unit)) parts.push(...(await this.#read(step, part)));
    return parts;
  }

  #keep(step: ReadStep, block: ReadBlock<ModbusRegister>, words: readonly number[]): void {
    this.#health.answered++;
    step.isAnswered = true;
    for (const register of block.registers) {
      const { key } = register;
      if (this.#refused.delete(key)) step.isRecovered = true;
      const value = decodeRegister(register, wordsIn(block, register, words));
      if (value === undefined) this.#values.delete(key);
      else step.values[key] = value;
    }
  }

  #isRefused({ key }: ModbusRegister): boolean {
    const refused = this.#refused.get(key);
    return refused !== undefined && refused.againAt > this.#deps.clock.monotonic();
  }

  /** Leaves a register out for a while. */
  #refuse({ key }: ModbusRegister, { exceptionCode: code }: ModbusException): void {
    this.#refused.set(key, { code, againAt: this.#deps.clock.monotonic() + REFUSED_AGAIN_MS });
    this.#values.delete(key);
    this.#failed(detail("modbus.register_refused", { key, code }));
  }

  async #store(values: Readonly<Record<string, RegisterValue>>): Promise<void> {
    const entries = Object.entries(values);
    if (entries.length === 0) return;
    try {
      await this.#deps.store(this.unit, values);
      for (const [key, value] of entries) this.#values.set(key, value);
      this.#health.lastReadAt = this.#deps.clock.now();
      if (this.#refused.size === 0) {
        this.#health.lastError = null;
        this.#health.lastErrorAt = null;
      }
    } catch (error) {
      this.#note(
        error instanceof DomainError ? { code: error.code, params: error.params } : errorTextOf(error),
      );
    }
  }

  #fail(error: unknown, { isAnswered }: ReadStep, { intervalMs }: PollGroup): void {
    const { clock } = this.#deps;
    this.#health.failed++;
    this.#failed(errorTextOf(error));
    if (isAnswered || !isSilence(error)) return;
    // A unit that is switched off must not hold up the others of its line.
    this.#silences++;
    const firstMs = Math.max(SILENCE_MS_MIN, intervalMs);
    const waitMs = Math.min(SILENCE_MS_MAX, firstMs * 2 ** Math.min(this.#silences - 1, 10));
    this.#silentUntil = clock.monotonic() + (this.#silences === 1 ? 0 : waitMs);
  }

  #failed(reason: Text): void {
    this.#note(reason);
    this.#deps.onFailed(this.unit, reason);
  }

  #note(text: Text): void {
    this.#health.lastError = text;
    this.#health.lastErrorAt = this.#deps.clock.now();
  }
}
