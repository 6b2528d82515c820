import { Minus, TrendingDown, TrendingUp } from "lucide-preact";
import type { KeyMetadata } from "../../../../lib/keys/key-metadata.ts";
import { sparkPath, toNumber } from "../../../lib/chart-data.ts";
import type { SeriesBuffer } from "../../../lib/series-buffer.ts";
import { formatMark } from "../../../platform/i18n/format.ts";
import { plural, t } from "../../../platform/i18n/i18n.ts";
import { metadataOf } from "../../../platform/key-metadata.ts";
import { redrawOn } from "../../../platform/redraw-on.ts";
import { Age } from "../../../ui/state/age.tsx";
import { levelClass } from "../../../ui/state/severity-colors.ts";
import {
  keysOf,
  levelOf,
  limitRanges,
  type NewestValue,
  newestOf,
  numberOf,
  REDUCERS,
  reduce,
  reduced,
  scrolling,
  sentMetadata,
  shown,
  textField,
} from "./values.ts";
import type { WidgetProps } from "./widget.types.ts";

interface Meaning {
  readonly metadata: KeyMetadata | undefined;
  /** Max. decimals of the values behind a reduced one. */
  readonly decimals: number | undefined;
}

const metadataOfWidget = (props: WidgetProps): KeyMetadata | undefined =>
  sentMetadata(props, keysOf(props.widget)[0] ?? "");

/** Digits of a change if the key has no decimals. */
const CHANGE_DIGITS = 3;
const SPARK = { width: 120, height: 28 };

/** Returns the numbers of all series at a time; undefined unless each has one. */
function numbersAt(buffers: readonly SeriesBuffer[], ts: number): number[] | undefined {
  const numbers: number[] = [];
  for (const buffer of buffers) {
    const index = buffer.indexOf(ts);
    const value = buffer.ts[index] === ts ? buffer.values[index] : undefined;
    const number = value === undefined ? null : toNumber(value);
    if (number === null) return undefined;
    numbers.push(number);
  }
  return numbers;
}

/** Returns one line for all devices: a single one unchanged, several reduced at equal times. */
function lineOf({ widget, feed }: WidgetProps): { ts: number; value: number }[] {
  const buffers = feed.series.map(({ buffer }) => buffer);
  return (buffers[0]?.ts ?? []).flatMap((ts) => {
    const numbers = numbersAt(buffers, ts);
    const value = numbers && (numbers.length === 1 ? numbers[0] : reduce(widget, numbers));
    return value === undefined ? [] : [{ ts, value }];
  });
}

/** Returns the trend: the present value compared with the first value of the time window. */
function trendOf(props: WidgetProps) {
  const { value } = reduced(props);
  const line = lineOf(props);
  const [first] = line;
  if (typeof value !== "number" || first === undefined) return undefined;
  return { change: value - first.value, path: line.length < 2 ? "" : sparkPath(line, SPARK) };
}

const NewestAge = ({ ts }: { ts: number }) => (
  <p class="flex-none truncate text-sm text-soft [@container(max-height:3.5rem)]:hidden">
    <Age ts={ts} />
  </p>
);

/** Change in the time window, age of the value, and a line of its history, if there is space. */
function Trend(props: WidgetProps & Meaning & { ts: number | undefined }) {
  const trend = trendOf(props);
  if (trend === undefined) return props.ts === undefined ? null : <NewestAge ts={props.ts} />;
  const Icon = trend.change > 0 ? TrendingUp : trend.change < 0 ? TrendingDown : Minus;
  const sign = trend.change > 0 ? "+" : "";
  const hasDecimals = (numberOf(props.widget, "decimals") ?? props.metadata?.decimals) !== undefined;
  const change = hasDecimals ? trend.change : Number(trend.change.toPrecision(CHANGE_DIGITS));
  return (
    <>
      <p class="flex flex-none items-center gap-1.5 text-sm text-soft [@container(max-height:3.5rem)]:hidden">
        <Icon size="1.15em" class="flex-none" aria-hidden="true" />
        <span class="truncate">
          {sign}
          {shown(props.widget, change, props.metadata, props.decimals)} · <Age ts={props.ts} />
        </span>
      </p>
      {trend.path !== "" && (
        <svg
          class={`min-h-0 w-full flex-1 text-primary ${props.feed.devices.length > 1 ? "[@container(max-height:7rem)]:hidden" : "[@container(max-height:5.5rem)]:hidden"}`}
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
      )}
    </>
  );
}

/** Width of a character as a share of its size. */
const CHARACTER_WIDTH = 0.62;

/** Returns the size of a text that fills the width of its widget, within limits. */
function sizeOf(text: string): string {
  const byWidth = 100 / (Math.max(1, text.length) * CHARACTER_WIDTH);
  return `clamp(1rem, min(${byWidth.toFixed(1)}cqw, 38cqh), 4rem)`;
}

/** Note on the calculation of a value of several devices. */
function Origin({ widget, made }: Pick<WidgetProps, "widget"> & Pick<NewestValue, "made">) {
  if (made === undefined) return null;
  const by = REDUCERS.find((name) => name === textField(widget, "reduce")) ?? "avg";
  return (
    <p class="line-clamp-2 flex-none text-xs text-soft [@container(max-height:4.5rem)]:hidden">
      {t(`widget.of.${by}`, { count: made.of })}
      {made.skipped > 0 && ` · ${plural("data.skipped", made.skipped)}`}
    </p>
  );
}

