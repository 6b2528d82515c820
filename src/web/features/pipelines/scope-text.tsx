import { plural, t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { devicesApi } from "../devices/devices-api.ts";
import type { PipelineScope } from "./pipelines-api.ts";

export function ScopeText({ scope }: { scope: PipelineScope }) {
  const { deviceIds, deviceTypes, profileIds } = scope;
  const profiles = useResource(
    async () => (profileIds?.length ? await devicesApi.profiles() : []),
    [profileIds?.length],
  );
  const nameOf = (id: string) => profiles.data?.find(({ profileId }) => profileId === id)?.name ?? "…";
  const parts = [
    ...(deviceTypes ? [deviceTypes.join(", ")] : []),
    ...(profileIds ? [profileIds.map(nameOf).join(", ")] : []),
    ...(deviceIds ? [plural("pipeline.someDevices", deviceIds.length)] : []),
  ];
  const subject = parts.length === 0 ? t("pipeline.allDevices") : parts.join(" · ");
  return <span class="wrap-anywhere">{t("pipeline.scopeText", { what: subject })}</span>;
}
