import { invalid } from "../../../../lib/core/domain-error.ts";
import { decodeValue, TAG_ABSENT, TAG_NUMBER } from "../../../../lib/data/value-kind.ts";
import { excerpt } from "../../../../lib/strings/excerpt.ts";
import type { Aggregation, TelemetryValue } from "../../telemetry.types.ts";
import type { ColumnSummary } from "../blocks/column-summary.ts";
import { type EarlierKind, earlierValues } from "../blocks/earlier-values.ts";
import { familyKeysOf } from "../blocks/series-families.ts";
import type { ColumnSums } from "../codec/column-sums.ts";
import type { StateRuns } from "../codec/state-runs.ts";
import type { DeviceState } from "../registry.ts";
import type { Column } from "../rows.ts";
import type { StoreQuery, WireDeviceSeries } from "../store.protocol.ts";
import type { StoreEngine } from "../store-engine.ts";
import type { Steps } from "../upkeep/slice-scheduler.ts";
import { AggregateSink } from "./aggregate-sink.ts";
import { eachInterval, eachIntervalOf, type Intervals, intervalsOf } from "./intervals.ts";
import { extentOf, type FamilyRange, FamilyReader, hotRows } from "./range-reader.ts";
import { ResponseText } from "./response-text.ts";
import type { ClosedRange, EarlierValue, SeriesSink, SinkResult } from "./series-sink.ts";
import { numberState, type StateValue, stateAt } from "./state-table.ts";
import { ThinningSink } from "./thinning-sink.ts";
import { TimeInSink } from "./time-in-sink.ts";

/** Oldest or newest value of each interval, of any type. */
class EdgeSink implements SeriesSink {
  readonly isUnfit = false;
  readonly #intervals: Intervals;
  readonly #edge: "first" | "last";
  readonly #ts: number[] = [];
  readonly #values: TelemetryValue[] = [];
  #allNumbers = true;
  #index = Number.NaN;
  #current: StateValue | null = null;

  constructor(intervals: Intervals, edge: "first" | "last") {
    this.#intervals = intervals;
    this.#edge = edge;
  }

  rows(ts: Float64Array, column: Column): void {
    eachInterval(this.#intervals, ts, (index, start, stop) => {
      if (!this.#needs(index)) return;
      const row = this.#edge === "first" ? firstRow(column, start, stop) : lastRow(column, start, stop);
      if (row >= 0) this.#take(index, stateAt(column, row));
    });
  }

