import { BellPlus, ChartLine } from "lucide-preact";
import { useState } from "preact/hooks";
import { alarmHref } from "../../../lib/alarm-href.ts";
import type { TelemetryValue } from "../../../lib/api-types.ts";
import {
  comparisonOf,
  type ExploreSeries,
  exploreAddress,
  type Pane,
  seriesId,
  withSeries,
} from "../../../lib/explore-view.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { keyName, metadataOf, profileOfDevice } from "../../../platform/key-metadata.ts";
import { may } from "../../../platform/session.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { AlarmLink } from "../../../ui/state/alarm-link.tsx";
import type { BoardFeed } from "../board/board-feed.ts";
import type { Widget, WindowSpec } from "../dashboards-api.ts";
import { kindOf } from "../widgets/kinds.ts";
import { keysOf } from "../widgets/values.ts";

/** Max. series of a view of Explore that a widget opens. More would be indistinguishable. */
const SERIES_MAX = 20;

interface Props {
  readonly widget: Widget;
  readonly feed: BoardFeed;
  readonly window: WindowSpec;
}

/** Returns the series of the values of a widget. */
function seriesOf({ widget, feed }: Props): ExploreSeries[] {
  const parts = kindOf(widget.type)?.parts ?? [];
  const isOfValues = parts.includes("key") || parts.includes("keys");
  if (!isOfValues || widget.type === "slider") return [];
  const { series: own } = widget.config;
  return feed
    .of(widget.widgetId)
    .devices.flatMap(({ deviceId }) => keysOf(widget).map((key) => ({ deviceId, key })))
    .filter((series) => !Array.isArray(own) || own.includes(seriesId(series)))
    .slice(0, SERIES_MAX);
}

/** Returns the kind of pane: lines for numbers, lanes for states and texts. */
function kindOfPane({ widget, feed }: Props, { deviceId, key }: ExploreSeries): Pane["kind"] {
  if (widget.type === "stateTimeline" || metadataOf(deviceId, key)?.kind === "state") return "lanes";
  const values: Readonly<Record<string, TelemetryValue>> = feed.latestOf(deviceId)?.values ?? {};
  const newest = Object.hasOwn(values, key) ? values[key] : undefined;
  return newest === undefined || typeof newest === "number" ? "lines" : "lanes";
}

function hrefOf(props: Props, series: readonly ExploreSeries[]): string {
  const { aggregation } = props.widget.config;
  const isChart = props.widget.type === "timeseries" && typeof aggregation === "string";
  return exploreAddress({
    panes: series.reduce<Pane[]>((panes, own) => withSeries(panes, own, kindOfPane(props, own)), []),
    window: props.window,
    aggregation: isChart ? aggregation : "none",
    compare: comparisonOf(props.widget.config.compare),
  });
}

const BUTTON = "btn btn-ghost btn-square btn-xs text-soft print:hidden";

/** Visible while the pointer or the focus is within the widget, and always without a hovering pointer. */
const WITH_POINTER =
  "flex flex-none items-center rounded-field bg-base-100 print:hidden [@media(hover:hover)]:absolute [@media(hover:hover)]:top-1.5 [@media(hover:hover)]:right-2 [@media(hover:hover)]:opacity-0 group-hover:opacity-100 group-focus-within:opacity-100";

/** Links from a widget to its values in Explore, and to an alarm rule for one of them. */
export function WidgetLinks(props: Props & { title: string }) {
  const series = seriesOf(props);
  const [first] = series;
  if (first === undefined) return null;
  const label = t("widget.explore", { name: props.title });
  return (
    <div class={WITH_POINTER}>
      <a class={BUTTON} href={hrefOf(props, series)} aria-label={label} title={label}>
        <ChartLine size={14} aria-hidden="true" />
      </a>
      {series.length === 1 ? (
        <AlarmLink deviceId={first.deviceId} name={first.key} class="print:hidden" />
      ) : (
        may("profiles:write") && <AlarmChoice {...props} series={series} />
      )}
    </div>
  );
}

/** Selects the value for which the alarm rule is created. */
function AlarmChoice(props: Props & { title: string; series: readonly ExploreSeries[] }) {
  const { feed, widget } = props;
  const [isOpen, setOpen] = useState(false);
  const { devices } = feed.of(widget.widgetId);
  return (
    <>
      <IconButton
        icon={BellPlus}
        size={14}
        class={BUTTON}
        label={t("widget.alarm", { name: props.title })}
        onClick={() => setOpen(true)}
      />
      {isOpen && (
        <Dialog title={t("widget.alarmOn")} onClose={() => setOpen(false)}>
          <ul class="flex flex-col gap-1">
            {props.series.map(({ deviceId, key }) => {
              const profileId = profileOfDevice(deviceId);
              const device = devices.find((candidate) => candidate.deviceId === deviceId);
              return (
                profileId !== undefined && (
                  <li key={`${deviceId} ${key}`}>
                    <a class="link link-hover" href={alarmHref({ profileId, deviceId, key })}>
                      {`${device?.name ?? deviceId} · ${keyName(deviceId, key)}`}
                    </a>
                  </li>
                )
              );
            })}
          </ul>
        </Dialog>
      )}
    </>
  );
}
