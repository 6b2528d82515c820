import { useMemo } from "preact/hooks";
import { metadataOf } from "../../platform/key-metadata.ts";
import { useResource } from "../../platform/resource.ts";
import { type ColumnId, keyOfColumn } from "./device-columns.ts";
import { devicesApi } from "./devices-api.ts";
import type { LiveDevice } from "./use-device-rows.ts";

/** Returns the names of the columns' keys, from the metadata of the devices in view. */
function keyNames(columns: readonly ColumnId[], live: ReadonlyMap<string, LiveDevice>): [string, string][] {
  return columns.flatMap((id): [string, string][] => {
    const key = keyOfColumn(id) ?? "";
    const owner = [...live].find(([, { values }]) => values.has(key))?.[0];
    const name = owner && metadataOf(owner, key)?.name;
    return name ? [[id, name]] : [];
  });
}

/** Returns the names that the columns show: of profiles and gateways by id, of keys by column. Each list is asked for once. */
export function useColumnNames(
  columns: readonly ColumnId[],
  live: ReadonlyMap<string, LiveDevice>,
): ReadonlyMap<string, string> {
  const [hasProfiles, hasGateways] = [columns.includes("profile"), columns.includes("gateway")];
  const profiles = useResource(async () => (hasProfiles ? devicesApi.profiles() : []), [hasProfiles]);
  const gateways = useResource(async () => (hasGateways ? devicesApi.gateways() : []), [hasGateways]);
  const ofIds = useMemo(
    () =>
      new Map<string, string>([
        ...(profiles.data ?? []).map(({ profileId, name }) => [profileId, name] as const),
        ...(gateways.data ?? []).map(({ deviceId, name }) => [deviceId, name] as const),
      ]),
    [profiles.data, gateways.data],
  );
  return new Map([...ofIds, ...keyNames(columns, live)]);
}
