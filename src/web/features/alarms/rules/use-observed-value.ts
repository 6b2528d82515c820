import type { KeyMetadata } from "../../../../lib/keys/key-metadata.ts";
import type { Aggregation } from "../../../lib/api-types.ts";
import { toNumber } from "../../../lib/chart-data.ts";
import { serverNow } from "../../../platform/now.ts";
import { useResource } from "../../../platform/resource.ts";
import { telemetryApi } from "../../telemetry/telemetry-api.ts";
import type { ObservedValue } from "./suggested-rule.ts";

const RANGE_MS = 7 * 86_400_000;

/** Returns the lowest or highest value of the last days; undefined for values that are not numbers. */
async function extreme(deviceId: string, key: string, aggregation: Aggregation): Promise<number | undefined> {
  const to = serverNow();
  const query = { keys: [key], from: to - RANGE_MS, to, aggregation, maxDataPoints: 1 };
  // Texts have no extremes, which the server refuses: the form then begins without a limit.
  const [series] = await telemetryApi.range(deviceId, query).catch(() => []);
  const numbers = (series?.points ?? []).flatMap(({ value }) => toNumber(value) ?? []);
  if (numbers.length === 0) return undefined;
  return aggregation === "min" ? Math.min(...numbers) : Math.max(...numbers);
}

/** Loads the metadata and the stored values of a key of a device; undefined while they load. */
export function useObservedValue(
  deviceId: string,
  key: string,
  metadata: KeyMetadata | undefined,
): ObservedValue | undefined {
  const observed = useResource(async () => {
    const [latest, min, max] = await Promise.all([
      telemetryApi.latest(deviceId).catch(() => undefined),
      extreme(deviceId, key, "min"),
      extreme(deviceId, key, "max"),
    ]);
    const newest = latest !== undefined && Object.hasOwn(latest.values, key) ? latest.values[key] : undefined;
    return { newest, range: min === undefined || max === undefined ? undefined : { min, max } };
  }, [deviceId, key]);
  return observed.data && { key, metadata, ...observed.data };
}
