/*
 * Web Mercator (EPSG:3857, "Popular Visualisation Pseudo-Mercator"): the formulas of IOGP Publication 373-7-2, Geomatics Guidance Note 7
 * part 2, method 1024, on a square world of side 1. x grows to the east from longitude -180, y to the south.
 */

/** Position in degrees. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
}

export interface WorldPoint {
  readonly x: number;
  readonly y: number;
}

const DEGREES = 180 / Math.PI;
/** Latitude at which the world is a square: atan(sinh(π)). Positions nearer to a pole are on its edge. */
export const LATITUDE_MAX = Math.atan(Math.sinh(Math.PI)) * DEGREES;
/** 2π times the semi-major axis of WGS 84. */
const EQUATOR_M = 2 * Math.PI * 6_378_137;

export function project({ latitude, longitude }: Position): WorldPoint {
  const limited = Math.min(Math.max(latitude, -LATITUDE_MAX), LATITUDE_MAX);
  return {
    x: (longitude + 180) / 360,
    y: 0.5 - Math.asinh(Math.tan(limited / DEGREES)) / (2 * Math.PI),
  };
}

export const unproject = ({ x, y }: WorldPoint): Position => ({
  latitude: Math.atan(Math.sinh(2 * Math.PI * (0.5 - y))) * DEGREES,
  longitude: x * 360 - 180,
});

/** Returns the meters on the ground per side of the world at a latitude. */
export const metresPerWorld = (latitude: number): number => EQUATOR_M * Math.cos(latitude / DEGREES);

/** Returns the position; undefined for invalid values. Latitude 0 with longitude 0 is invalid, because receivers send it without a satellite fix. */
export function readPosition(latitude: unknown, longitude: unknown): Position | undefined {
  if (typeof latitude !== "number" || typeof longitude !== "number") return undefined;
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return undefined;
  return latitude === 0 && longitude === 0 ? undefined : { latitude, longitude };
}

const nameOr = (name: unknown, usual: string) => (typeof name === "string" && name !== "" ? name : usual);

/** Returns the keys or attributes of latitude and longitude for a map widget. */
export const positionKeys = (
  config: Readonly<Record<string, unknown>>,
): readonly [latitude: string, longitude: string] => [
  nameOr(config.latitudeKey, "latitude"),
  nameOr(config.longitudeKey, "longitude"),
];
