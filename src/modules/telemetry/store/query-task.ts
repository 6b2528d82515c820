import { invalid } from "../../../lib/domain-error.ts";
import { excerpt } from "../../../lib/excerpt.ts";
import type { Aggregation } from "../telemetry.types.ts";
import { AggregateSink } from "./aggregate-sink.ts";
import { AnswerText } from "./answer-text.ts";
import { DeltaSink } from "./delta-sink.ts";
import { type EarlierKind, earlierValues } from "./earlier-values.ts";
import { EdgeSink } from "./edge-sink.ts";
import { intervalsOf } from "./intervals.ts";
import { extentOf, type FamilyRange, FamilyReader, hotRows } from "./range-reader.ts";
import type { DeviceState } from "./registry.ts";
import { familyKeysOf } from "./series-families.ts";
import type { EarlierValue, SeriesSink, SinkResult } from "./series-sink.ts";
import type { Steps } from "./slice-scheduler.ts";
import type { StoreQuery, WireDeviceSeries } from "./store.protocol.ts";
import type { StoreEngine } from "./store-engine.ts";
import { ThinningSink } from "./thinning-sink.ts";
import { TimeInSink } from "./time-in-sink.ts";

/** Points of one part of an answer, about; a series counts as some more. */
const PART_POINTS_MAX = 20_000;
const SERIES_POINTS = 8;

const sizeOf = ({ ts, times }: SinkResult): number => times?.ms.length ?? ts.length;

/** Collects the answer to a query and gives away what is a part of its own. The series of one device may be in several parts. */
class AnswerParts {
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

/** Reports at the end of a query if none of its keys has numbers. A key without numbers does not fail the others. */
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

/**
 * Answers a range query device by device, family by family, block by block. `onPart` gets the beginning of a large answer, the result is
 * its rest.
 */
export function* queryTask(
  engine: StoreEngine,
  query: StoreQuery,
  onPart: (part: WireDeviceSeries[]) => void,
): Steps<WireDeviceSeries[]> {
  const answer = new AnswerParts(onPart);
  const fitness = new Fitness();
  for (const deviceId of query.deviceIds) {
    const device = engine.registry.byId.get(deviceId);
    if (device !== undefined) answer.add(yield* deviceTask(engine, device, { query, fitness }));
  }
  fitness.end();
  return answer.takeRest();
}

/** Answers as `queryTask` does, with the text of the answer. */
export function* queryTextTask(
  engine: StoreEngine,
  query: StoreQuery,
  onPart: (part: Uint8Array) => void,
): Steps<Uint8Array> {
  const text = new AnswerText(onPart);
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
  /** Key number → sink, in the order of the answer. */
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
    yield; // what is still hot is read without one
  }
  return { deviceId: device.deviceId, series: results(engine, sinks, { query, fitness }) };
}

const NO_VALUES: ReadonlyMap<number, EarlierValue> = new Map();

/** What an aggregate needs from before its range. */
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
