import { invalid } from "../../lib/core/domain-error.ts";
import { firstInstant, nominalStarts, zoneOffset } from "../../lib/time/calendar-interval.ts";
import { wallYearsLater, yearsLater } from "../../lib/time/same-time.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { Principal } from "../users/users.types.ts";
import type { KeyLookup } from "./key-lookup.service.ts";
import { intervalsOf } from "./store/query/intervals.ts";
import type { TelemetryStore } from "./store/store.types.ts";
import {
  AGGREGATIONS,
  type Aggregation,
  DATA_POINTS_DEFAULT,
  DATA_POINTS_MAX,
  type LatestSnapshot,
  pointsMaxOf,
  type RangeQuery,
  type TelemetryResponse,
} from "./telemetry.types.ts";

/** Devices in the first request for newest values; later requests are sized to fill a batch. */
const LATEST_DEVICES_FIRST = 50;
/** Values copied from the storage worker per turn of the event loop. */
const LATEST_VALUES_PER_BATCH = 20_000;
const DEVICES_PER_QUERY_MAX = 10_000;
const TIMES_PER_DAY_MAX = 24;

/** Query in the caller's form. */
export interface TelemetryRequest {
  readonly deviceIds: readonly string[];
  readonly keys: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly aggregation?: string | undefined;
  readonly maxDataPoints?: number | undefined;
  /** ms, or `1m`, `1h`, `1d`, `1w`, `1mo`, or times of day: `06:00,14:00,22:00`. */
  readonly interval?: string | undefined;
  readonly timezone?: string | undefined;
}

const invalidRange = () => invalid("telemetry.range_invalid");

function ensureRange(from: number, to: number): void {
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 0 || from > to) throw invalidRange();
}

function parseAggregation(text: string | undefined): Aggregation {
  const aggregation = AGGREGATIONS.find((candidate) => candidate === (text ?? "none"));
  if (aggregation === undefined)
    throw invalid("telemetry.aggregation_invalid", { aggregations: AGGREGATIONS.join(", ") });
  return aggregation;
}

function parseDataPoints(amount: number | undefined, aggregation: Aggregation): number {
  const points = amount ?? DATA_POINTS_DEFAULT;
  if (!Number.isInteger(points) || points < 1) throw invalid("telemetry.points_invalid");
  return Math.min(points, pointsMaxOf(aggregation));
}

const calendarUnits = { m: "minute", h: "hour", d: "day", w: "week", mo: "month" } as const;
const fixedMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000 };

function ensureTimezone(timezone: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: timezone }).resolvedOptions().timeZone;
  } catch {
    throw invalid("telemetry.timezone_invalid");
  }
}

type Interval = NonNullable<RangeQuery["interval"]>;

/** Returns the minutes after midnight of a time such as 06:00; -1 for any other string. */
function minutesOf(text: string): number {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  return match === null ? -1 : Number(match[1]) * 60 + Number(match[2]);
}

function parseTimes(text: string, timezone: string | undefined): Interval {
  const times = [...new Set(text.split(",").map((time) => minutesOf(time.trim())))].sort((a, b) => a - b);
  if (times.includes(-1) || times.length > TIMES_PER_DAY_MAX) throw invalid("telemetry.interval_times");
  return { kind: "calendar", times, timezone: ensureTimezone(timezone ?? "UTC") };
}

function parseInterval(text: string, timezone: string | undefined): Interval {
  if (text.includes(":")) return parseTimes(text, timezone);
  const match = /^(\d{1,15})(ms|s|m|h|d|w|mo)?$/.exec(text);
  const amount = Number(match?.[1] ?? 0);
  const unit = match?.[2] ?? "ms";
  if (amount < 1) throw invalid("telemetry.interval_invalid");
  if (unit === "ms") return { kind: "ms", ms: amount };
  if (amount === 1 && unit in calendarUnits)
    return {
      kind: "calendar",
      unit: calendarUnits[unit as keyof typeof calendarUnits],
      timezone: ensureTimezone(timezone ?? "UTC"),
    };
  const ms = fixedMs[unit];
  if (ms === undefined) throw invalid("telemetry.interval_calendar");
  return { kind: "ms", ms: amount * ms };
}

