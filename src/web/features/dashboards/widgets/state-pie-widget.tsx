import { stateColor } from "../../../lib/state-colors.ts";
import { formatReading } from "../../../platform/i18n/format.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { metadataOf } from "../../../platform/key-metadata.ts";
import { darkNow } from "../../../platform/preferences.ts";
import { slicePath, slicesOf } from "./pie.ts";
import { keysOf, newestOf, scrolling } from "./values.ts";
import type { WidgetProps } from "./widget.types.ts";

/** How many devices have each state of a key. */
export function StatePieWidget(props: WidgetProps) {
  const { widget, feed } = props;
  void feed.version.value;
  const [key = ""] = keysOf(widget);
  const slices = slicesOf(
    feed.devices.map(({ deviceId }) => ({
      value: newestOf(props, deviceId, key).value,
      metadata: metadataOf(deviceId, key),
    })),
  );
  if (slices.length === 0) return <p class="text-soft">{t("widget.nothing")}</p>;
  const total = feed.devices.length;
  let sum = 0;
  const shares = slices.map((slice) => {
    const from = sum / total;
    sum += slice.count;
    const name = slice.value === undefined ? t("widget.noValue") : formatReading(slice.value, slice.metadata);
    return { ...slice, name, from, to: sum / total };
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
      <ul {...scrolling} class="max-h-full min-w-0 flex-1 overflow-y-auto" aria-label={widget.name || key}>
        {shares.map(({ name, color, count }) => (
          <li key={name} class="flex items-center gap-2 py-0.5">
            <span
              class="size-3 flex-none rounded-full"
              style={{ background: stateColor(color, darkNow.value) }}
              aria-hidden="true"
            />
            <span class="min-w-0 flex-1 truncate">{name}</span>
            <span class="reading">{count}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
