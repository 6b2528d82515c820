import { MIB } from "../../lib/core/units.ts";

/** Max. bytes of objects by the beginning of their names: packs of 4 MiB and a block, and records and page maps of about 300 GB of data. */
const LIMITS: ReadonlyArray<readonly [prefix: string, bytes: number]> = [
  ["packs/", 16 * MIB],
  ["maps/", 512 * MIB],
  ["snapshots/", 16 * MIB],
  ["checks.json", 16 * MIB],
  ["", MIB],
];

/** Returns the max. bytes of an object. A longer one is damaged, or not from a gateway, and is not read. */
export const bytesMaxOf = (name: string): number =>
  LIMITS.find(([prefix]) => name.startsWith(prefix))?.[1] ?? 0;

/** Max. bytes of all records of snapshots that are read together. */
export const RECORDS_BYTES_MAX = 128 * MIB;
/** Max. records of snapshots: those that settings can keep, twice. */
export const RECORDS_MAX = 10_000;

/** Max. bytes of the page maps of a snapshot when they are unpacked. */
export const MAPS_BYTES_MAX = 2 * 1024 * MIB;
