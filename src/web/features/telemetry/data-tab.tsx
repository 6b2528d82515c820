import { ChartLine } from "lucide-preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { aggregatedMetadata } from "../../../lib/keys/key-metadata.ts";
import { writeNames } from "../../../lib/keys/name-list.ts";
import type { DeviceDetail, LatestSnapshot, TelemetryValue } from "../../lib/api-types.ts";
import { tableRows, toNumber } from "../../lib/chart-data.ts";
import { barInterval } from "../../lib/consumption.ts";
import { exploreHref } from "../../lib/explore-view.ts";
import { sortedKeys } from "../../lib/main-keys.ts";
import { isThinned, type SeriesBuffer } from "../../lib/series-buffer.ts";
import {
  boundsOf,
  fittedTo,
  panned,
  type TimeWindow,
  windowOfImport,
  zoomed,
} from "../../lib/time-window.ts";
import { ownZone } from "../../lib/zoned-time.ts";
import { toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { keyMetadataReady, keyName, metadataOf } from "../../platform/key-metadata.ts";
import { useLive } from "../../platform/live.ts";
import { now, serverNow } from "../../platform/now.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import type { ChartWindow } from "../../ui/chart/chart-gestures.ts";
import { KeyPicker } from "../../ui/form/key-picker.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { EmptyPanel } from "../../ui/page/empty.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { NoteDialog } from "../annotations/note-dialog.tsx";
import { useAnnotations } from "../annotations/use-annotations.ts";
import type { DeviceTabProps } from "../devices/device-tab.types.ts";
import { downloadCsv } from "./csv-download.ts";
import { type Controls, useControls } from "./data-controls.ts";
import { DataMenu } from "./data-menu.tsx";
import { DataToolbar, TimeLine } from "./data-toolbar.tsx";
import { DeviceSeries } from "./device-series.ts";
import { EmptyWindow } from "./empty-window.tsx";
import { type Bounds, HistoryButton, HistoryDialog, type ShownTime } from "./history-dialog.tsx";
import { Lanes } from "./lanes.tsx";
import { SeriesTable } from "./series-table.tsx";
import { durationsText, StateDurations } from "./state-durations.tsx";
import { telemetryApi } from "./telemetry-api.ts";

const POINTS_MAX = 2000;
const INTERVALS = 300;
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
    <LoadedView
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

interface ViewProps {
  readonly device: DeviceDetail;
  readonly series: DeviceSeries;
  readonly keys: readonly string[];
  readonly selected: readonly string[];
  readonly controls: Controls;
  /** Time of the device's newest value; 0 if it has none. */
  readonly newest: number;
  readonly onHistory: (shown: ShownTime) => void;
}

/** Loads when the user changes something; the clock moves a moving window, and the live connection adds to it. */
function useLoading({ series, selected, controls }: ViewProps): void {
  const { window, aggregation } = controls;
  const load = () => {
    const bounds = boundsOf(window, serverNow());
    const maxDataPoints = aggregation === "none" ? POINTS_MAX : INTERVALS;
    const calendar =
      aggregation === "delta" || aggregation === "timeIn"
        ? { interval: barInterval(bounds.to - bounds.from), timezone: ownZone() }
        : undefined;
    series.load({ keys: selected, ...bounds, aggregation, maxDataPoints, ...calendar });
  };
  const wanted = JSON.stringify([window, aggregation, selected]);
  useEffect(() => {
    load();
    if (aggregation === "none" || window.kind === "fixed") return;
    const width = boundsOf(window, 0).to - boundsOf(window, 0).from;
    const timer = setInterval(load, Math.max(5000, width / INTERVALS));
    return () => clearInterval(timer);
  }, [wanted, series]);
}

/** Returns the shown window. If nobody selected it, the window of a device created within it begins with the first value. */
function shownBounds(
  { device, controls }: ViewProps,
  { buffers, clock }: { readonly buffers: readonly SeriesBuffer[]; readonly clock: number },
): Bounds {
  const bounds = boundsOf(controls.window, clock);
  if (!controls.isFirst || (toMs(device.createdAt) ?? 0) < bounds.from) return bounds;
  const first = buffers.flatMap(({ ts }) => ts[0] ?? []);
  return first.length === 0 ? bounds : fittedTo(bounds, Math.min(...first));
}

function LoadedView(props: ViewProps) {
  const { series, controls, selected } = props;
  const [pausedAt, setPausedAt] = useState<number | undefined>(undefined);
  const saving = useAction();
  useLoading(props);
  void now.value;
  const clock = pausedAt ?? (controls.window.kind === "live" ? serverNow() : 0);
  const buffers = selected.map((key) => series.of(key).main);
  const bounds = shownBounds(props, { buffers, clock });
  const following = pausedAt === undefined && controls.window.kind === "live";
  // Points in the future are in the table immediately, and in the chart when their time comes.
  const listed = following ? { from: bounds.from, to: Number.POSITIVE_INFINITY } : bounds;
  // Read to subscribe the view to new points.
  void series.version.value;
  if (following) series.trim(bounds.from);
  const resuming =
    <Args extends unknown[]>(change: (...args: Args) => void) =>
    (...args: Args) => {
      setPausedAt(undefined);
      change(...args);
    };
  const setWindow = resuming(controls.setWindow);
  const zoom = resuming(controls.zoom);
  const empty = !series.loading.value && buffers.every((b) => b.indexOf(bounds.from) >= b.ts.length);
  return (
    <div class="flex flex-col gap-4">
      <DataToolbar
        window={controls.window}
        view={controls.view}
        keyPicker={<ShownKeys {...props} />}
        menu={
          <ViewMenu
            {...props}
            bounds={bounds}
            onPause={following ? () => setPausedAt(serverNow()) : undefined}
            onWindow={zoom}
            onDownload={() => saving.run(() => downloadCsv({ ...props, ...controls, buffers, listed }))}
          />
        }
        onWindow={setWindow}
        onView={(view) => controls.set({ view })}
      />
      <TimeLine
        bounds={bounds}
        isLive={controls.window.kind === "live"}
        isPaused={pausedAt !== undefined}
        isLoading={series.loading.value}
        aggregation={controls.aggregation}
        onPan={(share) => zoom(panned(bounds, share, serverNow()), { isPan: true })}
        onLive={resuming(controls.unzoomToLive)}
        onResume={() => setPausedAt(undefined)}
      />
      <ErrorNote error={saving.error} />
      {controls.view === "table" && isThinned(buffers, bounds.from) && (
        <p class="text-sm text-soft">{t("data.thinned")}</p>
      )}
      {series.error.value !== undefined && (
        <ErrorNote error={series.error.value} onRetry={() => setWindow({ ...controls.window })} />
      )}
      {selected.length === 0 && <p class="panel p-6 text-soft">{t("data.selectKeys")}</p>}
      {selected.length > 0 && empty && (
        <EmptyWindow newest={props.newest} width={bounds.to - bounds.from} onWindow={setWindow} />
      )}
      <Content
        {...props}
        bounds={bounds}
        listed={listed}
        onWindow={(next, isPan) => zoom({ kind: "fixed", ...next }, { isPan })}
      />
    </div>
  );
}

function ShownKeys({ device, keys, selected, controls }: ViewProps) {
  return (
    <KeyPicker
      keys={keys}
      selected={selected}
      nameOf={(key) => keyName(device.deviceId, key)}
      onSelect={(next) => controls.set({ keys: writeNames(next) })}
    />
  );
}

function ViewMenu(
  props: ViewProps & {
    bounds: Bounds;
    onPause: (() => void) | undefined;
    onWindow: (window: TimeWindow) => void;
    onDownload: () => void;
  },
) {
  const { controls, bounds, device } = props;
  const [isNoting, setNoting] = useState(false);
  const menu = (
    <DataMenu
      aggregation={controls.aggregation}
      onPause={props.onPause}
      hasAnnotations={controls.view !== "table" && controls.aggregation !== "timeIn"}
      isLoading={props.series.loading.value}
      exploreHref={exploreAddressOf(props, bounds)}
      onAggregation={(aggregation) => controls.set({ aggregation })}
      onZoom={(factor) => props.onWindow(zoomed(bounds, factor))}
      onDownload={props.onDownload}
      onHistory={() => props.onHistory(bounds)}
      onNote={may("devices:write") ? () => setNoting(true) : undefined}
    />
  );
  return (
    <>
      {menu}
      {isNoting && (
        <NoteDialog
          deviceId={device.deviceId}
          at={Math.min(bounds.to, serverNow())}
          onClose={() => setNoting(false)}
        />
      )}
    </>
  );
}

/** Returns the address of the same values in Explore. */
function exploreAddressOf({ device, selected, controls }: ViewProps, bounds: Bounds): string {
  const window =
    controls.window.kind === "live"
      ? { mode: "live", durationMs: bounds.to - bounds.from }
      : { mode: "absolute", ...bounds };
  return exploreHref(
    selected.map((key) => ({ deviceId: device.deviceId, key })),
    window,
  );
}

function Content(props: ViewProps & { bounds: Bounds; listed: Bounds; onWindow: ChartWindow["onWindow"] }) {
  const { series, selected, controls, bounds, listed } = props;
  const { annotations, cut } = useAnnotations([props.device], bounds);
  if (selected.length === 0) return null;
  if (controls.aggregation === "timeIn") return <DurationsContent {...props} />;
  const meaningOf = (key: string) =>
    aggregatedMetadata(metadataOf(props.device.deviceId, key), controls.aggregation);
  if (controls.view === "table") {
    return (
      <SeriesTable
        keys={selected.map((key) => ({ key, metadata: meaningOf(key) }))}
        rows={tableRows(
          selected.map((key) => series.of(key).main),
          listed,
        )}
      />
    );
  }
  const drawn = selected
    .map((key, index) => ({
      key,
      index,
      series: series.of(key),
      metadata: meaningOf(key),
    }))
    .filter(
      ({ series: { main } }) => main.values.length === 0 || main.values.some((v) => toNumber(v) !== null),
    );
  const text = selected.filter((key) => !drawn.some((d) => d.key === key));
  return (
    <>
      {text.length > 0 && (
        <p class="text-sm text-soft">
          {t("data.textKeys", { keys: text.map((key) => keyName(props.device.deviceId, key)).join(", ") })}
        </p>
      )}
      {cut && <p class="text-sm text-soft">{cut}</p>}
      <Lanes
        deviceId={props.device.deviceId}
        keys={drawn}
        bounds={bounds}
        overlay={controls.view === "overlay"}
        barred={controls.aggregation === "delta"}
        annotations={annotations}
        window={{ onWindow: props.onWindow, onReset: controls.unzoom }}
      />
    </>
  );
}

/** How long each key had each of its values, as bars or a table. */
function DurationsContent({
  device,
  series,
  selected,
  controls,
  bounds,
  listed,
}: ViewProps & { bounds: Bounds; listed: Bounds }) {
  const keys = selected.map((key) => ({
    key,
    id: key,
    name: keyName(device.deviceId, key),
    metadata: metadataOf(device.deviceId, key),
    buffer: series.of(key).main,
  }));
  if (controls.view !== "table")
    return (
      <div class="panel p-4">
        <StateDurations series={keys} bounds={bounds} />
      </div>
    );
  const rows = tableRows(
    keys.map(({ buffer }) => buffer),
    listed,
  ).map(({ ts, values }) => ({
    ts,
    values: values.map((value, column) => durationsText(value, keys[column]?.metadata)),
  }));
  return <SeriesTable keys={keys.map(({ key, name }) => ({ key, metadata: { key, name } }))} rows={rows} />;
}
