import { Search, X } from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { nameOf } from "./device-names.ts";
import { devicesApi } from "./devices-api.ts";

const TYPING_PAUSE_MS = 200;

export interface UrlFilter {
  readonly search: string;
  readonly type: string;
  readonly state: string;
  readonly tag: string;
  /** Only the devices behind this gateway. */
  readonly gateway: string;
  /** GATEWAY, or empty for all. */
  readonly role: string;
}

interface Props {
  readonly filter: UrlFilter;
  readonly set: (changes: Record<string, string>) => void;
  readonly total: number | undefined;
}

function SearchField({ filter, set }: Props) {
  const [text, setText] = useState(filter.search);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => setText(filter.search), [filter.search]);
  const type = (value: string) => {
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => set({ search: value.trim() }), TYPING_PAUSE_MS);
  };
  return (
    <label class="input input-sm w-full sm:max-w-xs sm:flex-1">
      <Search size={15} class="text-soft" aria-hidden="true" />
      <input
        type="search"
        value={text}
        placeholder={t("devices.search")}
        aria-label={t("devices.search")}
        onInput={(e) => type(e.currentTarget.value)}
      />
    </label>
  );
}

function Chip({ text, onClear }: { text: string; onClear: () => void }) {
  return (
    <button type="button" class="btn btn-sm font-normal" onClick={onClear} title={t("devices.removeFilter")}>
      {text}
      <X size={13} aria-hidden="true" />
      <span class="sr-only">{t("devices.removeFilter")}</span>
    </button>
  );
}

export function DeviceFilters(props: Props) {
  const { filter, set, total } = props;
  const types = useResource(devicesApi.types, []);
  return (
    <div class="flex flex-wrap items-center gap-2">
      <SearchField {...props} />
      <select
        class="select select-sm w-36"
        aria-label={t("devices.typeFilter")}
        value={filter.type}
        onChange={(e) => set({ type: e.currentTarget.value })}
      >
        <option value="">{t("devices.allTypes")}</option>
        {types.data?.map(({ deviceType, count }) => (
          <option key={deviceType} value={deviceType} selected={deviceType === filter.type}>
            {deviceType} ({count})
          </option>
        ))}
      </select>
      <select
        class="select select-sm w-36"
        aria-label={t("device.state")}
        value={filter.state}
        onChange={(e) => set({ state: e.currentTarget.value })}
      >
        <option value="">{t("devices.allStates")}</option>
        <option value="active">{t("state.active")}</option>
        <option value="inactive">{t("state.inactive")}</option>
      </select>
      <select
        class="select select-sm w-36"
        aria-label={t("devices.roleFilter")}
        value={filter.role}
        onChange={(e) => set({ role: e.currentTarget.value })}
      >
        <option value="">{t("devices.allRoles")}</option>
        <option value="GATEWAY">{t("devices.gateways")}</option>
      </select>
      {filter.tag && <Chip text={filter.tag} onClear={() => set({ tag: "" })} />}
      {filter.gateway && (
        <Chip
          text={t("devices.behind", { gateway: nameOf(filter.gateway) })}
          onClear={() => set({ gateway: "" })}
        />
      )}
      <p class="text-sm text-soft" role="status">
        {total !== undefined && plural("devices.count", total)}
      </p>
    </div>
  );
}
