import type { LimitLevel } from "../../../../lib/keys/key-metadata.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { metadataOf } from "../../../platform/key-metadata.ts";
import { redrawOn } from "../../../platform/redraw-on.ts";
import { levelClass } from "../../../ui/state/severity-colors.ts";
import { StateLamp } from "../../../ui/state/state-lamp.tsx";
import type { ResolvedDevice } from "../dashboards-api.ts";
import { Drill } from "./drill.tsx";
import { isPicture, Plan } from "./plan.tsx";
import { cardShift, type Spot, spotsOf } from "./spots.ts";
import { keysOf, levelOf, newestOf, shown, textField } from "./values.ts";
import type { WidgetProps } from "./widget.types.ts";

/** Device on the plan with the value beside its name. */
export interface Marker extends Spot {
  readonly device: ResolvedDevice;
  readonly text: string | undefined;
  readonly level: LimitLevel;
}

/** Returns the marker of a device. A plan may contain machines of several kinds: each shows its first available key. */
export function markerOf(props: WidgetProps, device: ResolvedDevice, spot: Spot): Marker {
  const { widget } = props;
  const { deviceId } = device;
  const key = keysOf(widget).find((name) => newestOf(props, deviceId, name).value !== undefined);
  if (key === undefined) return { ...spot, device, text: undefined, level: "normal" };
  const { value } = newestOf(props, deviceId, key);
  const metadata = metadataOf(deviceId, key);
  return { ...spot, device, text: shown(widget, value, metadata), level: levelOf(widget, value, metadata) };
}

export function FloorPlanWidget(props: WidgetProps) {
  const { widget, feed, place } = props;
  redrawOn(feed.version);
  const devices = new Map(feed.devices.map((device) => [device.deviceId, device]));
  const markers = spotsOf(props).flatMap((spot) => {
    const device = devices.get(spot.deviceId);
    return device === undefined ? [] : [markerOf(props, device, spot)];
  });
  const isStacked = place === "stack";
  return (
    <div class="h-full min-h-0" data-testid="floor-plan">
      <Plan widget={widget} alt={widget.name || t("widget.floorPlan")} isWide={isStacked}>
        {!isPicture(textField(widget, "image")) && <p class="p-4 text-soft">{t("widget.noPlan")}</p>}
        <MarkerList markers={markers} place={place} />
      </Plan>
      {isStacked && <MarkerKey markers={markers} />}
    </div>
  );
}

/** Markers on a plan: cards with name and value, or on a phone numbers of the list below. */
export function MarkerList({ markers, place }: { markers: readonly Marker[]; place: WidgetProps["place"] }) {
  return (
    <ul>
      {markers.map((marker, index) => (
        <li key={marker.deviceId} class="absolute" style={placeOf(marker)}>
          {place === "stack" ? (
            <NumberMark marker={marker} text={String(index + 1)} />
          ) : (
            <Card marker={marker} isLarge={place === "wall"} />
          )}
        </li>
      ))}
    </ul>
  );
}

/** Returns the style for the position of a mark. */
export const placeOf = ({ x, y }: Pick<Spot, "x" | "y">) => ({
  left: `${x * 100}%`,
  top: `${y * 100}%`,
  transform: `translate(-${cardShift(x)}%, -${cardShift(y)}%)`,
});

/** Returns the frame of a marker, which is prominent for alarms. */
export const frameOf = ({ device }: Pick<Marker, "device">): string =>
  device.alarmSeverity === undefined
    ? "border-base-content/20 hover:border-primary"
    : "border-base-content outline-2 outline-base-content/25";

/** @param hasRoom shows name and value on a picture of any size */
export function Card(props: { marker: Marker; isLarge: boolean; hasRoom?: boolean }) {
  const { marker, isLarge, hasRoom = false } = props;
  const { device, text, level } = marker;
  const [nameSize, textSize] = isLarge ? ["text-sm", "text-lg"] : ["text-xs", "text-sm"];
  return (
    <Drill
      class={`flex items-center gap-2 rounded-field border bg-base-100 px-2 py-1 leading-tight whitespace-nowrap shadow-sm ${frameOf(marker)} ${device.active ? "" : "border-dashed"}`}
      href={`/devices/${device.deviceId}`}
      title={device.name}
    >
      <StateLamp state={device.state} severity={device.alarmSeverity} bare />
      <span class={`flex flex-col ${hasRoom ? "" : "@max-sm:sr-only"}`}>
        <span
          class={`max-w-32 truncate ${nameSize} ${text === undefined ? "font-medium" : hasRoom ? "text-soft" : "text-soft @max-lg:sr-only"}`}
        >
          {device.name}
        </span>
        {text !== undefined && (
          <span class={`reading font-semibold ${textSize} ${levelClass(level, "text")}`}>{text}</span>
        )}
      </span>
    </Drill>
  );
}

/** Round mark with the number of the device in a list, or with its short value. */
export function NumberMark({ marker, text }: { marker: Marker; text: string | undefined }) {
  const { device } = marker;
  return (
    <Drill
      class={`flex items-center gap-1 rounded-full border bg-base-100 px-1.5 py-0.5 text-xs shadow-sm ${frameOf(marker)}`}
      href={`/devices/${device.deviceId}`}
      title={device.name}
    >
      <StateLamp state={device.state} severity={device.alarmSeverity} bare />
      {text !== undefined && <span aria-hidden="true">{text}</span>}
      <span class="sr-only">{device.name}</span>
    </Drill>
  );
}

/** Legend of the numbers on a plan. */
export function MarkerKey({ markers }: { markers: readonly Marker[] }) {
  return (
    <ol class="mt-2 grid grid-cols-2 gap-x-3 text-sm">
      {markers.map(({ deviceId, device, text, level }, index) => (
        <li key={deviceId} class="min-w-0">
          <Drill class="flex min-h-10 items-center gap-2 hover:underline" href={`/devices/${deviceId}`}>
            <span class="w-4 flex-none text-right text-xs text-soft">{index + 1}</span>
            <StateLamp state={device.state} severity={device.alarmSeverity} bare />
            <span class="flex min-w-0 flex-col leading-tight">
              <span class="truncate text-soft">{device.name}</span>
              {text !== undefined && (
                <span class={`reading font-medium ${levelClass(level, "text")}`}>{text}</span>
              )}
            </span>
          </Drill>
        </li>
      ))}
    </ol>
  );
}
