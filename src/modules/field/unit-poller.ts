import type { Text } from "../../lib/texts/text.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type {
  BlockRead,
  EntryRead,
  FieldBlock,
  FieldFailure,
  FieldKind,
  FieldProtocol,
} from "./field.protocol.ts";
import type { FieldPoint, FieldValue, UnitHealth } from "./field.types.ts";

/** Entries with the same interval, and the requests that read them. */
interface PollGroup<Kind extends FieldKind> {
  readonly intervalMs: number;
  readonly entries: readonly Kind["entry"][];
  blocks: readonly FieldBlock<Kind>[];
  /** Index of the first block to read: the block at which the last read ended early, so that every block gets its turn. */
  first: number;
  /** Monotonic time of the next read. */
  dueAt: number;
}

/** Time after which a refused entry is tried again, because the device's configuration may change. */
const REFUSED_AGAIN_MS = 10 * 60_000;
/** Max. wait between attempts in ms, so that a restarted device is read within five seconds. */
export const WAIT_MS_MAX = 3_000;
/** Max. pause of a silent unit while another unit of its connection answers, in ms. */
const SILENCE_MS_MAX = 60_000;
/** Min. pause after the second consecutive timeout in ms; each further timeout doubles the pause. */
const SILENCE_MS_MIN = 1_000;

/** The connection ended between two requests of a unit, for a reason unrelated to the unit. */
class Interrupted extends Error {}

/** Shared state of the reads of one group. */
interface ReadStep<Kind extends FieldKind> {
  readonly line: Kind["line"];
  /** Values read so far. */
  readonly points: FieldPoint[];
  /** Resolves when the next request may be sent. */
  readonly ready: () => Promise<void>;
  /** True once the unit has answered, even with an error. */
  isAnswered: boolean;
  /** True once a previously refused entry has been read. */
  isRecovered: boolean;
  /** True if an entry has a value, even from an earlier read. */
  isAlive: boolean;
  /** True if more values are waiting. */
  hasMore: boolean;
}

interface UnitPollerDeps<Kind extends FieldKind> {
  readonly protocol: FieldProtocol<Kind>;
  readonly unit: Kind["unit"];
  readonly connection: Kind["connection"];
  readonly clock: Clock;
  /** Returns whether another unit of the connection answers, which this unit could delay. */
  readonly othersAnswer: () => boolean;
  /**
   * Stores values read together; an empty list is a sign of life. Resolves when they are on disk. @throws DomainError if the rate or storage limit
   * is exceeded
   */
  readonly store: (unit: Kind["unit"], points: readonly FieldPoint[]) => Promise<void>;
  /** Called for each failed read. */
  readonly onFailed: (unit: Kind["unit"], reason: Text) => void;
}

/**
 * Reads the entries of one unit, each group at its own interval. Missed reads are skipped, not made up for. A refused block is split until only the
 * refused entries are left out.
 */
