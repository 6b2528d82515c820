import { DomainError, detail } from "../../lib/domain-error.ts";
import {
  ModbusException,
  ModbusProtocolError,
  readAnswer,
  readRequest,
} from "../../lib/modbus/modbus-pdu.ts";
import { planReads, type ReadBlock, wordsIn } from "../../lib/modbus/read-plan.ts";
import { decodeRegister, type RegisterValue } from "../../lib/modbus/register-values.ts";
import { networkErrorText } from "../../lib/network-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Clock } from "../../platform/clock.ts";
import type { ModbusConnection } from "../../platform/modbus/modbus-connection.ts";
import type { ModbusRegister, ModbusUnit, UnitHealth } from "./modbus.types.ts";

/** Registers with the same interval, and the requests that read them. */
interface PollGroup {
  readonly intervalMs: number;
  blocks: readonly ReadBlock<ModbusRegister>[];
  /** Monotonic time of the next read. */
  dueAt: number;
}

/** Exceptions that concern the address, the number of registers or the function: another request may succeed. */
const REFUSALS: ReadonlySet<number> = new Set([1, 2, 3]);
/** Time after which a refused register is asked for again: a device may get it with another configuration. */
const REFUSED_AGAIN_MS = 10 * 60_000;
/** Longest time for which a unit that does not answer is left alone. */
const SILENCE_MS_MAX = 60_000;

export const errorTextOf = (error: unknown): Text => {
  if (error instanceof ModbusException) return detail("modbus.exception", { code: error.exceptionCode });
  if (error instanceof ModbusProtocolError) return detail("modbus.bad_answer", { reason: error.message });
  return networkErrorText(error);
};

const isTimeout = (error: unknown): boolean => error instanceof DomainError && error.kind === "timed_out";

/** What the reads of one group share. */
interface ReadStep {
  readonly connection: ModbusConnection;
  /** Values that were read, by key. */
  readonly values: Record<string, RegisterValue>;
  readonly pause: () => Promise<void>;
}

interface UnitPollerDeps {
  readonly unit: ModbusUnit;
  readonly clock: Clock;
  /** Stores values that were read together. Resolves when they are on the disk. @throws DomainError for the rate or the storage */
  readonly store: (unit: ModbusUnit, values: Readonly<Record<string, RegisterValue>>) => Promise<void>;
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
      blocks: planReads(registers, deps.unit),
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
  async poll(connection: ModbusConnection, pause: () => Promise<void>): Promise<void> {
    const group = this.#groups.toSorted((a, b) => a.dueAt - b.dueAt)[0];
    if (group === undefined) return;
    const now = this.#deps.clock.monotonic();
    const late = Math.max(0, now - group.dueAt);
    group.dueAt += group.intervalMs * (Math.floor(late / group.intervalMs) + 1);
    const values: Record<string, RegisterValue> = Object.create(null);
    try {
      for (const block of group.blocks) {
        const parts = await this.#read({ connection, values, pause }, block);
        if (parts.length > 1)
          group.blocks = group.blocks.flatMap((current) => (current === block ? parts : current));
      }
      this.#silences = 0;
      await this.#store(values);
    } catch (error) {
      this.#fail(error, group);
      if (!connection.isOpen) throw error;
      await this.#store(values); // what was read before is true nevertheless
    }
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
      await step.pause();
      const answer = await step.connection.request(this.unit.unitId, readRequest(range));
      this.#keep(step.values, block, readAnswer(range, answer));
      return [block];
    } catch (error) {
      if (!(error instanceof ModbusException) || !REFUSALS.has(error.exceptionCode)) throw error;
      if (registers.length === 1) {
        this.#refuse(first, error);
        return [block];
      }
      const middle = Math.ceil(registers.length / 2);
      const parts: ReadBlock<ModbusRegister>[] = [];
      for (const half of [registers.slice(0, middle), registers.slice(middle)])
        for (const part of planReads(half, this.unit)) parts.push(...(await this.#read(step, part)));
      return parts;
    }
  }

  #keep(
    values: Record<string, RegisterValue>,
    block: ReadBlock<ModbusRegister>,
    words: readonly number[],
  ): void {
    this.#health.answered++;
    for (const register of block.registers) {
      const { key } = register;
      this.#refused.delete(key);
      const value = decodeRegister(register, wordsIn(block, register, words));
      if (value === undefined) this.#values.delete(key);
      else values[key] = value;
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
    this.#note(detail("modbus.register_refused", { key, code }));
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

  #fail(error: unknown, { intervalMs }: PollGroup): void {
    const { clock } = this.#deps;
    this.#health.failed++;
    this.#note(errorTextOf(error));
    if (!isTimeout(error)) return;
    // A unit that is switched off must not hold up the others of its line.
    this.#silences++;
    const waitMs = Math.min(SILENCE_MS_MAX, intervalMs * 2 ** Math.min(this.#silences - 1, 10));
    this.#silentUntil = clock.monotonic() + (this.#silences === 1 ? 0 : waitMs);
  }

  #note(text: Text): void {
    this.#health.lastError = text;
    this.#health.lastErrorAt = this.#deps.clock.now();
  }
}
