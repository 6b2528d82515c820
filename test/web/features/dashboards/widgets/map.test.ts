import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  fittingFrame,
  pictureFrame,
  scaleBarOf,
  shareOf,
} from "../../../../../src/web/features/dashboards/widgets/map-frame.ts";
import { marksOf } from "../../../../../src/web/features/dashboards/widgets/map-marks.ts";

const position = fc.record({
  latitude: fc.double({ min: -84, max: 84, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});

describe("a frame", () => {
  test("that fits has all devices within, and its form", () => {
    fc.assert(
      fc.property(
        fc.array(position, { minLength: 1, maxLength: 20 }),
        fc.double({ min: 0.3, max: 4, noNaN: true }),
        (positions, ratio) => {
          const frame = fittingFrame(positions, ratio);
          if (frame === undefined) throw new Error("there are devices");
          expect(frame.width / frame.height).toBeCloseTo(ratio, 6);
          for (const candidate of positions) {
            const { x, y } = shareOf(frame, candidate);
            for (const share of [x, y]) {
              expect(share).toBeGreaterThan(0);
              expect(share).toBeLessThan(1);
            }
          }
        },
      ),
    );
  });

  test("goes the short way over the date line", () => {
    const fiji = { latitude: -17, longitude: 178 };
    const samoa = { latitude: -14, longitude: -172 };
    const frame = fittingFrame([fiji, samoa], 2);
    expect(frame?.width).toBeLessThan(0.1);
    expect(frame && shareOf(frame, fiji).x).toBeLessThan(frame ? shareOf(frame, samoa).x : 0);
  });

  test("of one device has a size", () => {
    const frame = fittingFrame([{ latitude: 52, longitude: 13 }], 2);
    expect(frame && shareOf(frame, { latitude: 52, longitude: 13 })).toEqual({
      x: expect.closeTo(0.5, 6),
      y: expect.closeTo(0.5, 6),
    });
    expect(fittingFrame([], 2)).toBeUndefined();
  });

  test("of a picture has its corners at its corners", () => {
    const frame = pictureFrame({ north: 53, south: 52, west: 13, east: 14 });
    if (frame === undefined) throw new Error("the edges are good");
    const corner = (latitude: number, longitude: number) => shareOf(frame, { latitude, longitude });
    expect(corner(53, 13)).toEqual({ x: expect.closeTo(0, 9), y: expect.closeTo(0, 9) });
    expect(corner(52, 14)).toEqual({ x: expect.closeTo(1, 9), y: expect.closeTo(1, 9) });
    expect(corner(54, 12).x).toBeLessThan(0);
    expect(corner(54, 12).y).toBeLessThan(0);
  });

  test("of a picture over the date line, and of the whole world", () => {
    const pacific = pictureFrame({ north: 0, south: -30, west: 170, east: -170 });
    expect(pacific && shareOf(pacific, { latitude: -15, longitude: 180 }).x).toBeCloseTo(0.5, 9);
    const world = pictureFrame({ north: 85, south: -85, west: -180, east: 180 });
    expect(world && shareOf(world, { latitude: 0, longitude: 90 }).x).toBeCloseTo(0.75, 9);
  });

  test.each([
    {},
    { north: 53, south: 52, west: 13 },
    { north: 52, south: 53, west: 13, east: 14 },
    { north: 53, south: 52, west: 13, east: 13 },
    { north: 91, south: 52, west: 13, east: 14 },
    { north: 53, south: 52, west: 13, east: "14" },
    { north: Number.NaN, south: 52, west: 13, east: 14 },
  ])("of a picture needs edges: %j are none", (edges) => {
    expect(pictureFrame(edges)).toBeUndefined();
  });
});

test("a scale bar is round, and as long as there is room", () => {
  fc.assert(
    fc.property(position, fc.double({ min: 0.05, max: 0.3, noNaN: true }), (center, most) => {
      const frame = fittingFrame([center], 1);
      if (frame === undefined) throw new Error("there is a device");
      const { metres, share } = scaleBarOf(frame, most);
      expect(String(metres)).toMatch(/^[125]0*$|^0\.0*[125]$/);
      expect(share).toBeLessThanOrEqual(most * 1.000001);
      expect(share).toBeGreaterThan(most / 2.6);
    }),
  );
  // A degree of longitude at 60° is about 55.8 km.
  const degree = pictureFrame({ north: 60.1, south: 59.9, west: 10, east: 11 });
  expect(degree && scaleBarOf(degree, 0.5).metres).toBe(20_000);
});

const device = (deviceId: string, x: number, y: number, state: object = {}) => ({
  deviceId,
  x,
  y,
  device: {
    deviceId,
    name: deviceId,
    deviceType: "",
    active: true,
    state: "ACTIVE" as const,
    assetId: null,
    ...state,
  },
});
const SIZE = { width: 600, height: 400 };
const SIZES = { mark: { width: 50, height: 30 }, cardOf: () => ({ width: 120, height: 46 }) };
const marksAt = (items: ReturnType<typeof device>[]) =>
  marksOf(items, SIZE, SIZES).map(({ items: [first, ...others], isCard }) => [
    first.deviceId,
    others.length,
    isCard,
  ]);

describe("marks", () => {
  test("of devices with room have cards", () => {
    expect(marksAt([device("a", 0.2, 0.5), device("b", 0.8, 0.5)])).toEqual([
      ["a", 0, true],
      ["b", 0, true],
    ]);
  });

  test("leave out the card that would cover another mark, of the device without an alarm", () => {
    const near = [device("a", 0.5, 0.5), device("b", 0.6, 0.5, { alarmSeverity: "MAJOR" })];
    expect(marksAt(near)).toEqual([
      ["b", 0, false],
      ["a", 0, false],
    ]);
    const wide = [device("a", 0.5, 0.5), device("b", 0.65, 0.5, { alarmSeverity: "MAJOR" })];
    expect(marksAt(wide)).toEqual([
      ["b", 0, true],
      ["a", 0, false],
    ]);
  });

  test("of devices at one place are one, with the worst state first", () => {
    const items = [
      device("fine", 0.5, 0.5),
      device("off", 0.5, 0.5, { active: false }),
      device("minor", 0.501, 0.5, { alarmSeverity: "MINOR" }),
      device("critical", 0.5, 0.501, { alarmSeverity: "CRITICAL", active: false }),
    ];
    const [mark, ...others] = marksOf(items, SIZE, SIZES);
    expect(others).toEqual([]);
    expect(mark?.items.map(({ deviceId }) => deviceId)).toEqual(["critical", "minor", "off", "fine"]);
  });

  test("hold every device once, and do not cover one another", () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(share, share), { maxLength: 200 }), (spots) => {
        const items = spots.map(([x, y], index) => device(String(index), x, y));
        const marks = marksOf(items, SIZE, SIZES);
        const middles = marks.map((mark) => mark.items[0]);
        // Beside an edge, marks move inwards and come nearer to one another.
        for (const [index, a] of middles.entries())
          for (const b of middles.slice(index + 1))
            if ([a.x, b.x, a.y, b.y].every((side) => side > 0.2 && side < 0.8))
              expect(
                Math.abs(a.x - b.x) * SIZE.width >= 50 - 1e-6 ||
                  Math.abs(a.y - b.y) * SIZE.height >= 30 - 1e-6,
              ).toBe(true);
        const ids = marks.flatMap((mark) => mark.items.map(({ deviceId }) => deviceId));
        expect(ids.toSorted()).toEqual(items.map(({ deviceId }) => deviceId).toSorted());
      }),
    );
  });
});
