import { stateColor } from "../../../lib/state-colors.ts";
import { durationBars, totalDurations } from "../../../lib/state-durations.ts";
import { formatCount, formatReading, formatShare, formatSpan } from "../../../platform/i18n/format.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { metadataOf } from "../../../platform/key-metadata.ts";
import { darkNow } from "../../../platform/preferences.ts";
import { type PieSlice, slicePath, slicesOf } from "./pie.ts";
import { keysOf, newestOf, scrolling } from "./values.ts";
import type { WidgetProps } from "./widget.types.ts";

/** Returns the total duration of each state across all devices. */
const durationsOf = ({ feed, boundsNow }: WidgetProps): PieSlice[] =>
  slicesOf(
    feed.series.flatMap(({ device, key, buffer }) =>
      totalDurations(durationBars(buffer, boundsNow().to)).map(({ value, ms }) => ({
        value,
        metadata: metadataOf(device.deviceId, key),
        amount: ms,
      })),
    ),
  );

const devicesOf = (props: WidgetProps, key: string): PieSlice[] =>
  slicesOf(
    props.feed.devices.map(({ deviceId }) => ({
      value: newestOf(props, deviceId, key).value,
      metadata: metadataOf(deviceId, key),
    })),
  );

/** How many devices have each state of a key, or how long each state held. */
export function StatePieWidget(props: WidgetProps) {
  const { widget, feed } = props;
  void feed.version.value;
  const [key = ""] = keysOf(widget);
  const isOfTime = widget.config.aggregation === "timeIn";
  const slices = isOfTime ? durationsOf(props) : devicesOf(props, key);
  if (slices.length === 0) return <p class="text-soft">{t("widget.nothing")}</p>;
  const total = slices.reduce((all, { amount }) => all + amount, 0);
  const nameOf = ({ value, metadata }: PieSlice) => {
    if (value !== undefined) return formatReading(value, metadata);
    return t(isOfTime ? "durations.other" : "widget.noValue");
  };
  let sum = 0;
  const shares = slices.map((slice) => {
    const from = sum / total;
    sum += slice.amount;
    const text = isOfTime
      ? `${formatShare(slice.amount / total)} · ${formatSpan(slice.amount)}`
      : formatCount(slice.amount);
    return { ...slice, name: nameOf(slice), text, from, to: sum / total };
  });
  return (
    <div class="flex h-full min-h-0 items-center gap-4">
      <svg viewBox="0 0 100 100" class="h-full max-w-[50%] flex-none" aria-hidden="true">
        {shares.map(({ name, color, from, to }) => (
          <path
            key={name}
            d={slicePath(from, to)}
            fill={stateColor(color, darkNow.value)}
            class="stroke-base-100"
            stroke-width="1"
          />
        ))}
      </svg>
      <ul {...scrolling} class="max-h-full min-w-0 flex-1 widget-scroll" aria-label={widget.name || key}>
        {shares.map(({ name, color, text }) => (
          <li key={name} class="flex items-center gap-2 py-0.5">
            <span
              class="size-3 flex-none rounded-full"
              style={{ background: stateColor(color, darkNow.value) }}
              aria-hidden="true"
            />
            <span class="min-w-0 flex-1 truncate">{name}</span>
            <span class="reading">{text}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
