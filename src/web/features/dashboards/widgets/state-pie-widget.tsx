import { stateOf } from "../../../../lib/keys/key-format.ts";
import type { KeyMetadata, StateColor } from "../../../../lib/keys/key-metadata.ts";
import type { TelemetryValue } from "../../../lib/api-types.ts";
import { stateColor } from "../../../lib/state-colors.ts";
import { durationBars, totalDurations } from "../../../lib/state-durations.ts";
import { formatCount, formatReading, formatShare, formatSpan } from "../../../platform/i18n/format.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { metadataOf } from "../../../platform/key-metadata.ts";
import { darkNow } from "../../../platform/preferences.ts";
import { redrawOn } from "../../../platform/redraw-on.ts";
import { keysOf, newestOf, scrolling } from "./values.ts";
import type { WidgetProps } from "./widget.types.ts";

interface PieSlice {
  readonly value: TelemetryValue | undefined;
  readonly metadata: KeyMetadata | undefined;
  readonly color: StateColor;
  /** Number of devices, or ms. */
  readonly amount: number;
}

interface StateAmount {
  readonly value: TelemetryValue | undefined;
  readonly metadata: KeyMetadata | undefined;
}

/** Colors of values without a state of their own; gray is for devices without a value. */
const OTHERS: readonly StateColor[] = ["teal", "orange", "purple", "blue", "pink", "yellow", "green", "red"];

/** Adds up the amounts of each state, largest first, without a value last. A device counts as one. */
export function slicesOf(amounts: readonly (StateAmount & { readonly amount?: number })[]): PieSlice[] {
  const groups = new Map<string, StateAmount & { amount: number }>();
  for (const { value, metadata, amount = 1 } of amounts) {
    const name = stateOf(value, metadata)?.name ?? JSON.stringify(value) ?? "";
    const group = groups.get(name) ?? { value, metadata, amount: 0 };
    group.amount += amount;
    groups.set(name, group);
  }
  const sorted = [...groups.values()].sort(
    (a, b) => Number(a.value === undefined) - Number(b.value === undefined) || b.amount - a.amount,
  );
  let next = 0;
  return sorted.map((group) => {
    const own = stateOf(group.value, group.metadata)?.color;
    const color = group.value === undefined ? "gray" : (own ?? OTHERS[next++ % OTHERS.length] ?? "gray");
    return { ...group, color };
  });
}

/** Returns the path of a slice of a circle around 50, 50. Shares count clockwise from the top. */
export function slicePath(from: number, to: number): string {
  if (to - from >= 1) return "M50 5a45 45 0 1 1-.01 0z";
  const point = (share: number) => {
    const angle = 2 * Math.PI * share;
    return `${(50 + 45 * Math.sin(angle)).toFixed(2)} ${(50 - 45 * Math.cos(angle)).toFixed(2)}`;
  };
  return `M50 50L${point(from)}A45 45 0 ${to - from > 0.5 ? 1 : 0} 1 ${point(to)}z`;
}

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

/** Number of devices per state of a key, or duration of each state. */
export function StatePieWidget(props: WidgetProps) {
  const { widget, feed } = props;
  redrawOn(feed.version);
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