export function ValueWidget(props: WidgetProps) {
  redrawOn(props.feed.version);
  const { value, ts, decimals, made } = reduced(props);
  const metadata = metadataOfWidget(props);
  const level = levelOf(props.widget, value, metadata);
  const text = shown(props.widget, value, metadata, decimals);
  return (
    <div class="h-full min-h-0 [container-type:size]">
      <div class="flex h-full flex-col justify-center gap-1 overflow-hidden">
        <p
          class={`reading flex-none leading-tight font-semibold whitespace-nowrap ${levelClass(level, "text")}`}
          style={{ fontSize: sizeOf(text) }}
        >
          {text}
        </p>
        <Origin widget={props.widget} made={made} />
        <Trend {...props} metadata={metadata} decimals={decimals} ts={ts} />
      </div>
    </div>
  );
}

/** Three quarters of a circle, from lower left to lower right. */
const GAUGE = { radius: 40, from: 135, sweep: 270 };

/** Returns the path of a part of the ring between two shares of the scale. */
function arc(to: number, from = 0, radius = GAUGE.radius): string {
  const point = (degrees: number) => {
    const angle = (degrees * Math.PI) / 180;
    return `${50 + radius * Math.cos(angle)} ${50 + radius * Math.sin(angle)}`;
  };
  const start = GAUGE.from + GAUGE.sweep * from;
  const sweep = GAUGE.sweep * Math.min(Math.max(to - from, 0.001), 1);
  return `M ${point(start)} A ${radius} ${radius} 0 ${sweep > 180 ? 1 : 0} 1 ${point(start + sweep)}`;
}

function scaleOf({ widget }: WidgetProps) {
  const min = numberOf(widget, "min") ?? 0;
  const max = numberOf(widget, "max") ?? 100;
  return { min, max, shareOf: (value: number) => (max > min ? (value - min) / (max - min) : 0) };
}

/** Returns the size of a text with a width, at most `max`. */
const textSize = (text: string, width: number, max: number): number =>
  Math.min(max, width / (Math.max(1, text.length) * CHARACTER_WIDTH));

export function GaugeWidget(props: WidgetProps) {
  redrawOn(props.feed.version);
  const { widget } = props;
  const { value, decimals, made } = reduced(props);
  const metadata = metadataOfWidget(props);
  const { min, max, shareOf } = scaleOf(props);
  const number = typeof value === "number" ? value : undefined;
  const level = levelOf(widget, value, metadata);
  const text = shown(widget, value, metadata, decimals);
  return (
    <div class="h-full min-h-0 [container-type:size]">
      <div class="flex h-full flex-col items-center">
        <svg
          viewBox="0 0 100 85"
          class={`min-h-0 max-w-full flex-1 ${levelClass(level, "graphic", "text-primary")}`}
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
          <LimitArcs {...props} metadata={metadata} />
          <GaugeText text={text} />
        </svg>
        <div class="flex w-full flex-none items-baseline justify-between gap-2 text-xs text-soft">
          <span aria-hidden="true">{formatMark(min)}</span>
          <div class="min-w-0 text-center">
            <Origin widget={widget} made={made} />
          </div>
          <span aria-hidden="true">{formatMark(max)}</span>
        </div>
      </div>
    </div>
  );
}

/** Width within the ring, in units of the drawing. */
const INNER_WIDTH = 56;
const TEXT_SIZE_MAX = 20;

/** Value within the ring: the number, and its unit below. */
function GaugeText({ text }: { text: string }) {
  const [number = "", ...unit] = text.split(/[\s\u202f]+/);
  const unitText = unit.join(" ");
  return (
    <g class="reading fill-base-content" text-anchor="middle">
      <text
        x="50"
        y={unitText === "" ? 56 : 53}
        class="font-semibold"
        font-size={textSize(number, INNER_WIDTH, TEXT_SIZE_MAX)}
      >
        {number}
      </text>
      {unitText !== "" && (
        <text x="50" y="67" font-size={textSize(unitText, INNER_WIDTH, 10)} opacity="0.75">
          {unitText}
        </text>
      )}
    </g>
  );
}

const LIMIT_RADIUS = 47.5;

/** Ranges beyond the limits, as thin arcs outside the ring. */
function LimitArcs(props: WidgetProps & { metadata: KeyMetadata | undefined }) {
  const { shareOf } = scaleOf(props);
  const within = (value: number) => Math.min(Math.max(shareOf(value), 0), 1);
  return (
    <g fill="none" stroke-width="2.5">
      {limitRanges(props.widget, props.metadata?.limits).map(({ from, to, level }) => {
        const [start, end] = [from === undefined ? 0 : within(from), to === undefined ? 1 : within(to)];
        return (
          end > start && (
            <path
              key={`${level} ${from} ${to}`}
              d={arc(end, start, LIMIT_RADIUS)}
              class={`stroke-current ${levelClass(level, "graphic", "text-primary")}`}
            />
          )
        );
      })}
    </g>
  );
}

export function LevelWidget(props: WidgetProps) {
  const { widget, feed } = props;
  redrawOn(feed.version);
  const [key = ""] = keysOf(widget);
  const { min, max, shareOf } = scaleOf(props);
  return (
    <ul {...scrolling} class="flex h-full min-h-0 flex-col justify-center gap-3 widget-scroll">
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