export class UnitPoller<Kind extends FieldKind> {
  readonly unit: Kind["unit"];
  readonly #deps: UnitPollerDeps<Kind>;
  readonly #groups: PollGroup<Kind>[];
  readonly #values = new Map<string, FieldValue>();
  /** Newest stored values with a timestamp of the device, by key. */
  readonly #sampled = new Map<string, FieldPoint>();
  /** Notes on entries, by key. */
  readonly #notes = new Map<string, Text>();
  /** Refused entries by key, with the monotonic time of their next attempt. */
  readonly #refused = new Map<string, { readonly code: number; readonly againAt: number }>();
  /** Entries by name of their change, because a device may report thousands of changes per second. */
  readonly #byChange: ReadonlyMap<string | undefined, readonly Kind["entry"][]>;
  /** Entries reported as changed by the device. */
  readonly #changed = new Set<Kind["entry"]>();
  /** Monotonic time of the first reported change, by which changed entries take turns with the groups. */
  #changedAt = Number.POSITIVE_INFINITY;
  #silentUntil = Number.NEGATIVE_INFINITY;
  #silences = 0;
  #health = { lastReadAt: null, lastError: null, lastErrorAt: null, answered: 0, failed: 0 } as {
    lastReadAt: number | null;
    lastError: Text | null;
    lastErrorAt: number | null;
    answered: number;
    failed: number;
  };

  constructor(deps: UnitPollerDeps<Kind>) {
    this.#deps = deps;
    this.unit = deps.unit;
    const { protocol, unit, clock } = deps;
    const now = clock.monotonic();
    this.#byChange = Map.groupBy(protocol.entriesOf(unit), (entry) => protocol.changeOf?.(entry));
    const byInterval = Map.groupBy(
      protocol.entriesOf(unit),
      ({ intervalMs }) => intervalMs ?? unit.intervalMs,
    );
    this.#groups = [...byInterval].map(([intervalMs, entries]) => ({
      intervalMs,
      entries,
      blocks: protocol.plan(unit, entries, deps.connection),
      first: 0,
      dueAt: now,
    }));
  }

  get health(): UnitHealth {
    const refused = new Map([...this.#refused].map(([key, { code }]) => [key, code]));
    const blocks = this.#groups.flatMap((group) => group.blocks);
    const reported = blocks.reduce((sum, block) => sum + (block.reported ?? 0), 0);
    return { ...this.#health, values: this.#values, refused, notes: this.#notes, reported };
  }

  /** Monotonic time of the next read; `undefined` for a unit without entries. */
  get dueAt(): number | undefined {
    if (this.#groups.length === 0) return undefined;
    const groupAt = Math.min(...this.#groups.map(({ dueAt }) => dueAt));
    return Math.max(this.#silentUntil, Math.min(groupAt, this.#changedAt));
  }

  /** Schedules the entries of a reported change for reading. */
  changed(change: string): void {
    for (const entry of this.#byChange.get(change) ?? []) this.#changed.add(entry);
    if (this.#changed.size > 0) this.#changedAt = Math.min(this.#changedAt, this.#deps.clock.monotonic());
  }

  /** Returns the group to read next: the changed entries, or the first due group. */
  #nextGroup(): PollGroup<Kind> | undefined {
    const first = this.#groups.toSorted((a, b) => a.dueAt - b.dueAt)[0];
    if (first === undefined || first.dueAt <= this.#changedAt) return first;
    const entries = [...this.#changed];
    const dueAt = this.#changedAt;
    this.#changed.clear();
    this.#changedAt = Number.POSITIVE_INFINITY;
    const { intervalMs } = this.unit;
    return { intervalMs, entries, blocks: this.#plan(entries), first: 0, dueAt };
  }

  /** True if the unit answered its last request. */
  get answers(): boolean {
    return this.#silences === 0;
  }

  /** Reads the first due group. The unit's errors are kept in its health. @throws Error when the connection has ended */
  async poll(line: Kind["line"], ready: () => Promise<void>): Promise<void> {
    const group = this.#nextGroup();
    if (group === undefined) return;
    const now = this.#deps.clock.monotonic();
    const late = Math.max(0, now - group.dueAt);
    group.dueAt += group.intervalMs * (Math.floor(late / group.intervalMs) + 1);
    const step: ReadStep<Kind> = {
      line,
      points: [],
      ready,
      isAnswered: false,
      isRecovered: false,
      isAlive: false,
      hasMore: false,
    };
    const error = await this.#readGroup(step, group);
    // A group of changed entries is of this read only; its entries belong to the others.
    if (step.isRecovered)
      for (const each of this.#groups.includes(group) ? [group] : this.#groups) this.#planAgain(each);
    // Values that were read before an error are valid.
    await this.#store(step);
    // The other units of the connection are read in between.
    if (step.hasMore) group.dueAt = this.#deps.clock.monotonic();
    if (step.isAnswered) this.#silences = 0;
    if (error !== undefined && !(error instanceof Interrupted)) this.#fail(error, step, group);
    if (!line.isOpen) throw line.failure;
  }

  /** Reads the blocks of a group. Returns the newest error. */
  async #readGroup(step: ReadStep<Kind>, group: PollGroup<Kind>): Promise<unknown> {
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
        if (step.line.isOpen && !this.#failureOf(error).isSilence) continue;
        const index = group.blocks.indexOf(block);
        const isAgain = step.isAnswered || error instanceof Interrupted;
        group.first = (isAgain ? index : index + 1) % group.blocks.length;
        break;
      }
    }
    return failure;
  }

  /** Plans the blocks of a group again after a refused entry has been read. */
  #planAgain(group: PollGroup<Kind>): void {
    const refused = group.entries.filter(({ key }) => this.#refused.has(key));
    const others = group.entries.filter(({ key }) => !this.#refused.has(key));
    group.blocks = [...this.#plan(others), ...refused.flatMap((entry) => this.#plan([entry]))];
    group.first = 0;
  }

  #plan(entries: readonly Kind["entry"][]): readonly FieldBlock<Kind>[] {
    return this.#deps.protocol.plan(this.unit, entries, this.#deps.connection);
  }

  #failureOf(error: unknown): FieldFailure {
    return this.#deps.protocol.failureOf(error);
  }

  /**
   * Reads one block into `values`. Returns the blocks for future reads: the parts of the block if the device refuses any of its entries.
   * @throws Error for a unit that does not answer
   */
  async #read(step: ReadStep<Kind>, block: FieldBlock<Kind>): Promise<readonly FieldBlock<Kind>[]> {
    const { entries } = block;
    const [first] = entries;
    if (first === undefined || (entries.length === 1 && this.#isRefused(first))) return [block];
    try {
      await step.ready();
      if (!step.line.isOpen) throw new Interrupted();
      const read = await block.read(step.line);
      const { refused = new Map<Kind["entry"], number>() } = read;
      this.#take(step, entries, read);
      if (refused.size === 0) return [block];
      if (entries.length > 1)
        return [
          ...this.#plan(entries.filter((entry) => !refused.has(entry))),
          ...(await this.#readHalves(step, [...refused.keys()])),
        ];
      for (const [entry, code] of refused) this.#refuse(entry, code);
      return [block];
    } catch (error) {
      const { isResponse, refusal } = this.#failureOf(error);
      if (isResponse) step.isAnswered = true;
      if (refusal === undefined) throw error;
      if (entries.length > 1) return this.#readHalves(step, entries);
      this.#refuse(first, refusal);
      return [block];
    }
  }

  async #readHalves(
    step: ReadStep<Kind>,
    entries: readonly Kind["entry"][],
  ): Promise<readonly FieldBlock<Kind>[]> {
    const middle = Math.ceil(entries.length / 2);
    const parts: FieldBlock<Kind>[] = [];
    for (const half of [entries.slice(0, middle), entries.slice(middle)])
      for (const part of this.#plan(half)) parts.push(...(await this.#read(step, part)));
    return parts;
  }

  #take(
    step: ReadStep<Kind>,
    entries: readonly Kind["entry"][],
    { values, notes, refused, hasMore }: BlockRead<Kind["entry"]>,
  ): void {
    this.#health.answered++;
    step.isAnswered = true;
    step.hasMore ||= hasMore === true;
    for (const read of values) this.#keep(step, read);
    for (const entry of new Set(values.map(([each]) => each))) this.#noteOf(entry, notes?.get(entry));
    const { keysOf } = this.#deps.protocol;
    const hasValue = (entry: Kind["entry"]) => keysOf(entry).some((key) => this.#values.has(key));
    step.isAlive ||= entries.some((entry) => refused?.has(entry) !== true && hasValue(entry));
  }

  #keep(step: ReadStep<Kind>, [entry, values, sampledAt]: EntryRead<Kind["entry"]>): void {
    if (this.#refused.delete(entry.key)) step.isRecovered = true;
    for (const [index, key] of this.#deps.protocol.keysOf(entry).entries()) {
      const value = values[index];
      if (value === undefined) this.#values.delete(key);
      else {
        step.points.push({ key, value, sampledAt });
        this.#values.set(key, value);
      }
    }
  }

  /** Keeps the note on an entry, and reports new notes. */
  #noteOf({ key }: Kind["entry"], note: Text | undefined): void {
    const before = this.#notes.get(key);
    if (note === undefined) this.#notes.delete(key);
    else this.#notes.set(key, note);
    if (note !== undefined && note.code !== before?.code)
      this.#deps.onFailed(this.unit, { code: "field.entry_note", params: { key, note } });
  }

  /** Retries the refused entries with the next read, because the device's configuration may have changed. */
  askAgain(): void {
    for (const [key, { code }] of this.#refused)
      this.#refused.set(key, { code, againAt: Number.NEGATIVE_INFINITY });
  }

  #isRefused({ key }: Kind["entry"]): boolean {
    const refused = this.#refused.get(key);
    return refused !== undefined && refused.againAt > this.#deps.clock.monotonic();
  }

  /** Leaves a refused entry out for `REFUSED_AGAIN_MS`. */
  #refuse(entry: Kind["entry"], code: number): void {
    const { protocol, clock } = this.#deps;
    this.#refused.set(entry.key, { code, againAt: clock.monotonic() + REFUSED_AGAIN_MS });
    for (const key of protocol.keysOf(entry)) this.#values.delete(key);
    this.#notes.delete(entry.key);
    this.#failed(protocol.refusedText(entry.key, code));
  }

  /** Returns the points sampled since the last read, and the newest point per key with a timestamp of the device. */
  #sampledSince(points: readonly FieldPoint[]): { added: FieldPoint[]; newest: Map<string, FieldPoint> } {
    const newest = new Map<string, FieldPoint>();
    const added: FieldPoint[] = [];
    for (const point of points) {
      const { key, value, sampledAt } = point;
      const before = newest.get(key) ?? this.#sampled.get(key);
      if (sampledAt !== undefined) newest.set(key, point);
      if (before === undefined || before.sampledAt !== sampledAt) added.push(point);
      // A clock that stands still: the value has changed since then.
      else if (before.value !== value) added.push({ key, value });
    }
    return { added, newest };
  }

  async #store({ points, isAlive }: ReadStep<Kind>): Promise<void> {
    if (!isAlive && points.length === 0) return;
    const { added, newest } = this.#sampledSince(points);
    try {
      await this.#deps.store(this.unit, added);
      for (const [key, point] of newest) this.#sampled.set(key, point);
      this.#health.lastReadAt = this.#deps.clock.now();
      if (this.#refused.size === 0) {
        this.#health.lastError = null;
        this.#health.lastErrorAt = null;
      }
    } catch (error) {
      this.#note(this.#failureOf(error).text);
    }
  }

  #fail(error: unknown, { isAnswered }: ReadStep<Kind>, { intervalMs }: PollGroup<Kind>): void {
    const { clock, othersAnswer } = this.#deps;
    const { text, isSilence } = this.#failureOf(error);
    this.#health.failed++;
    this.#failed(text);
    if (isAnswered || !isSilence) return;
    // A unit that is switched off must not hold up the others of its line.
    this.#silences++;
    const firstMs = Math.max(SILENCE_MS_MIN, intervalMs);
    const maxMs = othersAnswer() ? SILENCE_MS_MAX : WAIT_MS_MAX;
    const waitMs = Math.min(maxMs, firstMs * 2 ** Math.min(this.#silences - 1, 10));
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
