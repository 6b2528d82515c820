import { ChartLine } from "lucide-preact";
import { useMemo, useRef, useState } from "preact/hooks";
import type { DeviceDetail, LatestSnapshot, TelemetryValue } from "../../lib/api-types.ts";
import { toNumber } from "../../lib/chart-data.ts";
import { sortedKeys } from "../../lib/main-keys.ts";
import { windowOfImport } from "../../lib/time-window.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { keyMetadataReady, metadataOf } from "../../platform/key-metadata.ts";
import { useLive } from "../../platform/live.ts";
import { serverNow } from "../../platform/now.ts";
import { useResource } from "../../platform/resource.ts";
import { EmptyPanel } from "../../ui/page/empty.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import type { DeviceTabProps } from "../devices/device-tab.types.ts";
import { type Controls, useControls } from "./data-controls.ts";
import { DeviceSeries } from "./device-series.ts";
import { HistoryButton, HistoryDialog, type ShownTime } from "./history-dialog.tsx";
import { telemetryApi } from "./telemetry-api.ts";
import { ValuesView } from "./values-view.tsx";

const DEFAULT_KEYS = 4;

export function DataTab({ device }: DeviceTabProps) {
  const loads = useRef(0);
  const resource = useResource(async () => {
    const [latest, keys] = await Promise.all([
      telemetryApi.latest(device.deviceId),
      telemetryApi.keys(device.deviceId),
      // Decides which values are shown first; without it, they would be loaded twice.
      keyMetadataReady(device.deviceId),
    ]);
    return { latest, keys, load: ++loads.current };
  }, [device.deviceId]);
  return (
    <Loaded of={resource}>
      {(data) => <DeviceData {...data} device={device} onImported={resource.reload} />}
    </Loaded>
  );
}

/** The charts, and the dialog for imports and exports. */
function DeviceData(props: {
  device: DeviceDetail;
  latest: LatestSnapshot;
  /** Number of this load; data is loaded again after an import. */
  load: number;
  keys: readonly { key: string }[];
  onImported: () => void;
}) {
  const { device, latest } = props;
  const [history, setHistory] = useState<{ shown: ShownTime } | undefined>(undefined);
  /** Time of the newest value that was imported while the dialog is open. */
  const [imported, setImported] = useState<number | undefined>(undefined);
  const controls = useControls(latest.ts);
  const keys = props.keys.map(({ key }) => key).sort();
  const showImported = (ts: number) => {
    const window = windowOfImport(ts, controls.window, serverNow());
    if (window !== undefined) controls.setWindow(window);
    props.onImported();
  };
  const closeHistory = () => {
    setHistory(undefined);
    if (imported !== undefined) showImported(imported);
    setImported(undefined);
  };
  return (
    <>
      <KnownKeys
        // Remounts after an import, to show the imported values.
        key={props.load}
        device={device}
        controls={controls}
        first={keys}
        values={latest.values}
        newest={latest.ts}
        onHistory={(shown) => setHistory({ shown })}
      />
      {/* Outside the charts, so that it stays open when they are remounted. */}
      {history !== undefined && (
        <HistoryDialog
          deviceId={device.deviceId}
          deviceName={device.name}
          shown={history.shown}
          onImported={(ts) => setImported((before = 0) => Math.max(before, ts))}
          onClose={closeHistory}
        />
      )}
    </>
  );
}

function KnownKeys(props: {
  newest: number;
  device: DeviceDetail;
  controls: Controls;
  first: string[];
  values: Record<string, TelemetryValue>;
  onHistory: (shown: ShownTime) => void;
}) {
  const { device, controls } = props;
  const [keys, setKeys] = useState(props.first);
  const series = useMemo(() => new DeviceSeries(device.deviceId), [device.deviceId]);
  const addKeys = (values: Record<string, TelemetryValue>) =>
    setKeys((existing) => {
      const fresh = Object.keys(values).filter((key) => !existing.includes(key));
      return fresh.length === 0 ? existing : [...existing, ...fresh].sort();
    });
  useLive({ topics: ["telemetry"], deviceIds: [device.deviceId] }, (message) => {
    if (message.type === "snapshot") {
      series.fillGap(serverNow());
      // Adds keys that appeared between loading the keys and subscribing.
      for (const { values } of message.telemetry) addKeys(values);
    } else if (message.topic === "telemetry") {
      series.append(message);
      addKeys(message.values);
    }
  });
  if (keys.length === 0)
    return (
      <EmptyPanel icon={ChartLine} title={t("device.noData")} hint={t("device.noDataHint")}>
        <a class="btn btn-primary" href={`/devices/${device.deviceId}/connect`}>
          {t("device.connectIt")}
        </a>
        <HistoryButton shown={undefined} onOpen={props.onHistory} />
      </EmptyPanel>
    );
  const drawable = keys.filter(
    (key) => props.values[key] === undefined || toNumber(props.values[key]) !== null,
  );
  const fallback = sortedKeys(drawable.length > 0 ? drawable : keys, (key) =>
    metadataOf(device.deviceId, key),
  ).slice(0, DEFAULT_KEYS);
  const selected = controls.keys?.filter((key) => keys.includes(key)) ?? fallback;
  return (
    <ValuesView
      device={device}
      series={series}
      keys={keys}
      selected={selected}
      controls={controls}
      newest={props.newest}
      onHistory={props.onHistory}
    />
  );
}
