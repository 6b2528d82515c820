import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import fc from "fast-check";
import { decodeValue, TAG_ABSENT } from "../../../../../src/lib/data/value-kind.ts";
import { FeedDecoder, feedRowsOf } from "../../../../../src/modules/telemetry/feed-decoder.service.ts";
import type { FeedColumn, FeedDeviceRows } from "../../../../../src/modules/telemetry/feeds.types.ts";
import { FeedPositions } from "../../../../../src/modules/telemetry/store/feed/feed-positions.ts";
import { FeedSpans, Feeds, SPAN_GAP_MS } from "../../../../../src/modules/telemetry/store/feed/feeds.ts";
import type { HotGeneration } from "../../../../../src/modules/telemetry/store/hot/hot-generation.ts";
import { FORM_DELETION, FORM_RAW } from "../../../../../src/modules/telemetry/store/hot/hot-log.ts";
import { Registry } from "../../../../../src/modules/telemetry/store/registry.ts";
import { TelemetryFile } from "../../../../../src/modules/telemetry/store/telemetry-file.ts";
import type { TelemetryValue } from "../../../../../src/modules/telemetry/telemetry.types.ts";
import { until } from "../../../../support/until.ts";
import { deviceId, StoreFixture, tenant } from "../store-fixture.ts";

const FEED = "feed-1";
const nothing = { devices: 0, keys: 0, patterns: 0 };

/** A target that holds what arrived: device → key → timestamp → value. */
class Copy {
  readonly devices = new Map<string, Map<string, Map<number, TelemetryValue>>>();
  /** Values that arrived, those that came twice included. */
  received = 0;

  write(rows: Pick<FeedDeviceRows, "ts"> & { columns: readonly FeedColumn[] }, device: string): void {
    for (const { key, tags, numbers, texts } of rows.columns)
      for (const [row, ts] of rows.ts.entries()) {
        const tag = tags[row] ?? TAG_ABSENT;
        if (tag === TAG_ABSENT) continue;
        this.received++;
        this.#seriesOf(device, key).set(ts, decodeValue(tag, numbers[row] ?? 0, texts?.[row]));
      }
  }

  remove(device: string, keys: readonly string[] | null, from: number, to: number): void {
    for (const [key, points] of this.devices.get(device) ?? [])
      if (keys === null || keys.includes(key))
        for (const ts of [...points.keys()]) if (ts >= from && ts <= to) points.delete(ts);
  }

  get content(): unknown {
    return [...this.devices].toSorted(byName).flatMap(([device, series]) =>
      [...series].toSorted(byName).flatMap(([key, points]) => {
        const sorted = [...points].toSorted(([a], [b]) => a - b);
        return sorted.length === 0 ? [] : [[device, key, sorted]];
      }),
    );
  }

  #seriesOf(device: string, key: string): Map<number, TelemetryValue> {
    const series = this.devices.get(device) ?? new Map<string, Map<number, TelemetryValue>>();
    this.devices.set(device, series);
    const points = series.get(key) ?? new Map<number, TelemetryValue>();
    series.set(key, points);
    return points;
  }
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);

/** Reads the feed as an uplink does; `confirms` is false for one that dies before it confirms. */
class Reader {
  readonly #decoder = new FeedDecoder(tenant, () => true);
  #after = 0;

  constructor(
    readonly fixture: StoreFixture,
    readonly copy: Copy,
  ) {}

