import { expect, test } from "bun:test";
import { dashboardForType, typeTitle } from "../../../src/modules/dashboards/dashboard-template.ts";

interface Cell {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

const layoutOf = (keys: number, devices = 2): Cell[] => {
  const sample = Object.fromEntries(Array.from({ length: keys }, (_, n) => [`value_${n}`, n]));
  const request = { name: "Press", deviceType: "press", template: "AUTO", timezone: "UTC" } as const;
  return dashboardForType({ ...request, sample, devices, metadata: new Map() }).layout as unknown as Cell[];
};

for (const keys of [0, 1, 2, 3, 4, 5, 6, 9])
  test(`every row of a dashboard for ${keys} values is twelve columns wide and has one height`, () => {
    const rows = Map.groupBy(layoutOf(keys), ({ y }) => y);
    let next = 0;
    for (const [y, cells] of [...rows].sort(([a], [b]) => a - b)) {
      expect(y).toBe(next);
      expect(cells.reduce((sum, { w }) => sum + w, 0)).toBe(12);
      expect(new Set(cells.map(({ h }) => h)).size).toBe(1);
      next += cells[0]?.h ?? 0;
    }
  });

test("lists are higher for more devices", () => {
  const rowsFor = (devices: number) => Math.max(...layoutOf(3, devices).map(({ y, h }) => y + h));
  expect(rowsFor(30)).toBeGreaterThan(rowsFor(2));
  expect(rowsFor(1_000)).toBe(rowsFor(50));
});

test("a device type becomes a title in words", () => {
  expect(["press", "energy-meter", "lineside_gateway", "HVAC", "-"].map(typeTitle)).toEqual([
    "Press",
    "Energy meter",
    "Lineside gateway",
    "HVAC",
    "-",
  ]);
});

test("values with limits come first, and the status shows the first of them", () => {
  const { widgets } = dashboardForType({
    name: "Press",
    deviceType: "press",
    template: "AUTO",
    timezone: "UTC",
    sample: { power: 1, vibration: 2 },
    devices: 2,
    metadata: new Map([["vibration", { key: "vibration", limits: { high: 4 } }]]),
  });
  const [status, , first] = widgets as { name: string; type: string; config: { key?: string } }[];
  expect(status).toMatchObject({ type: "statusGrid", name: "Press", config: { key: "vibration" } });
  expect(first).toMatchObject({ type: "gauge", config: { key: "vibration" } });
});

test("a value with a range is a gauge between its ends", () => {
  const { widgets } = dashboardForType({
    name: "Press",
    deviceType: "press",
    template: "AUTO",
    timezone: "UTC",
    sample: { pressure: 3 },
    devices: 1,
    metadata: new Map([["pressure", { key: "pressure", min: -1, max: 16 }]]),
  });
  expect(widgets).toContainEqual(
    expect.objectContaining({ type: "gauge", config: expect.objectContaining({ min: -1, max: 16 }) }),
  );
});

test("values are in the order of the profile, and others by name", () => {
  const { widgets } = dashboardForType({
    name: "Press",
    deviceType: "press",
    template: "AUTO",
    timezone: "UTC",
    sample: { b: 1, a: 2, speed: 3, load: 4 },
    devices: 1,
    metadata: new Map([
      ["speed", { key: "speed" }],
      ["load", { key: "load" }],
      ["absent", { key: "absent" }],
    ]),
  });
  const tiles = (widgets as { type: string; config: { key?: string } }[]).filter(
    ({ type }) => type === "value",
  );
  expect(tiles.map(({ config }) => config.key)).toEqual(["speed", "load", "a", "b"]);
});

test("a gauge whose limits are below its value shows the value within its scale", () => {
  const { widgets } = dashboardForType({
    name: "Compressor",
    deviceType: "compressor",
    template: "AUTO",
    timezone: "UTC",
    sample: { pressure: 7.1 },
    devices: 1,
    metadata: new Map([["pressure", { key: "pressure", limits: { lowLow: 5.2, low: 5.8 } }]]),
  });
  const gauge = (widgets as { type: string; config: object }[]).find(({ type }) => type === "gauge");
  expect(gauge?.config).toMatchObject({ min: 0, max: 9 });
});