const SHORTEST_MS = {
  minute: 60_000,
  hour: 3_600_000,
  day: 82_800_000,
  week: 600_000_000,
  month: 2_400_000_000,
};

/** Returns the approximate length of an interval in ms: the shortest calendar interval, or the mean between times of day. */
function lengthOf(interval: Interval): number {
  if (interval.kind === "ms") return interval.ms;
  return "times" in interval ? SHORTEST_MS.day / interval.times.length : SHORTEST_MS[interval.unit];
}

/** Refuses a range with more intervals than points; nothing is truncated. */
function ensureIntervalsFit(interval: Interval | undefined, from: number, to: number): void {
  if (interval === undefined) return;
  const ms = lengthOf(interval);
  if ((to - from) / ms > DATA_POINTS_MAX) throw invalid("telemetry.interval_small", { max: DATA_POINTS_MAX });
}

interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns a function that moves points to another range: by the distance of the starts or, for points of intervals, to the interval at the same
 * position. Surplus intervals are moved beyond the end.
 */
export function pairIntervals(
  { interval, timezone }: Pick<TelemetryRequest, "interval" | "timezone">,
  source: TimeRange,
  target: TimeRange,
): (ts: number) => number {
  if (interval === undefined) return (ts) => ts + target.from - source.from;
  const how = { interval: parseInterval(interval, timezone), maxDataPoints: Number.POSITIVE_INFINITY };
  const before = intervalsOf({ ...source, ...how });
  const after = intervalsOf({ ...target, ...how });
  return (ts) => {
    const start = after.startOf(before.indexOf(ts));
    return start <= target.to ? start : target.to + 1 + ts - source.from;
  };
}

/**
 * Returns a function that moves points of intervals to the next year. Intervals of days and longer, and times of day, keep their local date; shorter
 * intervals keep their local time in `yearZone`. The result is undefined for a date or time that the next year lacks, and outside `target`. Weeks
 * have no counterpart, because they start on other dates each year.
 * @throws DomainError `telemetry.interval_invalid`
 */
export function pairWithNextYear(
  { interval: text, timezone }: { readonly interval: string; readonly timezone?: string | undefined },
  target: TimeRange,
  yearZone: string,
): (ts: number) => number | undefined {
  const interval = parseInterval(text, timezone);
  const after = intervalsOf({ ...target, interval, maxDataPoints: Number.POSITIVE_INFINITY });
  const startAt = (ts: number) =>
    ts < after.startOf(0) || ts > target.to ? undefined : after.startOf(after.indexOf(ts));
  if (
    interval.kind === "ms" ||
    ("unit" in interval && (interval.unit === "hour" || interval.unit === "minute"))
  )
    return (ts) => {
      const moved = yearsLater(ts, 1, yearZone);
      return moved.isExact ? startAt(moved.ts) : undefined;
    };
  const offset = zoneOffset(interval.timezone);
  const nominal = nominalStarts(interval);
  return (ts) => {
    const wall = wallYearsLater(nominal(ts), 1);
    const start = wall === undefined ? undefined : startAt(firstInstant(wall, offset));
    return start !== undefined && nominal(start) === wall ? start : undefined;
  };
}

interface TelemetryServiceDeps {
  readonly store: TelemetryStore;
  readonly devices: DevicesService;
  readonly keys: Pick<KeyLookup, "resolve">;
}

/** Returns the query, restricted to the caller's devices. */
function toQuery(devices: DevicesService, principal: Principal, request: TelemetryRequest): RangeQuery {
  ensureRange(request.from, request.to);
  if (request.deviceIds.length > DEVICES_PER_QUERY_MAX)
    throw invalid("telemetry.too_many_devices", { max: DEVICES_PER_QUERY_MAX });
  const aggregation = parseAggregation(request.aggregation);
  const interval =
    request.interval === undefined ? undefined : parseInterval(request.interval, request.timezone);
  ensureIntervalsFit(interval, request.from, request.to);
  return {
    deviceIds: devices.ensureAllVisible(principal, [...new Set(request.deviceIds)]),
    keys: [...new Set(request.keys)],
    from: request.from,
    to: request.to,
    aggregation,
    maxDataPoints: parseDataPoints(request.maxDataPoints, aggregation),
    ...(interval === undefined || aggregation === "none" ? {} : { interval }),
  };
}

