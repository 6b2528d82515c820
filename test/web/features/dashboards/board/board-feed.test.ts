import { afterEach, beforeEach, expect, test } from "bun:test";
import { BoardFeed, needsRefresh } from "../../../../../src/web/features/dashboards/board/board-feed.ts";
import { shortestMs } from "../../../../../src/web/features/dashboards/board/use-board-feed.ts";
import type { Executed, Widget } from "../../../../../src/web/features/dashboards/dashboards-api.ts";
import { newestOf } from "../../../../../src/web/features/dashboards/widgets/values.ts";
import { until } from "../../../../support/until.ts";

const WINDOW = { from: 0, to: 1_000 };
const device = (deviceId: string) => ({
  deviceId,
  name: deviceId,
  deviceType: "t",
  active: true,
  state: "ACTIVE" as const,
  assetId: null,
});
const widget = (widgetId: string, fields: Partial<Widget> = {}): Widget => ({
  widgetId,
  type: "timeseries",
  name: "",
  config: { keys: ["t"] },
  ...fields,
});
const response = (values: Record<string, number>): Pick<Executed, "devices" | "data" | "timeWindow"> => ({
  timeWindow: WINDOW,
  devices: { all: [device("d")] },
  data: Object.fromEntries(
    Object.entries(values).map(([id, value]) => [
      id,
      { deviceIds: ["d"], series: [{ deviceId: "d", series: [{ key: "t", points: [{ ts: 1, value }] }] }] },
    ]),
  ),
});
const live = (ts: number, t: number) =>
  ({ type: "data", topic: "telemetry", id: "s", deviceId: "d", ts, values: { t } }) as never; // all that it reads

const pictures: (() => void)[] = [];
const before = globalThis.requestAnimationFrame;
beforeEach(() => {
  pictures.length = 0;
  globalThis.requestAnimationFrame = (draw) => pictures.push(() => draw(0));
});
afterEach(() => {
  // A picture may still be asked for when a test is over.
  globalThis.requestAnimationFrame = before ?? (() => 0);
});
/** All pictures that are asked for, and what they ask for. */
async function drawn(): Promise<void> {
  for (let n = 0; n < 100; n++) {
    for (const picture of pictures.splice(0)) picture();
    await Bun.sleep(2);
  }
}
const pointsOf = (feed: BoardFeed, id: string) => feed.of(id).series.map(({ buffer }) => [...buffer.values]);

test("an answer about some widgets leaves the others with what has come since", () => {
  const feed = new BoardFeed();
  const [a, b] = [widget("a"), widget("b")];
  feed.fill(response({ a: 1, b: 1 }), [a, b]);
  feed.append(live(2, 5));
  feed.fill(response({ b: 7 }), [a, b], true);
  expect([pointsOf(feed, "a"), pointsOf(feed, "b")]).toEqual([[[1, 5]], [[7]]]);
  feed.append(live(3, 6));
  expect(pointsOf(feed, "a")).toEqual([[1, 5, 6]]);
});

test("what is not on the screen is drawn when it comes there", async () => {
  const feed = new BoardFeed();
  feed.fill(response({ a: 1, b: 1 }), [widget("a"), widget("b")]);
  await drawn();
  feed.setSeen("b", false);
  const [a, b] = [feed.of("a").version.value, feed.of("b").version.value];
  feed.append(live(2, 5));
  await drawn();
  expect([feed.of("a").version.value, feed.of("b").version.value]).toEqual([a + 1, b]);
  feed.setSeen("b", true);
  await drawn();
  expect(feed.of("b").version.value).toBe(b + 1);
});

test("values of a device for which a widget has no room do not draw it anew, and are kept", async () => {
  const feed = new BoardFeed();
  feed.fill(response({ a: 1 }), [widget("a")]);
  await drawn();
  const version = feed.of("a").version.value;
  feed.of("a").roomFor = new Set(["other"]);
  feed.append(live(2, 5));
  await drawn();
  expect([feed.of("a").version.value, pointsOf(feed, "a")]).toEqual([version, [[1, 5]]]);
  feed.of("a").roomFor = undefined;
  feed.append(live(3, 6));
  await drawn();
  expect(feed.of("a").version.value).toBe(version + 1);
});

