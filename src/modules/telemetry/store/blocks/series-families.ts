import type { DeviceState, Registry } from "../registry.ts";
import type { WireSeries } from "../store.protocol.ts";

/** Returns the keys of all devices in transfer format. */
export function seriesOf({ devices }: Registry): WireSeries {
  const all = [...devices.values()];
  return {
    devices: Uint32Array.from(all, ({ no }) => no),
    counts: Uint32Array.from(all, ({ series }) => series.size),
    keys: Uint32Array.from(all.flatMap(({ series }) => [...series.keys()])),
  };
}

/** Returns family → key numbers. */
export function familiesOf(device: DeviceState): Map<number, Set<number>> {
  const families = new Map<number, Set<number>>();
  for (const { key, family } of device.series.values()) {
    const keys = families.get(family) ?? new Set();
    families.set(family, keys.add(key));
  }
  return families;
}

/** Returns family → the named keys (all if empty) that the device has. */
export function familyKeysOf(
  registry: Registry,
  device: DeviceState,
  names: readonly string[],
): Map<number, Set<number>> {
  const wanted =
    names.length === 0 ? device.series.keys() : names.map((name) => registry.keyNos.get(name) ?? -1);
  const families = new Map<number, Set<number>>();
  for (const key of wanted) {
    const series = device.series.get(key);
    if (series === undefined) continue;
    const keys = families.get(series.family) ?? new Set();
    families.set(series.family, keys.add(key));
  }
  return families;
}
