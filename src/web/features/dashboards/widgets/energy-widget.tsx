import { useState } from "preact/hooks";
import { consumptionInterval } from "../../../../lib/console/consumption-interval.ts";
import { aggregatedMetadata } from "../../../../lib/keys/key-metadata.ts";
import {
  amountMarks,
  type Consumption,
  changeOf,
  comparable,
  consumptionOf,
  isRunning,
  nominalMs,
  totalOf,
} from "../../../lib/consumption.ts";
import { isZone } from "../../../lib/zoned-time.ts";
import { formatChange, formatDate, formatMarks, formatMoney } from "../../../platform/i18n/format.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { serverNow } from "../../../platform/now.ts";
import { redrawOn } from "../../../platform/redraw-on.ts";
import type { WidgetSeries } from "../board/board-feed.ts";
import { keysOf, numberOf, sharedMetadata, shown, textField } from "./values.ts";
import type { WidgetProps } from "./widget.types.ts";

/** Free share of the width of a bar. */
const GAP_SHARE = 0.12;
const BOX = { width: 1_000, height: 100 };

interface Calendar {
  readonly interval: string;
  readonly timezone: string;
}

/** Returns the calendar. The server divides days in UTC if the widget has no time zone. */
const calendarOf = ({ widget, boundsNow }: WidgetProps): Calendar => {
  const timezone = textField(widget, "timezone");
  const { from, to } = boundsNow();
  return {
    interval: textField(widget, "interval") || consumptionInterval(to - from),
    timezone: isZone(timezone) ? timezone : "UTC",
  };
};

function labelOf({ from, to }: Consumption, { interval, timezone }: Calendar): string {
  const day = formatDate(from, "day", timezone);
  if (interval === "1mo") return formatDate(from, "month", timezone);
  if (interval === "1d") return day;
  if (interval === "1w") return t("energy.week", { day });
  return `${day}, ${formatDate(from, "minutes", timezone)}–${formatDate(to, "minutes", timezone)}`;
}

/** Max. length of a day, on which summer time ends. */
const DAY_MAX_MS = 25 * 3_600_000 + 1;

/** Returns the text at a position of the time axis. */
function edgeLabel(ts: number, { interval, timezone }: Calendar, widthMs: number): string {
  if (interval === "1h" && widthMs < DAY_MAX_MS)
    return formatDate(Math.round(ts / 60_000) * 60_000, "minutes", timezone);
  if (interval === "1mo") return formatDate(ts, "month", timezone);
  const day = formatDate(ts, "day", timezone);
  return interval === "1d" || interval === "1w" ? day : `${day}, ${formatDate(ts, "minutes", timezone)}`;
}

/** Returns the metadata of the amounts: the increase of counters, if all have the same unit. */
const metadataOfAmount = ({ widget, feed }: WidgetProps) =>
  aggregatedMetadata(
    sharedMetadata(
      feed.series.filter(({ buffer }) => buffer.ts.length > 0).map(({ device }) => device),
      keysOf(widget)[0] ?? "",
    ),
    "delta",
  );

/** Returns the cost of an amount as text; undefined if the widget has no price. */
function costOf({ widget }: WidgetProps, amount: number): string | undefined {
  const price = numberOf(widget, "costPerUnit");
  return price === undefined ? undefined : formatMoney(amount * price, textField(widget, "currency"));
}

/** Consumption of counters by hour, shift, day, week or month, with its cost. */
export function EnergyWidget(props: WidgetProps) {
  const { widget, feed } = props;
  const [pointed, setPointed] = useState<Consumption | undefined>(undefined);
  redrawOn(feed.version);
  const calendar = calendarOf(props);
  const amountsOf = (series: readonly WidgetSeries[]) =>
    consumptionOf(
      series.map(({ buffer }) => buffer),
      calendar.interval,
    );
  const all = amountsOf(feed.series);
  const partSoFar = feed.previousSoFar && amountsOf(feed.previousSoFar);
  const soFar = partSoFar && totalOf(partSoFar);
  const before = comparable(amountsOf(feed.previous), soFar, serverNow());
  if (all.length === 0) return <p class="text-soft">{t("widget.nothing")}</p>;
  const amount = pointed?.amount ?? totalOf(all);
  const starts = {
    current: all[0]?.from ?? 0,
    other: (partSoFar ?? before)[0]?.from ?? Number.POSITIVE_INFINITY,
    intervalMs: nominalMs(calendar.interval),
  };
  const cost = costOf(props, amount);
  return (
    <div class="flex h-full min-h-0 flex-col gap-2">
      <div class="flex flex-none flex-wrap items-baseline gap-x-4 gap-y-0.5">
        <span class="reading text-2xl font-semibold">{shown(widget, amount, metadataOfAmount(props))}</span>
        {cost !== undefined && <span class="reading text-lg">{cost}</span>}
        <span class="text-sm text-soft">{pointed ? labelOf(pointed, calendar) : t("energy.total")}</span>
        {before.length > 0 && (
          <Compared
            {...props}
            before={before}
            soFar={soFar}
            pointed={pointed}
            amount={amount}
            starts={starts}
          />
        )}
      </div>
      <Bars {...props} all={all} before={before} calendar={calendar} onPoint={setPointed} />
      <Table {...props} all={all} calendar={calendar} />
    </div>
  );
}

