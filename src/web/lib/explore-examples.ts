/** Series of one chart that are still easy to tell apart. */
export const SERIES_MAX = 4;
const EXAMPLES_MAX = 4;

interface Device {
  readonly deviceId: string;
  readonly deviceType: string;
}

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
