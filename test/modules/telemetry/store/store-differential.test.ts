import { expect, test } from "bun:test";
import { FUTURE_MS_MAX } from "../../../../src/lib/time/timestamp.ts";
import type {
  RangeQuery,
  Reading,
  TelemetryValue,
} from "../../../../src/modules/telemetry/telemetry.types.ts";
import { crashWorker, deviceId, failureOf, StoreFixture } from "./store-fixture.ts";
import {
  type AggregateName,
  aggregate,
  deltas,
  intervalsIn,
  type ModelRange,
  StoreModel,
  timesIn,
} from "./store-model.ts";

/** A small deterministic generator: a failing seed can be run again. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const devices = ["d0", "d1", "d2"];
const numericKeys = ["a", "b", "c"];
const mixedKeys = ["text", "mixed", "flag", "state", "level", "counter"];

/** What the devices send, and how much is read at once. */
interface Load {
  /** Readings of one message at most. */
  readonly readings: number;
  /** Readings for which a state holds on average. */
  readonly stateReadings: number;
  /** One reading of so many is late. */
  readonly lateShare: number;
  /** ms of the longest range. */
  readonly span: number;
}
const mixedLoad: Load = { readings: 12, stateReadings: 60, lateShare: 10, span: 4_000 };
/** So many readings that blocks have tables of states, and ranges have blocks of which only some are cut through. */
const denseLoad: Load = { readings: 240, stateReadings: 600, lateShare: 3_000, span: 30_000 };

class Session {
  readonly model = new StoreModel();
  readonly #random: () => number;
  readonly #fixture: StoreFixture;
  /** Why a group was refused, if one was. */
  #refused: unknown;
  /** Where the fleet's time is: most readings are near it, some are late. */
  #now = 1_000;
  /** What machines report: values that stay for a while, and a counter that is reset now and then. */
  #state = "idle";
  #level = 0;
  #counter = 0;
  #steps = 0;
  /** Deletions, crashes and the like, with the step and the time in ms: a failure under load shows what came before it. */
  readonly #history: string[] = [];

  readonly #load: Load;

  constructor(fixture: StoreFixture, seed: number, load: Load) {
    this.#fixture = fixture;
    this.#load = load;
    this.#random = randomFrom(seed);
  }

  get history(): string {
    return this.#history.join("\n");
  }

