import { useEffect, useState } from "preact/hooks";
import { aggregatedMetadata } from "../../../lib/keys/key-metadata.ts";
import { writeNames } from "../../../lib/keys/name-list.ts";
import type { DeviceDetail } from "../../lib/api-types.ts";
import { tableRows, toNumber } from "../../lib/chart-data.ts";
import { barInterval } from "../../lib/consumption.ts";
import { exploreHref } from "../../lib/explore-view.ts";
import { isThinned, type SeriesBuffer } from "../../lib/series-buffer.ts";
import { boundsOf, fittedTo, panned, type TimeWindow, zoomed } from "../../lib/time-window.ts";
import { ownZone } from "../../lib/zoned-time.ts";
import { toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { keyName, metadataOf } from "../../platform/key-metadata.ts";
import { now, serverNow } from "../../platform/now.ts";
import { redrawOn } from "../../platform/redraw-on.ts";
import { may } from "../../platform/session.ts";
import type { ChartWindow } from "../../ui/chart/chart-gestures.ts";
import { KeyPicker } from "../../ui/form/key-picker.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { NoteDialog } from "../annotations/note-dialog.tsx";
import { useAnnotations } from "../annotations/use-annotations.ts";
import { downloadCsv } from "./csv-download.ts";
import type { Controls } from "./data-controls.ts";
import { DataMenu } from "./data-menu.tsx";
import { DataToolbar, TimeLine } from "./data-toolbar.tsx";
import type { DeviceSeries } from "./device-series.ts";
import { EmptyWindow } from "./empty-window.tsx";
import type { Bounds, ShownTime } from "./history-dialog.tsx";
import { Lanes } from "./lanes.tsx";
import { SeriesTable } from "./series-table.tsx";
import { durationsText, StateDurations } from "./state-durations.tsx";

const POINTS_MAX = 2000;
const INTERVALS = 300;

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

/** Time that the view shows: it follows the clock unless it is paused or fixed. A change of the window resumes it. */
function useShownTime(props: ViewProps, buffers: readonly SeriesBuffer[]) {
  const { controls, series } = props;
  const [pausedAt, setPausedAt] = useState<number | undefined>(undefined);
  redrawOn(now);
  const isLive = controls.window.kind === "live";
  const isFollowing = isLive && pausedAt === undefined;
  const bounds = shownBounds(props, { buffers, clock: pausedAt ?? (isLive ? serverNow() : 0) });
  useEffect(() => {
    if (isFollowing) series.trim(bounds.from);
  });
  return {
    bounds,
    /** Points in the future are in the table immediately, and in the chart when their time comes. */
    listed: isFollowing ? { from: bounds.from, to: Number.POSITIVE_INFINITY } : bounds,
    isFollowing,
    isPaused: pausedAt !== undefined,
    pause: () => setPausedAt(serverNow()),
    resume: () => setPausedAt(undefined),
    resuming:
      <Args extends unknown[]>(change: (...args: Args) => void) =>
      (...args: Args) => {
        setPausedAt(undefined);
        change(...args);
      },
  };
}

/** The selected values of a device in a window of time, as charts or a table. */
export function ValuesView(props: ViewProps) {
  const { series, controls, selected } = props;
  const saving = useAction();
  useLoading(props);
  redrawOn(series.version);
  const buffers = selected.map((key) => series.of(key).main);
  const time = useShownTime(props, buffers);
  const { bounds, listed, resuming } = time;
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
            onPause={time.isFollowing ? time.pause : undefined}
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
        isPaused={time.isPaused}
        isLoading={series.loading.value}
        aggregation={controls.aggregation}
        onPan={(share) => zoom(panned(bounds, share, serverNow()), { isPan: true })}
        onLive={resuming(controls.unzoomToLive)}
        onResume={time.resume}
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
