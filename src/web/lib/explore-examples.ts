// What an empty Explore offers: values of one device, and one value of several devices of a type.
import type { KeyMetadata } from "../../lib/key-metadata.ts";

const SERIES_MAX = 4;
const EXAMPLES_MAX = 4;

interface Device {
  readonly deviceId: string;
  readonly deviceType: string;
}

/** Sorted first: values with limits, then measured ones, then others; a counter only rises and says the least. */
function rank(metadata: KeyMetadata | undefined): number {
  if (metadata?.limits !== undefined) return 0;
  if (metadata?.kind === "gauge") return 1;
  return metadata?.kind === "counter" ? 3 : 2;
}

/** Returns the keys whose values are numbers, the most telling ones first. */
export const numericKeys = (
  values: Readonly<Record<string, unknown>>,
  metadataOf: (key: string) => KeyMetadata | undefined,
): string[] =>
  Object.keys(values)
    .filter((key) => typeof values[key] === "number")
    .sort((a, b) => rank(metadataOf(a)) - rank(metadataOf(b)) || a.localeCompare(b))
    .slice(0, SERIES_MAX);

/** Returns groups of two to four devices of the same type, in the order of the devices. */
export function comparableGroups<Row extends Device>(devices: readonly Row[]): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const device of devices) {
    const group = groups.get(device.deviceType) ?? [];
    groups.set(device.deviceType, [...group, device]);
  }
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .slice(0, EXAMPLES_MAX)
    .map((group) => group.slice(0, SERIES_MAX));
}
