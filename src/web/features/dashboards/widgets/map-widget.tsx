import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Position, positionKeys, readPosition } from "../../../../lib/console/web-mercator.ts";
import { formatNumber } from "../../../platform/i18n/format.ts";
import { plural, t } from "../../../platform/i18n/i18n.ts";
import { redrawOn } from "../../../platform/redraw-on.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { StateLamp } from "../../../ui/state/state-lamp.tsx";
import { rem } from "./fitted-rows.tsx";
import {
  Card,
  frameOf,
  type Marker,
  MarkerKey,
  markerOf,
  NumberMark,
  placeOf,
} from "./floor-plan-widget.tsx";
import { fittingFrame, type MapFrame, pictureFrame, scaleBarOf, shareOf } from "./map-frame.ts";
import { marksOf, type Size } from "./map-marks.ts";
import { isPicture, Plan } from "./plan.tsx";
import { newestOf, textField } from "./values.ts";
import type { WidgetProps } from "./widget.types.ts";

/** Max. length of the scale bar in px. */
const SCALE_PX_MAX = 120;

/** Returns the position of a device from its newest telemetry, otherwise from its attributes. */
function positionIn(props: WidgetProps, deviceId: string): Position | undefined {
  const [latitude, longitude] = positionKeys(props.widget.config);
  return (
    readPosition(newestOf(props, deviceId, latitude).value, newestOf(props, deviceId, longitude).value) ??
    props.feed.positions.get(deviceId)
  );
}

function useSize() {
  const surface = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Size | undefined>(undefined);
  useLayoutEffect(() => {
    if (surface.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry === undefined) return;
      const { width, height } = entry.contentRect;
      if (width > 0 && height > 0) setSize({ width, height });
    });
    observer.observe(surface.current);
    return () => observer.disconnect();
  }, []);
  return { surface, size };
}

/** Devices at their positions: on a picture with the edges in the widget, or on a grid around all of them. */
export function MapWidget(props: WidgetProps) {
  const { widget, feed, place } = props;
  redrawOn(feed.version);
  const { surface, size } = useSize();
  const isStacked = place === "stack";
  const located = feed.devices.flatMap((device) => {
    const position = positionIn(props, device.deviceId);
    return position === undefined ? [] : [{ device, position }];
  });
  const hasPicture = isPicture(textField(widget, "image"));
  const frame =
    size === undefined
      ? undefined
      : hasPicture
        ? pictureFrame(widget.config)
        : fittingFrame(
            located.map(({ position }) => position),
            size.width / size.height,
          );
  const markers =
    frame === undefined
      ? []
      : located
          .map(({ device, position }) =>
            markerOf(props, device, { deviceId: device.deviceId, ...shareOf(frame, position) }),
          )
          .filter(({ x, y }) => x >= 0 && x <= 1 && y >= 0 && y <= 1);
  const scale = frame && size && scaleOf(frame, size);
  return (
    <div class={isStacked ? "" : "flex h-full min-h-0 flex-col"} data-testid="map">
      <div class={isStacked ? "" : "min-h-0 flex-1"}>
        <Plan widget={widget} alt={widget.name || t("widget.map")} isWide={isStacked} surface={surface}>
          {scale && !hasPicture && <Grid barPx={scale.barPx} />}
          {size && <Marks markers={markers} size={size} place={place} />}
          {size && located.length === 0 && (
            <p class="absolute inset-0 p-4 text-sm text-soft">{noPositionText(widget.config)}</p>
          )}
          {size && hasPicture && frame === undefined && (
            <p class="absolute inset-x-0 top-0 bg-base-100/90 p-3 text-sm">{t("map.noCorners")}</p>
          )}
        </Plan>
      </div>
      <div class="flex flex-wrap items-start justify-between gap-x-4 pt-1">
        {scale && <Scale {...scale} />}
        <Missing
          missing={located.length === 0 ? 0 : feed.devices.length - located.length}
          outside={frame === undefined ? 0 : located.length - markers.length}
        />
      </div>
    </div>
  );
}

function scaleOf(frame: MapFrame, { width }: Size) {
  const { metres, share } = scaleBarOf(frame, Math.min(0.3, SCALE_PX_MAX / width));
  return { metres, barPx: share * width };
}