export function valuesIn(snapshots: readonly LatestSnapshot[]): number {
  let values = 0;
  for (const snapshot of snapshots) for (const _ in snapshot.values) values++;
  return values;
}

/** Reads and deletes telemetry of devices that the caller may see. */
export function createTelemetryService(deps: TelemetryServiceDeps) {
  const { store, devices, keys } = deps;
  return {
    resolveKeys: keys.resolve,
    /** Yields the JSON of the newest values of a device in pieces. */
    latestText(principal: Principal, deviceId: string, signal?: AbortSignal): AsyncGenerator<string> {
      return store.latestTexts([devices.ensureVisible(principal, deviceId)], undefined, signal);
    },
    /** Yields the JSON of the newest values of many devices in their order, as the items of a list, in pieces. */
    async *latestTexts(
      principal: Principal,
      { deviceIds, keys }: { deviceIds: readonly string[]; keys?: readonly string[] | undefined },
      signal?: AbortSignal,
    ): AsyncGenerator<string> {
      const ids = devices.ensureAllVisible(principal, [...new Set(deviceIds)]);
      yield* store.latestTexts(ids, keys === undefined || keys.length === 0 ? undefined : keys, signal);
    },
    /** Yields the newest values of many devices in order, with `{}` for lists and objects. */
    scalarsOf: (principal: Principal, deviceIds: readonly string[]) =>
      store.latestScalars(devices.ensureAllVisible(principal, [...new Set(deviceIds)])),
    /** Yields the newest values of many devices in order, some thousand values at a time. */
    async *latestOf(
      principal: Principal,
      { deviceIds, keys }: { deviceIds: readonly string[]; keys?: readonly string[] | undefined },
      { signal, onJson }: { signal?: AbortSignal; onJson?: (characters: number) => void } = {},
    ): AsyncGenerator<LatestSnapshot[]> {
      const ids = devices.ensureAllVisible(principal, [...new Set(deviceIds)]);
      const named = keys === undefined || keys.length === 0 ? undefined : keys;
      let batchSize = LATEST_DEVICES_FIRST;
      for (let begin = 0; begin < ids.length; ) {
        const batch = await store.latest(ids.slice(begin, begin + batchSize), named, signal, onJson);
        begin += batchSize;
        yield batch;
        const valuesPerDevice = Math.max(1, valuesIn(batch) / batchSize);
        batchSize = Math.max(1, Math.floor(LATEST_VALUES_PER_BATCH / valuesPerDevice));
      }
    },
    async query(
      principal: Principal,
      request: TelemetryRequest,
      signal?: AbortSignal,
    ): Promise<TelemetryResponse> {
      const query = toQuery(devices, principal, request);
      const { from, to, aggregation } = query;
      return { data: await store.query(query, signal), from, to, aggregation };
    },
    /** Passes the JSON of a query's response to `onPiece`, piece by piece. */
    async queryText(
      principal: Principal,
      request: TelemetryRequest,
      onPiece: (piece: Uint8Array) => void,
      signal?: AbortSignal,
    ): Promise<void> {
      await store.queryText(toQuery(devices, principal, request), onPiece, signal);
    },
    /** Returns the keys of the given devices, or of all devices that the caller may see. */
    keys(principal: Principal, deviceIds?: readonly string[], signal?: AbortSignal): Promise<string[]> {
      if (deviceIds !== undefined)
        return store.keys(
          { deviceIds: devices.ensureAllVisible(principal, [...new Set(deviceIds)]) },
          signal,
        );
      const { tenantId, devices: visible } = principal;
      return store.keys(visible === "all" ? { tenantId } : { deviceIds: [...visible] }, signal);
    },
    async deleteRange(
      principal: Principal,
      deviceId: string,
      { keys, from, to }: { keys: readonly string[]; from: number; to: number },
    ): Promise<void> {
      const id = devices.ensureVisible(principal, deviceId);
      ensureRange(from, to);
      await store.deleteRange(id, keys, from, to);
    },
  };
}

export type TelemetryService = ReturnType<typeof createTelemetryService>;
