import { invalid } from "../../../lib/domain-error.ts";
import { excerpt } from "../../../lib/excerpt.ts";
import type { RangeQuery } from "../telemetry.types.ts";
import { intervalsOf } from "./intervals.ts";
import { extentOf, FamilyReader, hotRows } from "./range-reader.ts";
import type { DeviceState } from "./registry.ts";
import { familyKeysOf } from "./series-families.ts";
import { AggregateSink, type SeriesSink } from "./series-sink.ts";
import type { Steps } from "./slice-scheduler.ts";
import type { WireDeviceSeries } from "./store.protocol.ts";
import type { StoreEngine } from "./store-engine.ts";
import { ThinningSink } from "./thinning-sink.ts";

/** Points of one part of an answer, about; a series counts as some more. */
const PART_POINTS_MAX = 20_000;
const SERIES_POINTS = 8;

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
      this.#points += candidate.ts.length + SERIES_POINTS;
    }
  }

  takeRest(): WireDeviceSeries[] {
    const part = this.#part;
    this.#part = [];
    this.#points = 0;
    return part;
  }
}

/**
 * Answers a range query device by device, family by family, block by block. `onPart` gets the beginning of a large answer, the result is
 * its rest.
 */
export function* queryTask(
  engine: StoreEngine,
  query: RangeQuery,
  onPart: (part: WireDeviceSeries[]) => void,
): Steps<WireDeviceSeries[]> {
  const answer = new AnswerParts(onPart);
  for (const deviceId of query.deviceIds) {
    const device = engine.registry.byId.get(deviceId);
    if (device !== undefined) answer.add(yield* deviceTask(engine, device, query));
  }
  return answer.takeRest();
}

function* deviceTask(engine: StoreEngine, device: DeviceState, query: RangeQuery): Steps<WireDeviceSeries> {
  /** Key number → sink, in the order of the answer. */
  const sinks = new Map<number, SeriesSink>();
  for (const [family, keys] of familyKeysOf(engine.registry, device, query.keys)) {
    const range = { device, family, keys, from: query.from, to: query.to };
    const hot = hotRows(engine.generations, range);
    const extent = extentOf(engine.blocks, range, hot);
    if (extent === null) continue;
    const familySinks = new Map([...keys].map((key) => [key, sinkFor(query, extent)] as const));
    yield* new FamilyReader(engine.blocks, range, { hot, sinks: familySinks }).read();
    for (const [key, sink] of familySinks) sinks.set(key, sink);
    yield; // what is still hot is read without one
  }
  return { deviceId: device.deviceId, series: results(engine, sinks, query) };
}

function sinkFor(query: RangeQuery, extent: { from: number; to: number }): SeriesSink {
  if (query.aggregation === "none") return new ThinningSink(query.maxDataPoints, extent.from, extent.to);
  return new AggregateSink(intervalsOf(query), query.aggregation);
}

function results(
  engine: StoreEngine,
  sinks: ReadonlyMap<number, SeriesSink>,
  query: RangeQuery,
): WireDeviceSeries["series"] {
  const numericOnly = query.aggregation !== "none" && query.aggregation !== "count";
  const series: WireDeviceSeries["series"] = [];
  for (const [key, sink] of sinks) {
    const result = sink.finish();
    if (result === null) continue;
    const name = engine.registry.keyNames[key] ?? "";
    if (numericOnly && sink.sawText) {
      if (query.keys.length > 0) throw notNumeric(name);
      continue;
    }
    series.push({ key: name, ...result });
  }
  return series.sort((a, b) => (a.key < b.key ? -1 : 1));
}

const notNumeric = (key: string) => invalid("telemetry.not_numeric", { key: excerpt(key) });
