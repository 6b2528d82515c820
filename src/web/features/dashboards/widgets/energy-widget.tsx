import { useState } from "preact/hooks";
import { aggregatedMetadata } from "../../../../lib/keys/key-metadata.ts";
import { type Consumption, consumptionOf } from "../../../lib/consumption.ts";
import { isZone } from "../../../lib/zoned-time.ts";
import { formatDate, formatMark, formatMoney } from "../../../platform/i18n/format.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { keysOf, numberOf, sharedMetadata, shown, textOf } from "./values.ts";
import type { WidgetProps } from "./widget.types.ts";

/** Parts of a bar's width that stay free. */
const GAP_SHARE = 0.12;
const BOX = { width: 1_000, height: 100 };

interface Calendar {
  readonly interval: string;
  readonly timezone: string;
}

/** The server cuts days in UTC if the widget has no time zone. */
const calendarOf = ({ widget }: WidgetProps): Calendar => {
  const timezone = textOf(widget, "timezone");
  return { interval: textOf(widget, "interval") || "1d", timezone: isZone(timezone) ? timezone : "UTC" };
};

function labelOf({ from, to }: Consumption, { interval, timezone }: Calendar): string {
  const day = formatDate(from, "day", timezone);
  if (interval === "1mo") return formatDate(from, "month", timezone);
  if (interval === "1d") return day;
  if (interval === "1w") return t("energy.week", { day });
  return `${day}, ${formatDate(from, "minutes", timezone)}–${formatDate(to, "minutes", timezone)}`;
}

/** Returns the text for an end of the time axis. */
function edgeLabel(ts: number, { interval, timezone }: Calendar): string {
  if (interval === "1mo") return formatDate(ts, "month", timezone);
  const day = formatDate(ts, "day", timezone);
  return interval === "1d" || interval === "1w" ? day : `${day}, ${formatDate(ts, "minutes", timezone)}`;
}

/** Returns the metadata of the amounts: the increase of counters, if all of them have the same unit. */
const metadataOfAmount = ({ widget, feed }: WidgetProps) =>
  aggregatedMetadata(sharedMetadata(feed.devices, keysOf(widget)[0] ?? ""), "delta");

/** Returns the cost of an amount, as text; undefined if the widget has no price. */
function costOf({ widget }: WidgetProps, amount: number): string | undefined {
  const price = numberOf(widget, "costPerUnit");
  return price === undefined ? undefined : formatMoney(amount * price, textOf(widget, "currency"));
}

/** Consumption of counters by hour, shift, day, week or month, with what it costs. */
export function EnergyWidget(props: WidgetProps) {
  const { widget, feed } = props;
  const [pointed, setPointed] = useState<Consumption | undefined>(undefined);
  void feed.version.value;
  const calendar = calendarOf(props);
  const all = consumptionOf(
    feed.series.map(({ buffer }) => buffer),
    calendar.interval,
  );
  if (all.length === 0) return <p class="text-soft">{t("widget.nothing")}</p>;
  const total = all.reduce((sum, { amount }) => sum + amount, 0);
  const amount = pointed?.amount ?? total;
  const cost = costOf(props, amount);
  return (
    <div class="flex h-full min-h-0 flex-col gap-2">
      <div class="flex flex-none flex-wrap items-baseline gap-x-4 gap-y-0.5">
        <span class="reading text-2xl font-semibold">{shown(widget, amount, metadataOfAmount(props))}</span>
        {cost !== undefined && <span class="reading text-lg">{cost}</span>}
        <span class="text-sm text-soft">{pointed ? labelOf(pointed, calendar) : t("energy.total")}</span>
      </div>
      <Bars {...props} all={all} calendar={calendar} onPoint={setPointed} />
      <Table {...props} all={all} calendar={calendar} />
    </div>
  );
}

interface BarsProps extends WidgetProps {
  readonly all: readonly Consumption[];
  readonly calendar: Calendar;
}

function Bars(props: BarsProps & { onPoint: (consumption: Consumption | undefined) => void }) {
  const { all, calendar, onPoint } = props;
  const bounds = props.boundsNow();
  const from = Math.min(bounds.from, all[0]?.from ?? bounds.from);
  const to = Math.max(bounds.to, all.at(-1)?.to ?? bounds.to);
  const high = Math.max(...all.map(({ amount }) => amount), 0);
  const x = (ts: number) => ((ts - from) / Math.max(1, to - from)) * BOX.width;
  return (
    <div class="flex min-h-0 flex-1 flex-col">
      <span class="reading flex-none text-xs text-soft" aria-hidden="true">
        {formatMark(high)}
      </span>
      <svg
        class="min-h-0 w-full flex-1 border-y border-base-300 text-primary"
        viewBox={`0 0 ${BOX.width} ${BOX.height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        onPointerLeave={() => onPoint(undefined)}
      >
        {all.map((consumption) => {
          const width = x(consumption.to) - x(consumption.from);
          const height = high > 0 ? (Math.max(0, consumption.amount) / high) * BOX.height : 0;
          return (
            <g key={consumption.from} onPointerEnter={() => onPoint(consumption)}>
              {/* The whole column answers to the pointer, not only a bar that may be low. */}
              <rect x={x(consumption.from)} y="0" width={width} height={BOX.height} fill="transparent" />
              <rect
                x={x(consumption.from) + (width * GAP_SHARE) / 2}
                y={BOX.height - height}
                width={width * (1 - GAP_SHARE)}
                height={height}
                fill="currentColor"
              />
            </g>
          );
        })}
      </svg>
      <p class="flex flex-none justify-between gap-3 text-xs text-soft" aria-hidden="true">
        <span>{edgeLabel(from, calendar)}</span>
        <span>{edgeLabel(to, calendar)}</span>
      </p>
    </div>
  );
}

/** The bars for those who cannot see them. */
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
