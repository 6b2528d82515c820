import { Minus, TrendingDown, TrendingUp } from "lucide-preact";
import type { KeyMetadata } from "../../../../lib/key-metadata.ts";
import { sparkPath, toNumber } from "../../../lib/chart-data.ts";
import { formatMark } from "../../../platform/i18n/format.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { metadataOf } from "../../../platform/key-metadata.ts";
import { Age } from "../../../ui/age.tsx";
import { levelClass } from "../../../ui/severity-colors.ts";
import {
  keysOf,
  levelOf,
  newestOf,
  numberOf,
  reduce,
  reduced,
  scrolling,
  sharedMetadata,
  shown,
} from "./values.ts";
import type { WidgetProps } from "./widget.types.ts";

interface Meaning {
  readonly metadata: KeyMetadata | undefined;
  /** Most decimals of the values behind a reduced one. */
  readonly decimals: number | undefined;
}

const metadataOfWidget = ({ widget, feed }: WidgetProps): KeyMetadata | undefined =>
  sharedMetadata(feed.devices, keysOf(widget)[0] ?? "");

/** Digits of a change whose key has no decimals. */
const CHANGE_DIGITS = 3;
const SPARK = { width: 120, height: 28 };

/** Trend: the present value against the first value of the time window. */
function trendOf(props: WidgetProps) {
  const { value } = reduced(props);
  const lines = props.feed.series.map(({ buffer }) =>
    buffer.ts.flatMap((ts, index) => {
      const telemetryValue = buffer.values[index];
      const number = telemetryValue === undefined ? null : toNumber(telemetryValue);
      return number === null ? [] : [{ ts, value: number }];
    }),
  );
  const firsts = lines.flatMap(([first]) => first?.value ?? []);
  const before = firsts.length === lines.length ? reduce(props.widget, firsts) : undefined;
  if (typeof value !== "number" || before === undefined) return undefined;
  // Lines of several devices lie over one another: only one of its own is drawn.
  const [only = []] = lines.length === 1 ? lines : [];
  return { change: value - before, path: only.length < 2 ? "" : sparkPath(only, SPARK) };
}

