import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  LATITUDE_MAX,
  metresPerWorld,
  positionKeys,
  project,
  readPosition,
  unproject,
} from "../../../src/lib/console/web-mercator.ts";

const position = fc.record({
  latitude: fc.double({ min: -85, max: 85, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});

describe("the projection", () => {
  test("leads there and back", () => {
    fc.assert(
      fc.property(position, (from) => {
        const to = unproject(project(from));
        expect(to.latitude).toBeCloseTo(from.latitude, 9);
        expect(to.longitude).toBeCloseTo(from.longitude, 9);
      }),
    );
  });

  test("keeps directions: north is above, east to the right", () => {
    fc.assert(
      fc.property(position, position, (a, b) => {
        if (a.latitude - b.latitude > 1e-6) expect(project(a).y).toBeLessThan(project(b).y);
        if (a.longitude - b.longitude > 1e-6) expect(project(a).x).toBeGreaterThan(project(b).x);
      }),
    );
  });

  test("gives the coordinates of the example of IOGP Publication 373-7-2, method 1024", () => {
    // 24°22'54.433"N, 100°20'00.000"W is E -11169055.58 m, N 2800000.00 m.
    const { x, y } = project({ latitude: 24 + 22 / 60 + 54.433 / 3600, longitude: -(100 + 20 / 60) });
    expect((x - 0.5) * metresPerWorld(0)).toBeCloseTo(-11_169_055.58, 1);
    expect((0.5 - y) * metresPerWorld(0)).toBeCloseTo(2_800_000, 1);
  });

  test("puts what is near a pole on the edge of the world", () => {
    expect(project({ latitude: 90, longitude: 0 }).y).toBeCloseTo(0, 9);
    expect(project({ latitude: -90, longitude: 0 }).y).toBeCloseTo(1, 9);
    expect(LATITUDE_MAX).toBeCloseTo(85.051128779807, 9);
  });
});

test.each([
  [52.5, 13.4, true],
  [-90, 180, true],
  [0, 13, true],
  [0, 0, false],
  [90.1, 0, false],
  [52, 181, false],
  ["52.5", 13, false],
  [Number.NaN, 13, false],
  [Number.POSITIVE_INFINITY, 1, false],
  [undefined, 13, false],
  [null, null, false],
])("%p and %p: is a position %p", (latitude, longitude, isPosition) => {
  expect(readPosition(latitude, longitude) !== undefined).toBe(isPosition);
});

test("a map looks for latitude and longitude unless it names other keys", () => {
  expect(positionKeys({})).toEqual(["latitude", "longitude"]);
  expect(positionKeys({ latitudeKey: "lat", longitudeKey: "" })).toEqual(["lat", "longitude"]);
});
