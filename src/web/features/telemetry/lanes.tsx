import type { KeyMetadata } from "../../../lib/keys/key-metadata.ts";
import type { Annotation } from "../../lib/annotations.ts";
import { statsOf } from "../../lib/chart-data.ts";
import { lineColor } from "../../lib/line-colors.ts";
import type { TimeBounds } from "../../lib/time-window.ts";
import { formatReading } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { darkNow } from "../../platform/preferences.ts";
import type { ChartWindow } from "../../ui/chart/chart-gestures.ts";
import { ChartHost, type ChartLine } from "../../ui/chart/chart-host.tsx";
import { useChartLink } from "../../ui/chart/chart-link.ts";
import { ReadOut } from "../../ui/chart/read-out.tsx";
import { AlarmLink } from "../../ui/state/alarm-link.tsx";
import type { KeySeries } from "./device-series.ts";

export interface LaneKey {
  readonly key: string;
  /** Undefined for a key without metadata. */
  readonly metadata: KeyMetadata | undefined;
  /** Position among the selected keys; determines the color, which is then the same in every view. */
  readonly index: number;
  readonly series: KeySeries;
}

const STATS_DIGITS = 5;
/** Additional decimals of a mean: the mean of 3 and 4 is 3.5. */
const MEAN_DECIMALS = 1;

interface Props {
  readonly deviceId: string;
  readonly keys: readonly LaneKey[];
  readonly bounds: TimeBounds;
  readonly overlay: boolean;
  /** Consumption is drawn as bars. */
  readonly barred: boolean;
  readonly annotations: readonly Annotation[];
  readonly window: ChartWindow;
}

/** Charts with one strip for each key, or all keys in one chart; all share the cursor. */
export function Lanes({ deviceId, bounds, ...props }: Props) {
  const link = useChartLink();
  const groups = props.overlay ? [props.keys] : props.keys.map((key) => [key]);
  const isTall = groups.length === 1;
  const lineOf = ({ key, metadata, index, series }: LaneKey): ChartLine => ({
    name: metadata?.name ?? key,
    metadata,
    buffer: series.main,
    edges: isTall && props.keys.length > 1 ? undefined : [series.low, series.high],
    color: lineColor(index, darkNow.value),
    barred: props.barred,
  });
  return (
    <div class="flex flex-col gap-3">
      {groups.map((group) => {
        const lines = group.map(lineOf);
        return (
          <section key={group.map(({ key }) => key).join()} class="panel min-w-0 overflow-hidden">
            <div class="flex flex-col px-4 pt-3">
              {group.map(({ key }, index) => (
                <Row
                  key={key}
                  deviceId={deviceId}
                  bounds={bounds}
                  link={link}
                  name={key}
                  line={lines[index]!}
                />
              ))}
            </div>
            <ChartHost
              lines={lines}
              bounds={bounds}
              height={isTall ? 360 : 170}
              annotations={props.annotations}
              label={t("data.chartOf", { keys: lines.map(({ name }) => name).join(", ") })}
              window={props.window}
              link={link}
            />
          </section>
        );
      })}
    </div>
  );
}

/** The read-out of a key, with its lowest, mean and highest value. */
function Row(
  props: Pick<Props, "deviceId" | "bounds"> & {
    readonly name: string;
    readonly line: ChartLine;
    readonly link: ReturnType<typeof useChartLink>;
  },
) {
  const { bounds, line, name } = props;
  const { metadata } = line;
  const stats = statsOf(line.buffer, bounds);
  const isNumber = typeof line.buffer.values.at(-1) !== "boolean" && metadata?.kind !== "state";
  return (
    <div class="flex flex-wrap items-center gap-x-4 gap-y-0.5">
      <ReadOut line={line} title={name} link={props.link} bounds={bounds} restTs={bounds.to} isLarge>
        <AlarmLink deviceId={props.deviceId} name={name} />
      </ReadOut>
      {stats && isNumber && (
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