function Trend(props: WidgetProps & Meaning) {
  const trend = trendOf(props);
  if (trend === undefined) return null;
  const Icon = trend.change > 0 ? TrendingUp : trend.change < 0 ? TrendingDown : Minus;
  const sign = trend.change > 0 ? "+" : "";
  const hasDecimals = (numberOf(props.widget, "decimals") ?? props.metadata?.decimals) !== undefined;
  const change = hasDecimals ? trend.change : Number(trend.change.toPrecision(CHANGE_DIGITS));
  return (
    <div class="flex items-center gap-3 text-sm text-soft">
      <span class="flex flex-none items-center gap-1">
        <Icon size={16} aria-hidden="true" />
        {sign}
        {shown(props.widget, change, props.metadata, props.decimals)}
      </span>
      <svg
        class="h-7 min-w-0 flex-1"
        viewBox={`0 0 ${SPARK.width} ${SPARK.height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <path
          d={trend.path}
          fill="none"
          stroke="currentColor"
          stroke-width="1.5"
          vector-effect="non-scaling-stroke"
        />
      </svg>
    </div>
  );
}

export function ValueWidget(props: WidgetProps) {
  void props.feed.version.value;
  const { value, ts, decimals } = reduced(props);
  const metadata = metadataOfWidget(props);
  const level = levelOf(props.widget, value, metadata);
  return (
    <div class="flex h-full flex-col gap-1 overflow-hidden [justify-content:safe_center]">
      <p class={`reading flex-none truncate text-3xl font-semibold ${levelClass(level, "text")}`}>
        {shown(props.widget, value, metadata, decimals)}
      </p>
      <Trend {...props} metadata={metadata} decimals={decimals} />
      {value !== undefined && (
        <p class="text-sm text-soft">
          <Age ts={ts} />
        </p>
      )}
    </div>
  );
}

/** Characters of the value that have room at the usual size. */
const GAUGE_CHARACTERS = 8;
/** Three quarters of a circle, from the lower left to the lower right. */
const GAUGE = { radius: 40, from: 135, sweep: 270 };

function arc(share: number): string {
  const atTime = (degrees: number) => {
    const angle = (degrees * Math.PI) / 180;
    return `${50 + GAUGE.radius * Math.cos(angle)} ${50 + GAUGE.radius * Math.sin(angle)}`;
  };
  const sweep = GAUGE.sweep * Math.min(Math.max(share, 0.001), 1);
  return `M ${atTime(GAUGE.from)} A ${GAUGE.radius} ${GAUGE.radius} 0 ${sweep > 180 ? 1 : 0} 1 ${atTime(GAUGE.from + sweep)}`;
}

function scaleOf({ widget }: WidgetProps) {
  const min = numberOf(widget, "min") ?? 0;
  const max = numberOf(widget, "max") ?? 100;
  return { min, max, shareOf: (value: number) => (max > min ? (value - min) / (max - min) : 0) };
}

export function GaugeWidget(props: WidgetProps) {
  void props.feed.version.value;
  const { widget } = props;
  const { value, decimals } = reduced(props);
  const metadata = metadataOfWidget(props);
  const { min, max, shareOf } = scaleOf(props);
  const number = typeof value === "number" ? value : undefined;
  const level = levelOf(widget, value, metadata);
  const text = shown(widget, value, metadata, decimals);
  return (
    <div class="relative flex h-full min-h-0 items-center justify-center">
      <svg
        viewBox="0 0 100 92"
        class={`h-full max-w-full ${levelClass(level, "graphic", "text-primary")}`}
        role="img"
        aria-label={`${widget.name || metadata?.name || keysOf(widget).join()}: ${text}, ${t("widget.scale", { min: formatMark(min), max: formatMark(max) })}`}
      >
        <path d={arc(1)} fill="none" class="stroke-base-300" stroke-width="9" stroke-linecap="round" />
        {number !== undefined && (
          <path
            d={arc(shareOf(number))}
            fill="none"
            stroke="currentColor"
            stroke-width="9"
            stroke-linecap="round"
          />
        )}
        <text
          x="50"
          y="55"
          text-anchor="middle"
          class="reading fill-base-content font-semibold"
          font-size={text.length > GAUGE_CHARACTERS ? 11 : 15}
        >
          {text}
        </text>
        <text x="20" y="90" text-anchor="middle" class="fill-base-content" opacity="0.7" font-size="7">
          {formatMark(min)}
        </text>
        <text x="80" y="90" text-anchor="middle" class="fill-base-content" opacity="0.7" font-size="7">
          {formatMark(max)}
        </text>
      </svg>
    </div>
  );
}

export function LevelWidget(props: WidgetProps) {
  const { widget, feed } = props;
  void feed.version.value;
  const [key = ""] = keysOf(widget);
  const { min, max, shareOf } = scaleOf(props);
  return (
    <ul {...scrolling} class="flex h-full min-h-0 flex-col justify-center gap-3 overflow-y-auto">
      {feed.devices.map(({ deviceId, name }) => {
        const { value } = newestOf(props, deviceId, key);
        const metadata = metadataOf(deviceId, key);
        const text = shown(widget, value, metadata);
        const share = typeof value === "number" ? Math.min(Math.max(shareOf(value), 0), 1) : 0;
        return (
          <li key={deviceId} class="flex flex-col gap-1">
            <div class="flex items-baseline justify-between gap-3 text-sm">
              <span class="truncate text-soft">{name}</span>
              <span class="reading font-medium">{text}</span>
            </div>
            <div
              class="h-3 overflow-hidden rounded-full bg-base-200"
              role="img"
              aria-label={`${name}: ${text}, ${t("widget.scale", { min: formatMark(min), max: formatMark(max) })}`}
            >
              <div
                class={`h-full rounded-full ${levelClass(levelOf(widget, value, metadata), "fill", "bg-primary")}`}
                style={{ width: `${share * 100}%` }}
              />
            </div>
          </li>
        );
      })}
    </ul>
  );
}