  /** Reads what waits behind the position. Returns true if there was something. */
  async live(confirms = true): Promise<boolean> {
    const { feeds } = this.fixture.store;
    const read = await feeds.read(FEED, { after: this.#after, known: this.#decoder.known, bytesMax: 2_000 });
    this.#decoder.define(read.definitions);
    for (const { id, deviceId: device, keys, from, to } of read.deletions) {
      this.copy.remove(device, keys, from, to);
      if (confirms) await feeds.confirm({ id: FEED, deletions: [id] });
    }
    if (read.deletions.length > 0) return confirms;
    for (const step of this.#decoder.decode(read)) {
      if (step.kind === "rows") for (const rows of step.devices) this.copy.write(rows, rows.deviceId);
      else this.copy.remove(step.deviceId, step.keys, step.from, step.to);
      if (confirms) await feeds.confirm({ id: FEED, position: step.position });
    }
    this.#after = read.end;
    return !read.isAtEnd;
  }

  /** Reads one range of the backlog. Returns true if there was one. */
  async range(newestFirst = false): Promise<boolean> {
    const { feeds } = this.fixture.store;
    const { ranges } = await feeds.backlog(FEED, { known: this.#decoder.known, limit: 1, newestFirst });
    const [range] = ranges;
    if (range === undefined) return false;
    const since = newestFirst ? Math.max(range.from, range.to - 50) : range.from;
    let from = since;
    for (;;) {
      const chunk = await feeds.rows(deviceId(range.deviceId), { from, to: range.to });
      if (chunk !== null) this.copy.write(feedRowsOf(range.deviceId, chunk), range.deviceId);
      if (chunk !== null && chunk.to < range.to) {
        from = chunk.to + 0.5;
        continue;
      }
      const end = newestFirst ? { since } : { until: range.to };
      await feeds.confirm({ id: FEED, ranges: [{ ...range, ...end }] });
      return true;
    }
  }

  async all(newestFirst = false): Promise<void> {
    while ((await this.live()) || (await this.range(newestFirst)));
    await this.live();
  }
}

async function contentOf(fixture: StoreFixture, devices: readonly string[]): Promise<unknown> {
  const copy = new Copy();
  for await (const chunk of fixture.store.scan({
    deviceIds: devices.map(deviceId),
    keys: [],
    from: -1e15,
    to: 1e15,
  }))
    for (const column of chunk.columns)
      for (const [row, ts] of chunk.ts.entries()) {
        const value = column.at(row);
        if (value !== undefined) {
          const series = copy.devices.get(chunk.deviceId) ?? new Map();
          copy.devices.set(chunk.deviceId, series);
          series.set(column.key, (series.get(column.key) ?? new Map()).set(ts, value));
        }
      }
  return copy.content;
}

test("a reader that keeps up gets every value once, also across sealings", async () => {
  const fixture = await StoreFixture.start();
  try {
    await fixture.store.feeds.open(FEED, tenant, "now");
    const copy = new Copy();
    const reader = new Reader(fixture, copy);
    for (let ts = 0; ts < 200; ts++) {
      await fixture.append("d", [{ ts, values: { n: ts / 3, s: `text ${ts}`, b: ts % 2 === 0, j: { ts } } }]);
      if (ts % 20 === 0) await reader.all();
      if (ts % 50 === 0) await fixture.store.compact();
    }
    await reader.all();
    expect(copy.content).toEqual((await contentOf(fixture, ["d"])) as never);
    expect(copy.received).toBeLessThan(1_200); // some rows are sealed while they are read
  } finally {
    await fixture.dispose();
  }
});

test("a feed begins with everything that is stored, or with the next value", async () => {
  const fixture = await StoreFixture.start();
  try {
    for (let ts = 0; ts < 100; ts++) fixture.put("old", "n", ts, ts);
    await fixture.store.compact();
    await fixture.put("old", "n", 100, 100);
    await fixture.store.feeds.open(FEED, tenant, "beginning");
    await fixture.store.feeds.open("other", tenant, "now");
    const copy = new Copy();
    await new Reader(fixture, copy).all();
    expect(copy.content).toEqual((await contentOf(fixture, ["old"])) as never);
    const rest = await fixture.store.feeds.backlog("other", {
      known: nothing,
      limit: 10,
      newestFirst: false,
    });
    expect(rest.rangeCount).toBe(0);
    expect(
      (await fixture.store.feeds.read("other", { after: 0, known: nothing, bytesMax: 1_000 })).rows,
    ).toEqual([]);
  } finally {
    await fixture.dispose();
  }
});

test("a range that is sent again while it is on its way stays until it has arrived again", async () => {
  const fixture = await StoreFixture.start();
  try {
    const { feeds } = fixture.store;
    await fixture.put("d", "n", 1, 1);
    await fixture.store.compact();
    await feeds.open(FEED, tenant, "beginning");
    const read = () => feeds.backlog(FEED, { known: nothing, limit: 10, newestFirst: false });
    const [onItsWay] = (await read()).ranges;
    if (onItsWay === undefined) throw new Error("the feed has no backlog");
    await feeds.resend(FEED, 0, 10);
    await feeds.confirm({ id: FEED, ranges: [{ ...onItsWay, until: onItsWay.to }] });
    const [again] = (await read()).ranges;
    expect(again).toMatchObject({ deviceId: "d", to: 1 });
    if (again !== undefined) await feeds.confirm({ id: FEED, ranges: [{ ...again, until: again.to }] });
    expect((await read()).ranges).toEqual([]);
  } finally {
    await fixture.dispose();
  }
});

test("rows are hidden from no feed when the numbers of hot rows begin anew after a restart", async () => {
  const fixture = await StoreFixture.start();
  try {
    await fixture.store.feeds.open(FEED, tenant, "now");
    for (let ts = 0; ts < 50; ts++) await fixture.put("d", "n", ts, ts);
    const copy = new Copy();
    await new Reader(fixture, copy).all();
    await fixture.store.compact();
    await fixture.restart();
    await fixture.put("d", "n", 50, 50);
    await new Reader(fixture, copy).all();
    expect(copy.content).toEqual((await contentOf(fixture, ["d"])) as never);
  } finally {
    await fixture.dispose();
  }
});

test("readers of a tenant see nothing of another tenant", async () => {
  const fixture = await StoreFixture.start();
  try {
    await fixture.store.feeds.open(FEED, "tenant-2" as typeof tenant, "beginning");
    await fixture.put("d", "n", 1, 1);
    await fixture.store.compact();
    await fixture.put("d", "n", 2, 2);
    const { rangeCount } = await fixture.store.feeds.backlog(FEED, {
      known: nothing,
      limit: 10,
      newestFirst: false,
    });
    const read = await fixture.store.feeds.read(FEED, { after: 0, known: nothing, bytesMax: 1_000 });
    const decoder = new FeedDecoder("tenant-2", () => true);
    decoder.define(read.definitions);
    const steps = [...decoder.decode(read)];
    expect([rangeCount, steps.map((step) => step.kind === "rows" && step.points)]).toEqual([0, [0]]);
  } finally {
    await fixture.dispose();
  }
});

test("a deletion that is sealed while it is on its way does not come again behind later values", async () => {
  const fixture = await StoreFixture.start();
  try {
    const { feeds } = fixture.store;
    await feeds.open(FEED, tenant, "now");
    await fixture.put("d", "n", 1, 1);
    await fixture.store.deleteRange(deviceId("d"), [], 0, 10);
    const sent = await feeds.read(FEED, { after: 0, known: nothing, bytesMax: 10_000 });
    await fixture.store.compact();
    await fixture.put("d", "n", 1, 2);
    await feeds.confirm({ id: FEED, position: sent.end });
    const { deletions, rows } = await feeds.read(FEED, { after: sent.end, known: nothing, bytesMax: 10_000 });
    expect([deletions, rows.length]).toEqual([[], 1]);
  } finally {
    await fixture.dispose();
  }
});

test("a feed does not give out a deletion that has not gone through the blocks, nor what came behind it", async () => {
  const fixture = new StoreFixture();
  const file = new TelemetryFile(fixture.file);
  try {
    const open = new Set<number>();
    const feeds = new Feeds(file, new Registry(), open);
    expect([...feeds.open(FEED, tenant, "now")]).toEqual([]);
    const insert = (form: number) => file.log.append({ form, data: new Uint8Array(8), values: 1 });
    const [first, deletion, last] = [insert(FORM_RAW), insert(FORM_DELETION), insert(FORM_RAW)] as const;
    file.log.sync();
    const read = (after: number) => {
      const { rows, end, isAtEnd } = feeds.read(FEED, { after, known: nothing, bytesMax: 1_000 });
      return [rows.map(({ id }) => id), end, isAtEnd];
    };
    open.add(deletion);
    expect(read(0)).toEqual([[first], first, false]);
    expect(read(first)).toEqual([[], first, false]);
    open.clear();
    expect(read(first)).toEqual([[deletion, last], last, true]);
  } finally {
    file.close();
    rmSync(fixture.directory, { recursive: true, force: true });
  }
});

test("a deletion that a full disk keeps from being put aside is put aside by the next sealing", async () => {
  const fixture = new StoreFixture();
  const file = new TelemetryFile(fixture.file);
  try {
    const feeds = new Feeds(file, new Registry(), new Set<number>());
    expect([...feeds.open(FEED, tenant, "now")]).toEqual([]);
    const device = "d".repeat(50_000); // more than the free pages of the file hold
    const deletion = { tenantId: tenant, deviceId: device, keys: null, from: 0, to: 9, drop: false };
    const data = new TextEncoder().encode(JSON.stringify(deletion));
    const id = file.log.append({ form: FORM_DELETION, data, values: 1 });
    file.log.sync();
    const generation = { firstId: id, lastId: id } as HotGeneration; // what the feeds look at
    file.db.run(`PRAGMA max_page_count = ${file.scalar("PRAGMA page_count")}`);
    expect(() => [...feeds.keepUnread(generation)]).toThrow("full");
    file.db.run("PRAGMA max_page_count = 1000000");
    expect([...feeds.keepUnread(generation)].length).toBeGreaterThan(0);
    const { deletions } = feeds.read(FEED, { after: 0, known: nothing, bytesMax: 1_000 });
    expect(deletions.map(({ deviceId: of }) => of)).toEqual([device]);
  } finally {
    file.close();
    rmSync(fixture.directory, { recursive: true, force: true });
  }
});

test("scattered values stay in ranges near to them, however many there are", () => {
  const spans = new FeedSpans();
  const DAY_MS = 86_400_000;
  for (let day = 0; day < 16; day++) spans.add(1, day * DAY_MS);
  for (let day = 0; day < 16; day++) spans.add(1, day * DAY_MS + SPAN_GAP_MS + 1);
  const covered = spans.devices.get(1)?.reduce((sum, { from, to }) => sum + to - from, 0);
  expect(covered).toBe(16 * (SPAN_GAP_MS + 1));
});

test("a busy store writes positions often, an idle one every few seconds", async () => {
  const fixture = new StoreFixture();
  const file = new TelemetryFile(fixture.file);
  try {
    const positions = new FeedPositions(file);
    expect(positions.areDue()).toBe(false);
    file.log.append({ form: FORM_RAW, data: new Uint8Array(100_000), values: 1 });
    await until(() => positions.areDue());
    positions.write([]);
    expect(positions.areDue()).toBe(false);
  } finally {
    file.close();
    rmSync(fixture.directory, { recursive: true, force: true });
  }
});

const action = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("put" as const),
      device: fc.constantFrom("a", "b"),
      key: fc.constantFrom("n", "s"),
      ts: fc.integer({ min: 0, max: 300 }),
      value: fc.oneof(fc.double({ noNaN: true }), fc.string(), fc.boolean()),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("delete" as const),
      device: fc.constantFrom("a", "b"),
      keys: fc.constantFrom<string[]>([], ["n"]),
      from: fc.integer({ min: 0, max: 300 }),
      length: fc.integer({ min: 0, max: 100 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("compact", "restart", "lost", "read", "range") }) },
);

test("the copy of a reader equals the store after any writes, deletions, sealings, restarts and losses", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 40 }), fc.boolean(), async (actions, newestFirst) => {
      const fixture = await StoreFixture.start();
      try {
        await fixture.store.feeds.open(FEED, tenant, "now");
        const copy = new Copy();
        let reader = new Reader(fixture, copy);
        for (const step of actions) {
          if (step.do === "put") await fixture.put(step.device, step.key, step.ts, step.value);
          else if (step.do === "delete")
            await fixture.store.deleteRange(
              deviceId(step.device),
              step.keys,
              step.from,
              step.from + step.length,
            );
          else if (step.do === "compact") await fixture.store.compact();
          else if (step.do === "read") await reader.live();
          else if (step.do === "range") await reader.range(newestFirst);
          else if (step.do === "lost") {
            await reader.live(false);
            reader = new Reader(fixture, copy);
          } else {
            await fixture.restart();
            reader = new Reader(fixture, copy);
          }
        }
        await reader.all(newestFirst);
        expect(copy.content).toEqual((await contentOf(fixture, ["a", "b"])) as never);
      } finally {
        await fixture.dispose();
      }
    }),
    { numRuns: 40 },
  );
});
