import { plural } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { devicesApi } from "./devices-api.ts";

/** Suggestions for an input with `list="known-assets"`: assets of devices. */
export function KnownAssets() {
  const assets = useResource(devicesApi.assets, []);
  return (
    <datalist id="known-assets">
      {assets.data?.map(({ assetId, count }) => (
        <option key={assetId} value={assetId} label={plural("devices.count", count)} />
      ))}
    </datalist>
  );
}
