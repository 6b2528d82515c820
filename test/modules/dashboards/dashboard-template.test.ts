import { expect, test } from "bun:test";
import { dashboardForType } from "../../../src/modules/dashboards/dashboard-template.ts";

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
