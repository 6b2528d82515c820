import { useRef } from "preact/hooks";
import { t } from "../../../platform/i18n/i18n.ts";
import { Movable } from "../board/movable.tsx";
import type { ResolvedDevice, Widget, WidgetConfig } from "../dashboards-api.ts";
import { Plan } from "../widgets/plan.tsx";
import { spotsOf } from "../widgets/spots.ts";

interface Props {
  readonly widget: Widget;
  readonly devices: readonly ResolvedDevice[];
  readonly onChange: (changes: WidgetConfig) => void;
}

/** Positions devices on the plan, by dragging or with the arrow keys. */
export function PlacesField({ widget, devices, onChange }: Props) {
  const plan = useRef<HTMLDivElement>(null);
  const spots = spotsOf({ widget, feed: { devices } });
  const put = (deviceId: string, x: number, y: number) =>
    onChange({
      places: {
        ...Object.fromEntries(spots.map((spot) => [spot.deviceId, { x: spot.x, y: spot.y }])),
        [deviceId]: { x, y },
      },
    });
  return (
    <fieldset class="flex flex-col gap-1.5">
      <legend class="mb-1.5 text-sm font-medium">{t("widget.places")}</legend>
      <div class="h-56" data-testid="places">
        <Plan widget={widget} alt="" surface={plan}>
          {spots.map(({ deviceId, x, y }) => {
            const name = devices.find((device) => device.deviceId === deviceId)?.name ?? deviceId;
            return (
              <Movable
                key={deviceId}
                plan={plan}
                x={x}
                y={y}
                label={t("widget.place", { name })}
                class="max-w-28 truncate rounded-full border border-base-300 bg-base-100 px-2.5 py-1 text-sm shadow-sm"
                onMove={(toX, toY) => put(deviceId, toX, toY)}
              >
                {name}
              </Movable>
            );
          })}
        </Plan>
      </div>
      <span class="text-sm text-soft">{t("widget.placesHint")}</span>
    </fieldset>
  );
}