  summary(summary: ColumnSummary): boolean {
    const index = this.#intervals.indexOf(summary.firstTs);
    if (index !== this.#intervals.indexOf(summary.lastTs)) return false;
    if (!this.#needs(index)) return true;
    const value = edgeOf(summary, this.#edge);
    if (value === null) return false;
    this.#take(index, value);
    return true;
  }

  sums(sums: ColumnSums, { from, to }: ClosedRange): void {
    eachIntervalOf(this.#intervals, { stamps: sums.stamps, from, to }, (index, start, stop) => {
      if (!this.#needs(index)) return;
      this.#take(index, numberState(sums.at(this.#edge === "first" ? start : stop - 1)));
    });
  }

  runs(runs: StateRuns, { from, to }: ClosedRange): void {
    eachIntervalOf(this.#intervals, { stamps: runs.stamps, from, to }, (index, start, stop) => {
      if (!this.#needs(index)) return;
      const value = this.#edge === "first" ? runs.first(start, stop) : runs.last(start, stop);
      if (value !== null) this.#take(index, value);
    });
  }

  finish(): SinkResult | null {
    this.#close();
    if (this.#ts.length === 0) return null;
    const ts = Float64Array.from(this.#ts);
    if (!this.#allNumbers) return { ts, numbers: null, values: this.#values };
    return { ts, numbers: Float64Array.from(this.#values as number[]), values: null };
  }

  #needs(index: number): boolean {
    return this.#edge === "last" || index !== this.#index;
  }

  #take(index: number, value: StateValue): void {
    if (index !== this.#index) this.#close();
    this.#index = index;
    this.#current = value;
  }

  #close(): void {
    if (this.#current === null) return;
    const { tag, number, text } = this.#current;
    if (tag !== TAG_NUMBER) this.#allNumbers = false;
    this.#ts.push(this.#intervals.startOf(this.#index));
    this.#values.push(decodeValue(tag, number, text));
    this.#current = null;
  }
}

/** Returns the value at the edge of a block; null if only its rows contain it. */
function edgeOf(
  { count, numeric, first, last, states }: ColumnSummary,
  edge: "first" | "last",
): StateValue | null {
  const state = states?.values[edge === "first" ? 0 : states.last];
  // The number itself, because a table does not tell 0 from -0.
  if (numeric === count || state?.tag === TAG_NUMBER) return numberState(edge === "first" ? first : last);
  return state ?? null;
}

function firstRow({ tags }: Column, start: number, stop: number): number {
  for (let row = start; row < stop; row++) if (tags[row] !== TAG_ABSENT) return row;
  return -1;
}

function lastRow({ tags }: Column, start: number, stop: number): number {
  for (let row = stop - 1; row >= start; row--) if (tags[row] !== TAG_ABSENT) return row;
  return -1;
}

/**
 * Increase of a counter per interval: the difference of each number to the previous one, which may precede the interval or the range. A smaller
 * number is a reset and counts in full. Computed as last − base + the numbers before resets, which is exact for a counter without resets.
 */
class DeltaSink implements SeriesSink {
  readonly #intervals: Intervals;
  readonly #ts: number[] = [];
  readonly #numbers: number[] = [];
  /** Interval of the newest number; -1 before the first number of the range. */
  #index = -1;
  #previous: number | undefined;
  /** Number with which the interval's first number is compared. */
  #base = 0;
  #drops = 0;
  #sawOther = false;

  constructor(intervals: Intervals) {
    this.#intervals = intervals;
  }

  get isUnfit(): boolean {
    return this.#sawOther && this.#previous === undefined;
  }

  before({ number }: EarlierValue): void {
    this.#previous = number;
  }

  rows(ts: Float64Array, column: Column): void {
    eachInterval(this.#intervals, ts, (index, start, stop) => this.#addRows(index, column, { start, stop }));
  }

  #addRows(
    index: number,
    { tags, numbers, dense }: Column,
    { start, stop }: { start: number; stop: number },
  ): void {
    let row = start;
    while (row < stop && tags[row] !== TAG_NUMBER) {
      if (tags[row] !== TAG_ABSENT) this.#sawOther = true;
      row++;
    }
    if (row === stop) return;
    this.#open(index, numbers[row]!);
    let previous = this.#previous ?? numbers[row]!;
    let drops = this.#drops;
    for (; row < stop; row++) {
      if (!dense && tags[row] !== TAG_NUMBER) continue;
      const number = numbers[row]!;
      if (number < previous) drops += previous;
      previous = number;
    }
    this.#previous = previous;
    this.#drops = drops;
  }

  summary({ count, numeric, first, last, drops, firstTs, lastTs }: ColumnSummary): boolean {
    if (numeric < count) this.#sawOther = true;
    if (numeric === 0) return true;
    const index = this.#intervals.indexOf(firstTs);
    if (index !== this.#intervals.indexOf(lastTs)) return false;
    this.#add(index, { first, last, drops });
    return true;
  }

  sums(sums: ColumnSums, { from, to }: ClosedRange): void {
    eachIntervalOf(this.#intervals, { stamps: sums.stamps, from, to }, (index, start, stop) => {
      const drops = sums.drops(start, stop);
      this.#add(index, { first: sums.at(start), last: sums.at(stop - 1), drops });
    });
  }

  #add(index: number, { first, last, drops }: Pick<ColumnSummary, "first" | "last" | "drops">): void {
    this.#open(index, first);
    if (this.#previous !== undefined && first < this.#previous) this.#drops += this.#previous;
    this.#drops += drops;
    this.#previous = last;
  }

  finish(): SinkResult | null {
    this.#close();
    if (this.#ts.length === 0) return null;
    return { ts: new Float64Array(this.#ts), numbers: new Float64Array(this.#numbers), values: null };
  }

  #open(index: number, first: number): void {
    if (index === this.#index) return;
    this.#close();
    this.#index = index;
    this.#base = this.#previous ?? first;
    this.#drops = 0;
  }

  #close(): void {
    if (this.#index < 0) return;
    this.#ts.push(this.#intervals.startOf(this.#index));
    this.#numbers.push((this.#previous ?? 0) - this.#base + this.#drops);
  }
}

/** Approximate max. points of a part; each series counts as some more. */
const PART_POINTS_MAX = 20_000;
const SERIES_POINTS = 8;

const sizeOf = ({ ts, times }: SinkResult): number => times?.ms.length ?? ts.length;

/** Collects the response to a query and passes it on in parts. The series of one device may be in several parts. */
class ResponseParts {
  readonly #onPart: (part: WireDeviceSeries[]) => void;
  #part: WireDeviceSeries[] = [];
  #points = 0;

  constructor(onPart: (part: WireDeviceSeries[]) => void) {
    this.#onPart = onPart;
  }

  add({ deviceId, series }: WireDeviceSeries): void {
    let current: WireDeviceSeries = { deviceId, series: [] };
    this.#part.push(current);
    for (const candidate of series) {
      if (this.#points >= PART_POINTS_MAX) {
        this.#onPart(this.takeRest());
        current = { deviceId, series: [] };
        this.#part.push(current);
      }
      current.series.push(candidate);
      this.#points += sizeOf(candidate) + SERIES_POINTS;
    }
  }

  takeRest(): WireDeviceSeries[] {
    const part = this.#part;
    this.#part = [];
    this.#points = 0;
    return part;
  }
}

/** Reports at the end of a query if none of its keys has numbers. Other keys without numbers are ignored. */
class Fitness {
  #unfit: string | undefined;
  #hasSeries = false;

  takeSeries(): void {
    this.#hasSeries = true;
  }

  refuse(key: string): void {
    this.#unfit ??= key;
  }

  /** @throws DomainError `telemetry.not_numeric` */
  end(): void {
    if (this.#unfit !== undefined && !this.#hasSeries) throw notNumeric(this.#unfit);
  }
}

/** Answers a range query by device, family and block. `onPart` gets the beginning of a large response, the result is the rest. */
export function* queryTask(
  engine: StoreEngine,
  query: StoreQuery,
  onPart: (part: WireDeviceSeries[]) => void,
): Steps<WireDeviceSeries[]> {
  const response = new ResponseParts(onPart);
  const fitness = new Fitness();
  for (const deviceId of query.deviceIds) {
    const device = engine.registry.byId.get(deviceId);
    if (device !== undefined) response.add(yield* deviceTask(engine, device, { query, fitness }));
  }
  fitness.end();
  return response.takeRest();
}

/** Answers like `queryTask`, as JSON text. */
export function* queryTextTask(
  engine: StoreEngine,
  query: StoreQuery,
  onPart: (part: Uint8Array) => void,
): Steps<Uint8Array> {
  const text = new ResponseText(onPart);
  const fitness = new Fitness();
  for (const deviceId of query.deviceIds) {
    const device = engine.registry.byId.get(deviceId);
    if (device === undefined) continue;
    yield* text.add(yield* deviceTask(engine, device, { query, fitness }));
  }
  fitness.end();
  return text.end(query);
}

function* deviceTask(
  engine: StoreEngine,
  device: DeviceState,
  { query, fitness }: { readonly query: StoreQuery; readonly fitness: Fitness },
): Steps<WireDeviceSeries> {
  /** Key number → sink, in the order of the response. */
  const sinks = new Map<number, SeriesSink>();
  for (const [family, keys] of familyKeysOf(engine.registry, device, query.keys)) {
    const range = { device, family, keys, from: query.from, to: query.to };
    const earlier = yield* earlierOf(engine, range, query.aggregation);
    const hot = hotRows(engine.generations, range);
    const extent = extentOf(engine.blocks, range, hot);
    if (extent === null && !(query.aggregation === "timeIn" && earlier.size > 0)) continue;
    const familySinks = new Map([...keys].map((key) => [key, sinkFor(query, extent ?? range)] as const));
    for (const [key, value] of earlier) familySinks.get(key)?.before?.(value);
    yield* new FamilyReader(engine.blocks, range, { hot, sinks: familySinks }).read();
    for (const [key, sink] of familySinks) sinks.set(key, sink);
    yield; // hot rows are read without it
  }
  return { deviceId: device.deviceId, series: results(engine, sinks, { query, fitness }) };
}

const NO_VALUES: ReadonlyMap<number, EarlierValue> = new Map();

/** Earlier value that an aggregate needs from before its range. */
const earlierKinds: Partial<Record<Aggregation, EarlierKind>> = { delta: "number", timeIn: "any" };

function* earlierOf(
  engine: StoreEngine,
  range: FamilyRange,
  aggregation: Aggregation,
): Steps<ReadonlyMap<number, EarlierValue>> {
  const kind = earlierKinds[aggregation];
  return kind === undefined ? NO_VALUES : yield* earlierValues(engine, range, kind);
}

function sinkFor(query: StoreQuery, extent: { from: number; to: number }): SeriesSink {
  const { aggregation } = query;
  if (aggregation === "none") return new ThinningSink(query.maxDataPoints, extent.from, extent.to);
  const intervals = intervalsOf(query);
  if (aggregation === "delta") return new DeltaSink(intervals);
  if (aggregation === "first" || aggregation === "last") return new EdgeSink(intervals, aggregation);
  if (aggregation === "timeIn")
    return new TimeInSink(intervals, { from: query.from, end: Math.min(query.to + 1, query.now) });
  return new AggregateSink(intervals, aggregation);
}

function results(
  engine: StoreEngine,
  sinks: ReadonlyMap<number, SeriesSink>,
  { query, fitness }: { readonly query: StoreQuery; readonly fitness: Fitness },
): WireDeviceSeries["series"] {
  const series: WireDeviceSeries["series"] = [];
  for (const [key, sink] of sinks) {
    const result = sink.finish();
    const name = engine.registry.keyNames[key] ?? "";
    if (sink.isUnfit && query.keys.length > 0) fitness.refuse(name);
    if (sink.isUnfit || result === null) continue;
    fitness.takeSeries();
    series.push({ key: name, ...result });
  }
  return series.sort((a, b) => (a.key < b.key ? -1 : 1));
}

const notNumeric = (key: string) => invalid("telemetry.not_numeric", { key: excerpt(key) });