test("a printer gets all of it at once", async () => {
  const feed = new BoardFeed();
  feed.fill(response({ a: 1 }), [widget("a")]);
  await drawn();
  feed.setSeen("a", false);
  feed.append(live(2, 5));
  const version = feed.of("a").version.value;
  feed.drawAll();
  expect(feed.of("a").version.value).toBe(version + 1);
});

test("many that have something new are all drawn, in turn", async () => {
  const feed = new BoardFeed();
  const widgets = Array.from({ length: 200 }, (_, n) => widget(`w${n}`));
  feed.fill(response(Object.fromEntries(widgets.map(({ widgetId }) => [widgetId, 1]))), widgets);
  // A busy machine draws few at a time.
  await until(async () => {
    await drawn();
    return widgets.every(({ widgetId }) => feed.of(widgetId).version.value > 0);
  });
  expect(widgets.filter(({ widgetId }) => feed.of(widgetId).version.value === 0)).toEqual([]);
});

test("on a wall a widget rests between two drawings, and then shows what came meanwhile", async () => {
  const feed = new BoardFeed(300);
  const begin = performance.now();
  feed.fill(response({ a: 1 }), [widget("a")]);
  await until(() => {
    for (const picture of pictures.splice(0)) picture();
    return feed.of("a").version.value === 1;
  });
  for (let ts = 2; ts < 20; ts++) feed.append(live(ts, 5));
  await until(() => {
    for (const picture of pictures.splice(0)) picture();
    return feed.of("a").version.value > 1;
  });
  expect(performance.now() - begin).toBeGreaterThan(299);
  await drawn();
  expect(feed.of("a").version.value).toBe(2);
});

test("aggregates are asked for anew, raw values are not", () => {
  expect(needsRefresh(widget("a"))).toBe(false);
  expect(needsRefresh(widget("a", { config: { keys: ["t"], aggregation: "avg" } }))).toBe(true);
  expect(needsRefresh(widget("a", { type: "markdown", config: { aggregation: "avg" } }))).toBe(false);
});

test("a device may call its keys what it likes", () => {
  const feed = new BoardFeed();
  const keys = ["__proto__", "constructor", "toString"];
  feed.fill(
    {
      timeWindow: WINDOW,
      devices: { all: [device("d")] },
      data: { a: { deviceIds: ["d"], latest: [{ deviceId: "d", ts: 1, values: {} }] } },
    },
    [widget("a", { type: "value", config: { keys } })],
  );
  feed.append(JSON.parse('{"deviceId":"d","ts":2,"values":{"__proto__":5,"constructor":6}}'));
  const shown = (key: string) => newestOf({ latestOf: (id) => feed.latestOf(id) }, "d", key);
  expect(keys.map(shown)).toEqual([
    { value: 5, ts: 2 },
    { value: 6, ts: 2 },
    { value: undefined, ts: undefined },
  ]);
});

test("newest values come key by key: an older answer brings what was not known, and changes nothing newer", () => {
  const feed = new BoardFeed();
  const latest = (ts: number, values: Record<string, number>) => ({
    timeWindow: WINDOW,
    devices: { all: [device("d")] },
    data: { a: { deviceIds: ["d"], latest: [{ deviceId: "d", ts, values, timestamps: {} }] } },
  });
  feed.fill(latest(5, { t: 1 }), [widget("a")]);
  feed.append(live(9, 2));
  feed.fill(latest(6, { t: 1, p: 3 }), [widget("a")]);
  expect({ ...feed.latestOf("d")?.values }).toEqual({ t: 2, p: 3 });
});

test("a calendar window counts like the shortest one, whoever has it", () => {
  const hour = { mode: "live", durationMs: 3_600_000 };
  const today = { mode: "calendar", unit: "day" };
  expect(
    [[hour], [hour, { ...hour, durationMs: 60_000 }], [hour, today], [today, hour]].map(shortestMs),
  ).toEqual([3_600_000, 60_000, 0, 0]);
});
