import type { DeviceState, Registry } from "./registry.ts";

/** Family → those of the named keys (all when empty) that the device has. */
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