function noPositionText(config: Readonly<Record<string, unknown>>): string {
  const [latitude, longitude] = positionKeys(config);
  return t("map.noPosition", { latitude, longitude });
}

/** Note with the number of devices missing on the map. */
function Missing({ missing, outside }: { missing: number; outside: number }) {
  const texts = [
    ...(missing > 0 ? [plural("map.missing", missing)] : []),
    ...(outside > 0 ? [plural("map.outside", outside)] : []),
  ];
  return texts.length === 0 ? null : <p class="text-sm text-soft">{texts.join(" · ")}</p>;
}

const lengthText = (metres: number): string =>
  metres < 1_000 ? `${formatNumber(metres)}\u202fm` : `${formatNumber(metres / 1_000)}\u202fkm`;

/** Grid with squares of the length of the scale bar. */
const Grid = ({ barPx }: { barPx: number }) => (
  <div
    class="absolute inset-0 [background-image:linear-gradient(var(--color-base-300)_1px,transparent_1px),linear-gradient(90deg,var(--color-base-300)_1px,transparent_1px)]"
    style={{ backgroundSize: `${barPx}px ${barPx}px` }}
  />
);

/** Scale below the map, where no mark covers it. */
const Scale = ({ metres, barPx }: { metres: number; barPx: number }) => (
  <div class="text-xs text-soft" data-testid="scale">
    <div class="h-1.5 border-x border-b border-current" style={{ width: `${barPx}px` }} />
    {lengthText(metres)}
  </div>
);

/** Returns the sizes of a mark and of a card: a lamp, the longer one of name and value, and the border. */
function markSizes(isLarge: boolean) {
  const px = rem() / 16;
  return {
    mark: { width: 54 * px, height: 32 * px },
    cardOf({ device, text = "" }: Marker): Size {
      const textPx = Math.max(Math.min(device.name.length * 6, 128), text.length * 9) * (isLarge ? 1.2 : 1);
      return { width: (40 + textPx) * px, height: (isLarge ? 54 : 46) * px };
    },
  };
}

/** Max. characters of a text in a mark. */
const SHORT_MAX = 4;
const shortOf = ({ text }: Marker) => (text !== undefined && text.length <= SHORT_MAX ? text : undefined);

function Marks(props: { markers: readonly Marker[]; size: Size; place: WidgetProps["place"] }) {
  const { markers, size, place } = props;
  const isLarge = place === "wall";
  const [open, setOpen] = useState<readonly Marker[] | undefined>(undefined);
  return (
    <>
      <ul>
        {marksOf(markers, size, markSizes(isLarge)).map(({ items, isCard }) => (
          <li key={items[0].deviceId} class="absolute" style={placeOf(items[0])}>
            {items.length > 1 ? (
              <Cluster markers={items} onOpen={isLarge ? undefined : () => setOpen(items)} />
            ) : isCard ? (
              <Card marker={items[0]} isLarge={isLarge} hasRoom />
            ) : (
              <NumberMark marker={items[0]} text={shortOf(items[0])} />
            )}
          </li>
        ))}
      </ul>
      {open && (
        <Dialog title={plural("map.devices", open.length)} onClose={() => setOpen(undefined)}>
          <MarkerKey markers={open} />
        </Dialog>
      )}
    </>
  );
}

/** Several devices at one place, in their worst state. A wall without active controls omits `onOpen`. */
function Cluster(props: { markers: readonly [Marker, ...Marker[]]; onOpen: (() => void) | undefined }) {
  const { markers, onOpen } = props;
  const [worst] = markers;
  const shape = `flex min-h-7 items-center gap-1.5 rounded-full border bg-base-100 px-2 text-xs font-semibold shadow-sm ${frameOf(worst)}`;
  const content = (
    <>
      <StateLamp state={worst.device.state} severity={worst.device.alarmSeverity} bare />
      <span aria-hidden="true">{markers.length}</span>
      <span class="sr-only">{plural("map.devices", markers.length)}</span>
    </>
  );
  return onOpen === undefined ? (
    <span class={shape}>{content}</span>
  ) : (
    <button type="button" class={`${shape} cursor-pointer`} onClick={onOpen}>
      {content}
    </button>
  );
}
