import type { WidgetKindId } from "./widgets/kinds.ts";

/** Strokes of the pictures, on 48 by 32; the second path has the colour of the series. */
const pictures: Readonly<Record<WidgetKindId, readonly [lines: string, accent: string]>> = {
  timeseries: ["M6 4v22h38", "M8 22l8-8 7 4 8-11 11 7"],
  value: ["M8 26h32", "M12 8h8v6h-8v6h8M25 8v12h8M33 8v12"],
  energy: ["M6 4v22h38", "M12 26v-8M20 26v-14M28 26v-10M36 26v-18"],
  gauge: ["M10 24a14 14 0 1 1 28 0", "M10 24a14 14 0 0 1 20-12"],
  level: ["M18 4h12v24h-12z", "M20 26h8M20 23h8M20 20h8M20 17h8"],
  stateTimeline: ["M6 26h38", "M6 9h12M30 9h12M6 18h22M34 18h8"],
  statePie: ["M24 4a12 12 0 1 0 12 12h-12z", "M28 3a12 12 0 0 1 10 10h-10z"],
  statusGrid: ["M8 6h9v8h-9zM31 6h9v8h-9zM8 18h9v8h-9z", "M20 6h9v8h-9zM20 18h9v8h-9zM31 18h9v8h-9z"],
  deviceTable: ["M6 6h36v20h-36zM6 13h36M20 6v20", "M10 10h6M24 10h12M10 17h6M10 22h6"],
  alarmList: ["M18 9h24M18 16h24M18 23h24", "M9 9h3M9 16h3M9 23h3"],
  commandButton: ["M8 10h32v12h-32z", "M16 16h14M26 12l5 4-5 4"],
  slider: ["M6 16h36", "M6 16h20M26 11a5 5 0 1 0 .1 0"],
  markdown: ["M8 6h32M8 12h32M8 18h32M8 24h18", "M8 6h14"],
  map: [
    "M6 5h36v22h-36zM6 16h36M18 5v22M30 5v22",
    "M24 20c-4-4-5-6-5-8a5 5 0 0 1 10 0c0 2-1 4-5 8zM24 12h.1",
  ],
  floorPlan: ["M6 5h36v22h-36zM20 5v10h-14M30 27v-12h12", "M13 10h1M35 21h1M25 19h1"],
};

/** A small picture of what a kind of widget shows. */
export function WidgetPicture({ type }: { type: WidgetKindId }) {
  const [lines, accent] = pictures[type];
  const line = {
    fill: "none",
    "stroke-width": 2,
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
  } as const;
  return (
    <svg viewBox="0 0 48 32" class="mt-0.5 h-10 w-15 flex-none rounded bg-base-200" aria-hidden="true">
      <path d={lines} {...line} class="stroke-base-content/40" />
      <path d={accent} {...line} class="stroke-primary" />
    </svg>
  );
}