/** Consumption of the previous period, up to the same time while the period continues, and the difference of the current period. */
function Compared(
  props: WidgetProps & {
    before: readonly Consumption[];
    soFar: number | undefined;
    pointed: Consumption | undefined;
    amount: number;
    starts: NonNullable<Parameters<typeof changeOf>[2]>;
  },
) {
  const { before, soFar, pointed } = props;
  const isSoFar = soFar !== undefined && (pointed === undefined || isRunning(pointed, serverNow()));
  const other = pointed
    ? before.find(({ from }) => from === pointed.from)?.amount
    : (soFar ?? totalOf(before));
  const amount = other === undefined ? "–" : shown(props.widget, other, metadataOfAmount(props));
  const change = changeOf(props.amount, other, pointed ? undefined : props.starts);
  const shownChange = typeof change === "number" ? formatChange(change) : "–";
  return (
    <span class="text-sm text-soft">
      {t(isSoFar ? "energy.beforeSoFar" : "energy.before", { amount, change: shownChange })}
      {(change === "incomplete" || change === "tooLittle") && ` (${t(`energy.change.${change}`)})`}
    </span>
  );
}

interface BarsProps extends WidgetProps {
  readonly all: readonly Consumption[];
  readonly calendar: Calendar;
}

/** Number of parts of a day with labels. */
const PARTS = 4;

function Bars(
  props: BarsProps & {
    before: readonly Consumption[];
    onPoint: (consumption: Consumption | undefined) => void;
  },
) {
  const { all, calendar, onPoint } = props;
  const bounds = props.boundsNow();
  const from = Math.min(bounds.from, all[0]?.from ?? bounds.from);
  const to = Math.max(bounds.to, all.at(-1)?.to ?? bounds.to);
  // A longer previous period has intervals that lie beyond the end.
  const before = props.before.filter((consumption) => consumption.from < to);
  const marks = amountMarks(Math.max(...[...all, ...before].map(({ amount }) => amount), 0));
  const high = marks.at(-1) ?? 0;
  const labels = formatMarks(marks);
  const parts = calendar.interval === "1h" ? PARTS : 1;
  const heightOf = ({ amount }: Consumption) => (high > 0 ? (Math.max(0, amount) / high) * BOX.height : 0);
  const x = (ts: number) => ((ts - from) / Math.max(1, to - from)) * BOX.width;
  const barOf = (consumption: Consumption, color: string) => {
    const width = x(consumption.to) - x(consumption.from);
    const height = heightOf(consumption);
    const left = x(consumption.from) + (width * GAP_SHARE) / 2;
    return (
      <rect x={left} y={BOX.height - height} width={width * (1 - GAP_SHARE)} height={height} class={color} />
    );
  };
  return (
    <div
      class="grid min-h-0 flex-1 grid-cols-[auto_1fr] grid-rows-[1fr_auto] gap-x-1.5 pt-2"
      aria-hidden="true"
    >
      <div class="relative min-w-4 text-xs text-soft in-[.wall]:text-sm">
        <span class="invisible">{labels.at(-1)}</span>
        {labels.map((label, index) => (
          <span
            key={label}
            class="reading absolute right-0 translate-y-1/2 leading-none"
            style={{ bottom: `${(index / (marks.length - 1)) * 100}%` }}
          >
            {label}
          </span>
        ))}
      </div>
      <svg
        class="h-full min-h-0 w-full text-primary"
        viewBox={`0 0 ${BOX.width} ${BOX.height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        onPointerLeave={() => onPoint(undefined)}
      >
        {marks.map((mark) => (
          <rect
            key={mark}
            y={BOX.height * (1 - mark / high) - (mark > 0 ? 0 : 0.5)}
            width={BOX.width}
            height="0.5"
            class="fill-base-300"
          />
        ))}
        {before.map((consumption) => barOf(consumption, "fill-base-content/20"))}
        {all.map((consumption) => (
          <g key={consumption.from} onPointerEnter={() => onPoint(consumption)}>
            {/* The whole column answers to the pointer, not only a bar that may be low. */}
            <rect
              x={x(consumption.from)}
              y="0"
              width={x(consumption.to) - x(consumption.from)}
              height={BOX.height}
              fill="transparent"
            />
            {barOf(consumption, before.length > 0 ? "fill-primary/75" : "fill-primary")}
          </g>
        ))}
      </svg>
      <p class="col-start-2 flex justify-between gap-3 pt-1 text-xs text-soft in-[.wall]:text-sm">
        {Array.from({ length: parts + 1 }, (_, part) => (
          <span key={part}>{edgeLabel(from + ((to - from) * part) / parts, calendar, to - from)}</span>
        ))}
      </p>
    </div>
  );
}

/** Table of the bars for screen readers. */
function Table(props: BarsProps) {
  const { widget, all, calendar } = props;
  const metadata = metadataOfAmount(props);
  return (
    <table class="sr-only">
      <caption>{t("energy.caption")}</caption>
      <tbody>
        {all.map((consumption) => (
          <tr key={consumption.from}>
            <th scope="row">{labelOf(consumption, calendar)}</th>
            <td>{shown(widget, consumption.amount, metadata)}</td>
            <td>{costOf(props, consumption.amount)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
