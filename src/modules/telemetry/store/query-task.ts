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

/** Answers a range query device by device, family by family, block by block. */
export function* queryTask(engine: StoreEngine, query: RangeQuery): Steps<WireDeviceSeries[]> {
  const answers: WireDeviceSeries[] = [];
  for (const deviceId of query.deviceIds) {
    const device = engine.registry.byId.get(deviceId);
    if (device !== undefined) answers.push(yield* deviceTask(engine, device, query));
  }
  return answers;
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

const notNumeric = (key: string) =>
  invalid(
    "telemetry.not_numeric",
    `The key "${excerpt(key)}" holds values that are not numbers; only none and count apply.`,
  );
