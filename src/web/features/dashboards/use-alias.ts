import { useKept } from "../../platform/resource.ts";
import { type Alias, dashboardsApi, type ResolvedDevice } from "./dashboards-api.ts";
import { keysOfDevices } from "./device-keys.ts";

/** The devices of an alias, and what they send; nothing for an alias that stands for none. */
export function useAlias(alias: Alias | undefined): {
  readonly devices: readonly ResolvedDevice[];
  readonly keys: readonly string[];
} {
  const resource = useKept(async () => {
    const devices = alias === undefined ? [] : await dashboardsApi.resolve(alias).catch(() => []);
    return { devices, keys: await keysOfDevices(devices.map(({ deviceId }) => deviceId)) };
  }, [JSON.stringify(alias)]);
  return resource.data ?? { devices: [], keys: [] };
}
