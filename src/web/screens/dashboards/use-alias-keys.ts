import { api } from "../../state/api.ts";
import { type Alias, dashboardsApi } from "../../state/dashboards-api.ts";
import { useKept, useResource } from "../../state/resource.ts";

/** Devices of which the keys are looked at. */
const LOOKED_AT = 5;

/** What the devices of an alias send; nothing for an alias that stands for none. */
export function useAliasKeys(alias: Alias | undefined): readonly string[] {
  const keys = useResource(async () => {
    if (alias === undefined) return [];
    const devices = await dashboardsApi.resolve(alias).catch(() => []);
    const lists = await Promise.all(devices.slice(0, LOOKED_AT).map(({ deviceId }) => api.keys(deviceId)));
    return [...new Set(lists.flatMap((list) => list.map(({ key }) => key)))].sort();
  }, [JSON.stringify(alias)]);
  return useKept(keys) ?? [];
}
