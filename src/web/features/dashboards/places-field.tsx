import { useRef } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import type { ResolvedDevice, Widget, WidgetConfig } from "./dashboards-api.ts";
import { Plan } from "./widgets/plan.tsx";
import { spotsOf } from "./widgets/spots.ts";

/** A share of the plan. */
const STEP = 0.02;
const steps: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};
const within = (share: number) => Math.round(Math.min(Math.max(share, 0), 1) * 1_000) / 1_000;

interface Props {
  readonly widget: Widget;
  readonly devices: readonly ResolvedDevice[];
  readonly onChange: (changes: WidgetConfig) => void;
}

/** Field for the places of devices on the plan, moved by dragging or with the arrow keys. */
export function PlacesField({ widget, devices, onChange }: Props) {
  const plan = useRef<HTMLDivElement>(null);
  const spots = spotsOf({ widget, feed: { devices } });
  const put = (deviceId: string, x: number, y: number) =>
    onChange({
      places: {
        ...Object.fromEntries(spots.map((spot) => [spot.deviceId, { x: spot.x, y: spot.y }])),
        [deviceId]: { x: within(x), y: within(y) },
      },
    });
  const follow = (e: PointerEvent, deviceId: string) => {
    const box = plan.current?.getBoundingClientRect();
    const held = e.currentTarget as Element;
    if (box === undefined || !held.hasPointerCapture(e.pointerId)) return;
    put(deviceId, (e.clientX - box.left) / box.width, (e.clientY - box.top) / box.height);
  };
  return (
    <fieldset class="flex flex-col gap-1.5">
      <legend class="mb-1.5 text-sm font-medium">{t("widget.places")}</legend>
      <div class="h-56" data-testid="places">
        <Plan widget={widget} alt="" surface={plan}>
          {spots.map(({ deviceId, x, y }) => {
            const name = devices.find((device) => device.deviceId === deviceId)?.name ?? deviceId;
            return (
              <button
                key={deviceId}
                type="button"
                class="absolute max-w-28 -translate-x-1/2 -translate-y-1/2 cursor-move touch-none truncate rounded-full border border-base-300 bg-base-100 px-2.5 py-1 text-sm shadow-sm"
                style={{ left: `${x * 100}%`, top: `${y * 100}%` }}
                aria-label={t("widget.place", { name })}
                onPointerDown={(e) => e.currentTarget.setPointerCapture(e.pointerId)}
                onPointerMove={(e) => follow(e, deviceId)}
                onKeyDown={(e) => {
                  const by = steps[e.key];
                  if (by === undefined) return;
                  e.preventDefault();
                  put(deviceId, x + by[0], y + by[1]);
                }}
              >
                {name}
              </button>
            );
          })}
        </Plan>
      </div>
      <span class="text-sm text-soft">{t("widget.placesHint")}</span>
    </fieldset>
  );
}
