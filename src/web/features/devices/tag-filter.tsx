import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { FilterSelect } from "../../ui/form/filter-select.tsx";
import { devicesApi } from "./devices-api.ts";

/** Selects devices by one of the tenant's tags. */
export function TagFilter({ tag, onSelect }: { tag: string; onSelect: (tag: string) => void }) {
  const tags = useResource(devicesApi.tags, []);
  return (
    <FilterSelect
      label={t("alarms.tag")}
      all={t("alarms.anyTag")}
      value={tag}
      options={(tags.data ?? []).map((item) => ({ id: item.tag, text: item.tag }))}
      onSelect={onSelect}
    />
  );
}
