import { ChevronLeft, Plus, Search } from "lucide-preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { DeviceRow } from "../../lib/api-types.ts";
import { type ExploreSeries, type Pane, seriesId } from "../../lib/explore-view.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { keyName, metadataOf } from "../../platform/key-metadata.ts";
import { useResource } from "../../platform/resource.ts";
import { Button } from "../../ui/button.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { useDismiss } from "../../ui/use-dismiss.ts";
import { DeviceState } from "../alarms/device-state.tsx";
import { rememberNames } from "../devices/device-names.ts";
import { useDeviceSearch } from "../devices/use-device-search.ts";
import { telemetryApi } from "../telemetry/telemetry-api.ts";

const DEVICES_SHOWN = 50;

interface Props {
  readonly panes: readonly Pane[];
  readonly onAdd: (series: ExploreSeries, kind: Pane["kind"]) => void;
}

/**
 * Adds values: first a device, then its keys. It is part of an empty page; afterwards it is a panel, which stays open so that the next device is one
 * click away.
 */
export function SeriesPicker({ panes, onAdd }: Props) {
  const isEmpty = panes.length === 0;
  const [isOpen, setOpen] = useState(false);
  const [device, setDevice] = useState<DeviceRow | undefined>(undefined);
  /** Most recently added key, which is probably compared for the next device. */
  const [lastKey, setLastKey] = useState<string | undefined>(undefined);
  const add: Props["onAdd"] = (series, kind) => {
    setLastKey(series.key);
    setOpen(true);
    onAdd(series, kind);
  };
  const root = useDismiss(isOpen && !isEmpty, () => setOpen(false));
  const select = (row: DeviceRow) => {
    rememberNames([row]);
    setDevice(row);
  };
  const choices =
    device === undefined ? (
      <DeviceList hasFocus={!isEmpty} onSelect={select} />
    ) : (
      <KeyList
        device={device}
        shown={new Set(panes.flatMap(({ series }) => series.map(seriesId)))}
        onBack={() => setDevice(undefined)}
        sameKey={lastKey}
        onAdd={add}
      />
    );
  return (
    <div class="relative min-w-0" ref={root}>
      {isEmpty ? (
        <section class="panel flex max-h-112 flex-col gap-2 p-3" aria-labelledby="series-picker">
          <h2 id="series-picker" class="px-2 pt-1 font-semibold">
            {t("explore.select")}
          </h2>
          {choices}
        </section>
      ) : (
        <Button
          icon={Plus}
          class="btn btn-primary btn-sm"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {t("explore.add")}
        </Button>
      )}
      {isOpen && !isEmpty && (
        <div class="panel absolute left-0 z-30 mt-2 flex max-h-96 w-80 max-w-[calc(100vw-2rem)] flex-col gap-2 p-3 shadow-xl">
          {choices}
        </div>
      )}
    </div>
  );
}

function DeviceList({ hasFocus, onSelect }: { hasFocus: boolean; onSelect: (device: DeviceRow) => void }) {
  const [text, setText] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const found = useDeviceSearch(text, DEVICES_SHOWN);
  useLayoutEffect(() => {
    if (hasFocus) input.current?.focus();
  }, []);
  return (
    <>
      <label class="input input-sm w-full flex-none">
        <Search size={15} class="text-soft" aria-hidden="true" />
        <input
          ref={input}
          type="search"
          value={text}
          placeholder={t("devices.search")}
          aria-label={t("devices.search")}
          onInput={(e) => setText(e.currentTarget.value)}
        />
      </label>
      {found?.length === 0 && (
        <p class="px-2 text-sm text-soft">{t(text === "" ? "devices.none" : "common.noDeviceMatches")}</p>
      )}
      <ul class="relative min-h-0 overflow-y-auto" aria-label={t("nav.devices")}>
        {found?.map((row) => (
          <li key={row.deviceId}>
            <button
              type="button"
              class="flex w-full cursor-pointer items-center gap-3 rounded-field px-2 py-1.5 text-left hover:bg-base-200"
              onClick={() => onSelect(row)}
            >
              <DeviceState deviceId={row.deviceId} state={row.state} bare />
              <span class="min-w-0 flex-1 truncate">{row.name}</span>
              <span class="max-w-[40%] flex-none truncate text-sm text-soft">
                {row.label || row.deviceType}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function KeyList(props: {
  device: DeviceRow;
  shown: ReadonlySet<string>;
  /** Key that is added without a click if the device has it. */
  sameKey: string | undefined;
  onBack: () => void;
  onAdd: Props["onAdd"];
}) {
  const { device, shown, onAdd } = props;
  const { deviceId } = device;
  const loaded = useResource(
    async () => ({
      keys: (await telemetryApi.keys(deviceId)).map(({ key }) => key).sort(),
      values: (await telemetryApi.latest(deviceId)).values,
    }),
    [deviceId],
  );
  const { keys = [], values = {} } = loaded.data ?? {};
  const kindOf = (key: string): Pane["kind"] => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    if (metadataOf(deviceId, key)?.kind === "state") return "lanes";
    return value === undefined || typeof value === "number" ? "lines" : "lanes";
  };
  useEffect(() => {
    const { sameKey } = props;
    if (sameKey === undefined || !keys.includes(sameKey) || shown.has(seriesId({ deviceId, key: sameKey })))
      return;
    onAdd({ deviceId, key: sameKey }, kindOf(sameKey));
  }, [loaded.data]);
  return (
    <>
      <button type="button" class="btn btn-ghost btn-sm flex-none justify-start" onClick={props.onBack}>
        <ChevronLeft size={15} aria-hidden="true" />
        <span class="truncate">{device.name}</span>
      </button>
      <Loaded of={loaded}>
        {() => keys.length === 0 && <p class="text-sm text-soft">{t("device.noData")}</p>}
      </Loaded>
      <ul class="min-h-0 overflow-y-auto" aria-label={t("explore.keysOf", { name: device.name })}>
        {keys.map((key) => {
          const isShown = shown.has(seriesId({ deviceId, key }));
          return (
            <li key={key}>
              <button
                type="button"
                class="flex w-full cursor-pointer items-center gap-3 rounded-field px-2 py-1.5 text-left hover:bg-base-200 disabled:cursor-default disabled:text-soft"
                disabled={isShown}
                onClick={() => onAdd({ deviceId, key }, kindOf(key))}
              >
                <span class="min-w-0 flex-1 break-words" title={key}>
                  {keyName(deviceId, key)}
                </span>
                {isShown && <span class="flex-none text-sm">{t("explore.shown")}</span>}
              </button>
            </li>
          );
        })}
      </ul>
    </>
  );
}
