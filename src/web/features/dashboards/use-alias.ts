import { useKept, useResource } from "../../platform/resource.ts";
import { telemetryApi } from "../telemetry/telemetry-api.ts";
import { type Alias, dashboardsApi, type ResolvedDevice } from "./dashboards-api.ts";

/** Devices of which the keys are looked at. */
const PREVIEW_DEVICES = 5;

/** The devices of an alias, and what they send; nothing for an alias that stands for none. */
export function useAlias(alias: Alias | undefined): {
  readonly devices: readonly ResolvedDevice[];
  readonly keys: readonly string[];
} {
  const resource = useResource(async () => {
    const devices = alias === undefined ? [] : await dashboardsApi.resolve(alias).catch(() => []);
    const lists = await Promise.all(
      devices.slice(0, PREVIEW_DEVICES).map(({ deviceId }) => telemetryApi.keys(deviceId)),
    );
    const keys = [...new Set(lists.flatMap((list) => list.map(({ key }) => key)))].sort();
    return { devices, keys };
  }, [JSON.stringify(alias)]);
  return useKept(resource) ?? { devices: [], keys: [] };
}