  #note(event: string): void {
    this.#history.push(`step ${this.#steps}, ${Math.round(performance.now())} ms: ${event}`);
  }

  int(below: number): number {
    return Math.floor(this.#random() * below);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.int(items.length)]!;
  }

  /** A time near the newest: a long run must not leave what it asks for behind. */
  #recent(): number {
    return Math.max(0, this.#now - this.#load.span) + this.int(this.#load.span);
  }

  async step(): Promise<void> {
    this.#steps++;
    const dice = this.int(1_000);
    if (dice < 850) await this.#append();
    else if (dice < 885) await this.checkRange();
    else if (dice < 905) await this.checkAggregate();
    else if (dice < 920) await this.checkEdge();
    else if (dice < 937) await this.checkDelta();
    else if (dice < 955) await this.checkTimeIn();
    else if (dice < 965) await this.checkScan();
    else if (dice < 980) await this.#deleteRange();
    else if (dice < 990) await this.checkLatest();
    else if (dice < 994) await this.#compact();
    else if (dice < 996) await this.#retain();
    else if (dice < 998) await this.#restart();
    else await this.#crash();
  }

  async #append(): Promise<void> {
    const device = this.pick(devices);
    const readings: Reading[] = [];
    for (let left = 1 + this.int(this.#load.readings); left > 0; left--) {
      this.#now += this.int(3);
      readings.push({
        ts: this.int(this.#load.lateShare) === 0 ? this.#recent() : this.#now,
        values: this.#values(),
      });
    }
    this.model.append(device, readings);
    const acknowledged = this.#fixture.append(device, readings);
    // A refused group would be right not to be there: it must show as what it is.
    acknowledged.catch((error: unknown) => {
      this.#refused ??= error;
    });
    if (this.int(3) === 0) await acknowledged;
  }

  #values(): Record<string, TelemetryValue> {
    const values: Record<string, TelemetryValue> = {};
    for (const key of numericKeys) if (this.int(4) > 0) values[key] = this.#number();
    if (this.int(3) === 0) values.text = this.pick(["on", "off", "naïve ✓", ""]);
    if (this.int(5) === 0) values.mixed = this.pick<TelemetryValue>([1, true, "one", { one: [1, -0] }, [2]]);
    if (this.int(5) === 0) values.flag = this.int(2) === 0;
    if (this.int(this.#load.stateReadings) === 0)
      this.#state = this.pick(["idle", "idle", "run", "run", "fault", "\ud800", "long ".repeat(20)]);
    if (this.int(this.#load.stateReadings) === 0) this.#level = this.pick([0, -0, 1, 2.5]);
    this.#counter = this.int(80) === 0 ? this.int(3) : this.#counter + this.int(5) / 10;
    if (this.int(10) > 0) values.state = this.#state;
    if (this.int(10) > 0) values.level = this.#level;
    if (this.int(10) > 0) values.counter = this.int(40) === 0 ? "error" : this.#counter;
    if (Object.keys(values).length === 0) values.a = this.#number();
    return values;
  }

  #number(): number {
    return this.pick([this.int(1000) / 10, this.int(100), this.#random() * 1e3, -this.int(50) / 4]);
  }

  async #deleteRange(): Promise<void> {
    const device = this.pick(devices);
    const from = this.#recent();
    const to = from + this.int(200);
    const keys = this.int(3) === 0 ? [] : [this.pick([...numericKeys, ...mixedKeys])];
    this.#note(`delete ${device} [${keys}] ${from} – ${to}`);
    this.model.deleteRange(device, keys, from, to);
    await this.#fixture.store.deleteRange(deviceId(device), keys, from, to);
  }

  async #retain(): Promise<void> {
    const device = this.pick(devices);
    const before = Math.max(this.int(this.#now / 2), this.#now - 4 * this.#load.span);
    this.#note(`retain ${device} from ${before}`);
    this.model.deleteRange(device, [], Number.NEGATIVE_INFINITY, before - 1);
    await this.#settle();
    await this.#fixture.store.applyRetention([{ deviceId: deviceId(device), before }]);
  }

  /** An empty append shares the promise of what is staged, or is committed after it. */
  async #settle(): Promise<void> {
    for (const device of devices) {
      if (this.model.devices.has(device)) await this.#fixture.append(device, []);
    }
  }

  async checkRange(): Promise<void> {
    await this.#settle();
    const device = this.pick(devices);
    const from = this.#recent();
    const to = from + this.int(this.#load.span);
    expect(this.#refused).toBeUndefined();
    const [response] = await this.#fixture.query({ device, from, to });
    const got = Object.fromEntries((response?.series ?? []).map(({ key, points }) => [key, points]));
    const expected: typeof got = {};
    for (const key of this.model.keys(device)) {
      const points = this.model.points(device, key, from, to);
      if (points.length > 0) expected[key] = points.map(([ts, value]) => ({ ts, value }));
    }
    expect(got).toStrictEqual(expected);
  }

  async #compact(): Promise<void> {
    this.#note("compact");
    await this.#fixture.store.compact();
  }

  async #restart(): Promise<void> {
    this.#note("restart");
    await this.#fixture.restart();
  }

  /** Sealing, merging and deleting stop wherever they are; what was acknowledged must be there. */
  async #crash(): Promise<void> {
    await this.#settle();
    this.#note("crash");
    await this.#fixture.crash();
    this.#note("recovered");
  }

  async checkScan(): Promise<void> {
    await this.#settle();
    const device = this.pick(devices);
    const from = this.#recent();
    const to = from + this.int(this.#load.span);
    const keys = this.int(2) === 0 ? [] : [this.pick(numericKeys), this.pick(mixedKeys)];
    const got: [string, number, TelemetryValue][] = [];
    let previous = Number.NEGATIVE_INFINITY;
    for await (const chunk of this.#fixture.store.scan({ deviceIds: [deviceId(device)], keys, from, to })) {
      for (const [row, ts] of chunk.ts.entries()) {
        if (ts <= previous) throw new Error(`row ${ts} came after ${previous}`);
        previous = ts;
        for (const column of chunk.columns) {
          const value = column.at(row);
          if (value !== undefined) got.push([column.key, ts, value]);
        }
      }
    }
    const expected = this.model
      .keys(device)
      .filter((key) => keys.length === 0 || keys.includes(key))
      .flatMap((key) =>
        this.model
          .points(device, key, from, to)
          .map(([ts, value]): [string, number, TelemetryValue] => [key, ts, value]),
      );
    const order = (a: (typeof got)[number], b: (typeof got)[number]) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1);
    expect(got.sort(order)).toStrictEqual(expected.sort(order));
  }

  async checkAggregate(): Promise<void> {
    await this.#settle();
    const device = this.pick(devices);
    const key = this.pick([...numericKeys, ...mixedKeys]);
    const from = this.#recent();
    const to = from + this.int(this.#load.span);
    const aggregation = this.pick<AggregateName>(["min", "max", "avg", "sum", "count"]);
    const maxDataPoints = 1 + this.int(40);
    const points = this.model.points(device, key, from, to);
    const taken = aggregation === "count" ? points : points.filter(([, value]) => typeof value === "number");
    const response = this.#fixture.points(device, key, { from, to, aggregation, maxDataPoints });
    if (taken.length === 0 && points.length > 0)
      return void expect(await failureOf(response)).toMatchObject({ code: "telemetry.not_numeric" });
    const got = await response;
    const width = Math.max(1, Math.ceil((to - from + 1) / maxDataPoints));
    const intervals = new Map<number, number[]>();
    for (const [ts, value] of taken) {
      const start = from + Math.floor((ts - from) / width) * width;
      intervals.set(start, [...(intervals.get(start) ?? []), value as number]);
    }
    expect(got.map(([ts]) => ts)).toEqual([...intervals.keys()]);
    for (const [ts, value] of got) expect(value).toBeCloseTo(aggregate(aggregation, intervals.get(ts)!), 6);
  }

  /** A device, a key and a range with intervals that begin with it, or lie where a clock would put them. */
  #intervals(keys: readonly string[]) {
    const device = this.pick(devices);
    const key = this.pick(keys);
    const from = this.#recent();
    const to = from + this.int(this.#load.span);
    if (this.int(2) === 0) {
      const maxDataPoints = 1 + this.int(12);
      const width = Math.max(1, Math.ceil((to - from + 1) / maxDataPoints));
      const range: ModelRange = { from, to, start: from, width };
      return { device, key, range, query: { from, to, maxDataPoints } };
    }
    const ms = 50 + this.int(this.#load.span / 2);
    const range: ModelRange = { from, to, start: Math.floor(from / ms) * ms, width: ms };
    return { device, key, range, query: { from, to, interval: { kind: "ms", ms } as const } };
  }

  /** What a query finds when it has been made before: then blocks that are cut through are read in parts. */
  async #pointsOnceMore(device: string, key: string, query: Partial<RangeQuery>) {
    for (let reading = 0; reading < 2; reading++) await this.#fixture.points(device, key, query);
    return this.#fixture.points(device, key, query);
  }

  async checkEdge(): Promise<void> {
    await this.#settle();
    const { device, key, range, query } = this.#intervals([...numericKeys, ...mixedKeys]);
    const edge = this.pick(["first", "last"] as const);
    const got = await this.#pointsOnceMore(device, key, { ...query, aggregation: edge });
    const points = this.model.points(device, key, range.from, range.to);
    const expected = [...intervalsIn(points, range)].map(([start, values]) => [
      start,
      values.at(edge === "first" ? 0 : -1),
    ]);
    expect(got).toStrictEqual(expected as typeof got);
  }

  async checkDelta(): Promise<void> {
    await this.#settle();
    const { device, key, range, query } = this.#intervals([...numericKeys, "counter", "mixed"]);
    const points = this.model.points(device, key, Number.NEGATIVE_INFINITY, range.to);
    const expected = deltas(points, range);
    const isUnfit =
      points.some(([ts]) => ts >= range.from) && points.every(([, value]) => typeof value !== "number");
    const response = this.#fixture.points(device, key, { ...query, aggregation: "delta" });
    if (isUnfit)
      return void expect(await failureOf(response)).toMatchObject({ code: "telemetry.not_numeric" });
    const got = await response;
    expect(got.map(([ts]) => ts)).toEqual([...expected.keys()]);
    for (const [ts, value] of got) expect(value).toBeCloseTo(expected.get(ts)!, 6);
    const [whole] = await this.#fixture.points(device, key, {
      from: range.from,
      to: range.to,
      aggregation: "delta",
      maxDataPoints: 1,
    });
    const sum = got.reduce((total, [, value]) => total + (value as number), 0);
    expect((whole?.[1] as number | undefined) ?? 0).toBeCloseTo(sum, 6);
  }

  async checkTimeIn(): Promise<void> {
    await this.#settle();
    const { device, key, range, query } = this.#intervals([...mixedKeys, "a"]);
    const now = this.int(3) === 0 ? range.from + this.int(this.#load.span) : Date.now();
    this.#fixture.wall = () => now;
    const got = await this.#pointsOnceMore(device, key, { ...query, aggregation: "timeIn" });
    this.#fixture.wall = () => Date.now();
    const all = this.model.points(device, key, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
    expect(got).toEqual(timesIn(all, { ...range, now }));
  }

  async checkLatest(): Promise<void> {
    await this.#settle();
    // Half of the time the clock has been set back, and what lies more than a day ahead of it does not count.
    const until = this.int(2) === 0 ? Number.POSITIVE_INFINITY : this.#recent();
    this.#fixture.wall = () => until - FUTURE_MS_MAX;
    const snapshots = await this.#fixture.store.latest(devices.map(deviceId));
    this.#fixture.wall = () => Date.now();
    for (const { deviceId: id, values, timestamps } of snapshots) {
      const expected = this.model.keys(id).flatMap((key) => {
        const latest = this.model.latest(id, key, until);
        return latest === undefined ? [] : [[key, ...latest] as const];
      });
      expect(Object.keys(values).sort()).toEqual(expected.map(([key]) => key));
      for (const [key, ts, value] of expected)
        expect([timestamps[key], values[key]]).toStrictEqual([ts, value]);
    }
    for (const device of devices) {
      const query: Pick<RangeQuery, "deviceIds"> = { deviceIds: [deviceId(device)] };
      expect(await this.#fixture.store.keys(query)).toEqual(this.model.keys(device));
    }
  }
}

/** Seals all the time, so that every path between the tiers is taken. */
const restless = {
  hotPointsMax: 150,
  hotGroupsMax: 40,
  hotGroupsPerDevice: 0,
  blockRowsTarget: 64,
  walBytesMax: 64 * 1024,
  workerUrl: crashWorker,
};

/** `STORE_DIFFERENTIAL_STEPS=100000 bun test store-differential` for a long run. */
const steps = Number(process.env.STORE_DIFFERENTIAL_STEPS ?? 3_000);
const seeds = [1, 2, 3, 4];
const DENSE_SEED = 4;

/** Blocks long enough for tables of states. */
const longBlocks = { ...restless, hotPointsMax: 20_000, hotGroupsMax: 400, blockRowsTarget: 1_024 };

for (const seed of seeds) {
  test(
    `behaves like a map under random operations, restarts and crashes (seed ${seed})`,
    async () => {
      const isDense = seed === DENSE_SEED;
      const fixture = await StoreFixture.start(isDense ? longBlocks : restless);
      const session = new Session(fixture, seed, isDense ? denseLoad : mixedLoad);
      try {
        for (let step = 0; step < steps / seeds.length; step++) await session.step();
        await fixture.restart();
        for (let check = 0; check < 10; check++) await session.checkRange();
        await session.checkLatest();
        expect(fixture.logged).toEqual([]);
      } catch (error) {
        console.error(`${session.history}\nlogged: ${fixture.logged.join("; ")}`);
        console.error(await fixture.store.stats(), await fixture.store.check());
        throw error;
      } finally {
        await fixture.dispose();
      }
    },
    300_000 + steps * 20,
  );
}
