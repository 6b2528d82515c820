import { useState } from "preact/hooks";
import type { DeviceRow } from "../../lib/api-types.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { Chips } from "../../ui/form/chips.tsx";
import { nameOf, rememberNames } from "./device-names.ts";
import { DeviceSearch } from "./device-search.tsx";
import { useDeviceSearch } from "./use-device-search.ts";

const FOUND_MAX = 50;
/** Max. names that are loaded one by one, only for visible devices. */
const NAMED_MAX = 24;

interface Props {
  readonly selected: readonly string[];
  readonly onChange: (deviceIds: string[]) => void;
  /** Role of the listed devices. */
  readonly only?: "DEVICE" | "GATEWAY";
  /** Comma-separated keys of server attributes: lists the devices with any of them. */
  readonly attribute?: string;
  readonly isOffered?: (device: DeviceRow) => boolean;
}

/** Selects devices among any number, by searching instead of scrolling. */
export function DevicePicker({ selected, onChange, only, attribute, isOffered = () => true }: Props) {
  const [text, setText] = useState("");
  const found = useDeviceSearch(text, FOUND_MAX, {
    ...(only && { role: only }),
    ...(attribute !== undefined && { attribute }),
  })?.filter(isOffered);
  const toggle = (device: DeviceRow, on: boolean) => {
    rememberNames([device]);
    onChange(on ? [...selected, device.deviceId] : selected.filter((id) => id !== device.deviceId));
  };
  return (
    <div class="flex flex-col gap-2">
      <DeviceSearch text={text} onText={setText} />
      {found?.length === 0 ? (
        <p class="text-sm text-soft">{t(text === "" ? "devices.none" : "common.noDeviceMatches")}</p>
      ) : (
        <ul
          class="h-48 divide-y divide-base-300 overflow-y-auto rounded-field border border-base-300"
          aria-label={t("common.devices")}
        >
          {found?.map((device) => (
            <li key={device.deviceId}>
              <label class="flex cursor-pointer items-center gap-3 px-3 py-2">
                <input
                  type="checkbox"
                  class="checkbox checkbox-sm flex-none"
                  checked={selected.includes(device.deviceId)}
                  onChange={(e) => toggle(device, e.currentTarget.checked)}
                />
                <span class="min-w-0 flex-1 truncate">{device.name}</span>
                <span class="max-w-[40%] flex-none truncate text-sm text-soft">
                  {device.label || device.deviceType}
                </span>
              </label>
            </li>
          ))}
        </ul>
      )}
      {(found?.length !== 0 || selected.length > 0) && (
        <p class="text-sm text-soft" role="status">
          {plural("access.selected", selected.length)}
        </p>
      )}
      <Chips
        label={t("common.selectedDevices")}
        items={selected.map((id, i) => ({ id, text: i < NAMED_MAX ? nameOf(id) : id }))}
        more={(count) => t("access.more", { count })}
        removeLabel={(name) => t("common.removeName", { name })}
        onRemove={(id) => onChange(selected.filter((deviceId) => deviceId !== id))}
      />
    </div>
  );
}
