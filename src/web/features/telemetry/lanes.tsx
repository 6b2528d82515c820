import { type Signal, useSignal } from "@preact/signals";
import type { KeyMetadata } from "../../../lib/key-metadata.ts";
import type { Annotation } from "../../lib/annotations.ts";
import { alignColumns, type ChartColumns, skippedIn, statsOf } from "../../lib/chart-data.ts";
import { lineColor } from "../../lib/line-colors.ts";
import { scaleGroups } from "../../lib/scale-groups.ts";
import { formatReading } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { darkNow } from "../../platform/preferences.ts";
import { AlarmLink } from "../../ui/alarm-link.tsx";
import { ChartStack } from "../../ui/chart/chart-stack.tsx";
import { limitBands, limitLines, lineStyle } from "../../ui/chart/line-style.ts";
import { SampleTime } from "../../ui/chart/sample-time.tsx";
import type { KeySeries } from "./device-series.ts";

export interface LaneKey {
  readonly key: string;
  /** Undefined for a key without metadata. */
  readonly metadata: KeyMetadata | undefined;
  /** Place among the chosen keys; decides the colour, so that it is the same in every view. */
  readonly index: number;
  readonly series: KeySeries;
}

const STATS_DIGITS = 5;
/** Additional decimals of a mean: that of 3 and 4 is 3.5. */
const MEAN_DECIMALS = 1;

const nameOf = ({ key, metadata }: LaneKey): string => metadata?.name ?? key;

interface Props {
  readonly deviceId: string;
  readonly keys: readonly LaneKey[];
  readonly bounds: { readonly from: number; readonly to: number };
  readonly overlay: boolean;
  /** Consumption is drawn as bars. */
  readonly barred: boolean;
  readonly annotations: readonly Annotation[];
  readonly onZoom: (from: number, to: number) => void;
  readonly onReset: () => void;
}

/** Charts with one strip for each key, or all keys in one chart; the cursor is shared. */
export function Lanes(props: Props) {
  // A signal, so that moving the pointer redraws the legends and not the lines.
  const cursor = useSignal<number | undefined>(undefined);
  const groups = props.overlay ? [props.keys] : props.keys.map((key) => [key]);
  const tall = groups.length === 1;
  return (
    <div class="flex flex-col gap-3">
      {groups.map((group) => (
        <section key={group.map((k) => k.key).join()} class="panel min-w-0 overflow-hidden">
          <div class="flex flex-col px-4 pt-3">
            {group.map((key) => (
              <Legend key={key.key} {...props} lane={key} cursor={cursor} />
            ))}
          </div>
          <Lane
            group={group}
            height={tall ? 360 : 170}
            {...props}
            onCursor={(ts) => {
              cursor.value = ts;
            }}
          />
        </section>
      ))}
    </div>
  );
}

function Lane(
  props: Props & { group: readonly LaneKey[]; height: number; onCursor: (ts: number | undefined) => void },
) {
  const { group, bounds } = props;
  const dark = darkNow.value;
  const first = group[0];
  const banded = group.length === 1 && first !== undefined && first.series.low.ts.length > 0;
  const buffers = group.map((k) => k.series.main);
  const scales = scaleGroups(
    buffers.map((b) => statsOf(b, bounds)),
    group.map(({ metadata }) => metadata?.unit),
  );
  const limited = props.barred
    ? []
    : group.map(({ metadata }, index) => ({ metadata, scale: scales[index] ?? 0 }));
  const columns: ChartColumns = alignColumns(
    banded && first ? [...buffers, first.series.low, first.series.high] : buffers,
    bounds,
  );
  return (
    <ChartStack
      columns={columns}
      sources={buffers}
      banded={banded}
      bounds={bounds}
      height={props.height}
      series={group.map((k, i) => ({
        key: nameOf(k),
        color: lineColor(k.index, dark),
        ...lineStyle(k.metadata, k.series.main.values[0]),
        barred: props.barred,
        scale: scales[i] ?? 0,
      }))}
      limits={limitLines(limited)}
      bands={limitBands(limited)}
      annotations={props.annotations}
      isAligned
      label={t("data.chartOf", { keys: group.map(nameOf).join(", ") })}
      onZoom={props.onZoom}
      onReset={props.onReset}
      onCursor={props.onCursor}
    />
  );
}

function Legend({
  deviceId,
  lane,
  bounds,
  cursor,
}: Pick<Props, "deviceId" | "bounds"> & {
  lane: LaneKey;
  cursor: Signal<number | undefined>;
}) {
  const { main } = lane.series;
  const { metadata } = lane;
  const skipped = skippedIn(main, bounds);
  const stats = statsOf(main, bounds);
  const pointed = cursor.value;
  const value = main.values[main.heldAt(pointed ?? bounds.to)];
  return (
    <div class="flex flex-wrap items-center gap-x-4 gap-y-0.5">
      <span class="flex min-w-0 items-center gap-2 font-medium">
        <svg width="14" height="4" aria-hidden="true" class="flex-none">
          <rect width="14" height="4" rx="2" fill={lineColor(lane.index, darkNow.value)} />
        </svg>
        <span class="truncate" title={lane.key}>
          {nameOf(lane)}
        </span>
      </span>
      <span class="reading text-lg font-medium">{formatReading(value, metadata)}</span>
      <AlarmLink deviceId={deviceId} name={lane.key} />
      <SampleTime buffer={main} pointed={pointed} bounds={bounds} />
      {skipped > 0 && <span class="text-sm text-warning">{plural("data.skipped", skipped)}</span>}
      {stats && typeof value !== "boolean" && metadata?.kind !== "state" && (
        <span class="reading ml-auto text-sm text-soft max-sm:hidden">
          {t("data.stats", {
            min: formatReading(stats.min, metadata, { digits: STATS_DIGITS }),
            avg: formatReading(stats.avg, metadata, {
              digits: STATS_DIGITS,
              decimalsMax: stats.decimals + MEAN_DECIMALS,
            }),
            max: formatReading(stats.max, metadata, { digits: STATS_DIGITS }),
          })}
        </span>
      )}
    </div>
  );
}
