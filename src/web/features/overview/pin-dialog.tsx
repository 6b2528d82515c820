import { useState } from "preact/hooks";
import type { DeviceRow } from "../../lib/api-types.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { keyName } from "../../platform/key-metadata.ts";
import { useResource } from "../../platform/resource.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { SearchBox } from "../../ui/form/search-box.tsx";
import { Empty } from "../../ui/page/empty.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { rememberNames } from "../devices/device-names.ts";
import { useDeviceSearch } from "../devices/use-device-search.ts";
import { overviewApi, type Pin } from "./overview-api.ts";

const FOUND_MAX = 20;

export interface PinDialogProps {
  readonly pins: readonly Pin[];
  readonly onPin: (pin: Pin) => void;
  readonly onClose: () => void;
}

export function PinDialog({ pins, onPin, onClose }: PinDialogProps) {
  const [device, setDevice] = useState<DeviceRow | undefined>(undefined);
  const pin = (key: string) => {
    if (device === undefined) return;
    rememberNames([device]);
    onPin({ deviceId: device.deviceId, key });
    onClose();
  };
  return (
    <Dialog title={t("overview.pin")} onClose={onClose}>
      <div class="flex flex-col gap-3">
        <p class="text-sm text-soft">{t("overview.pinHint")}</p>
        {device === undefined ? (
          <DeviceChoice onSelect={setDevice} />
        ) : (
          <KeyChoice device={device} pins={pins} onSelect={pin} onBack={() => setDevice(undefined)} />
        )}
      </div>
    </Dialog>
  );
}

const Choices = (props: {
  label: string;
  items: readonly { id: string; text: string; detail: string }[];
  onSelect: (id: string) => void;
}) => (
  <ul
    class="h-64 divide-y divide-base-300 overflow-y-auto rounded-field border border-base-300"
    aria-label={props.label}
  >
    {props.items.map(({ id, text, detail }) => (
      <li key={id}>
        <button
          type="button"
          class="flex w-full cursor-pointer items-center gap-3 px-3 py-2 text-left hover:bg-base-200"
          onClick={() => props.onSelect(id)}
        >
          <span class="min-w-0 flex-1 truncate">{text}</span>
          <span class="max-w-[50%] flex-none truncate text-sm text-soft">{detail}</span>
        </button>
      </li>
    ))}
  </ul>
);

function DeviceChoice({ onSelect }: { onSelect: (device: DeviceRow) => void }) {
  const [text, setText] = useState("");
  const found = useDeviceSearch(text, FOUND_MAX);
  return (
    <>
      <SearchBox class="sm:w-full" label={t("devices.search")} value={text} onSearch={setText} />
      <Choices
        label={t("nav.devices")}
        items={(found ?? []).map(({ deviceId, name, label, deviceType }) => ({
          id: deviceId,
          text: name,
          detail: label || deviceType,
        }))}
        onSelect={(id) => {
          const device = found?.find(({ deviceId }) => deviceId === id);
          if (device) onSelect(device);
        }}
      />
    </>
  );
}

function KeyChoice(props: {
  device: DeviceRow;
  pins: readonly Pin[];
  onSelect: (key: string) => void;
  onBack: () => void;
}) {
  const { device, pins } = props;
  const keys = useResource(() => overviewApi.keys(device.deviceId), [device.deviceId]);
  const isPinned = (key: string) => pins.some((pin) => pin.deviceId === device.deviceId && pin.key === key);
  return (
    <>
      <p class="flex flex-wrap items-center justify-between gap-2">
        <span class="font-medium wrap-anywhere">{device.name}</span>
        <button type="button" class="link text-sm" onClick={props.onBack}>
          {t("overview.otherDevice")}
        </button>
      </p>
      <Loaded of={keys}>
        {(all) => {
          const free = all.filter((key) => !isPinned(key));
          return free.length === 0 ? (
            <Empty title={t("overview.noValues")} hint={t("overview.noValuesHint")} />
          ) : (
            <Choices
              label={t("common.newestValues")}
              items={free.map((key) => ({ id: key, text: keyName(device.deviceId, key), detail: key }))}
              onSelect={props.onSelect}
            />
          );
        }}
      </Loaded>
    </>
  );
}
