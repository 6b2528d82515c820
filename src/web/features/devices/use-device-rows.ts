import { useEffect, useRef, useState } from "preact/hooks";
import type { LatestSnapshot, TelemetryValue } from "../../lib/api-types.ts";
import type { RowsWindow } from "../../lib/rows-window.ts";
import { useLive } from "../../platform/live.ts";
import { serverNow } from "../../platform/now.ts";
import { useCoalesced } from "../../platform/use-coalesced.ts";
import type { DevicePages } from "./device-pages.ts";

/** Min. interval between moves of rows, longer than the server takes to store the activity of a device. */
const REORDER_MS = 2_000;

export interface LiveDevice {
  /** Time of the newest message since the list was opened; 0 without one. Stored values do not reveal it, because they may be imported. */
  ts: number;
  /** Newest value by key. */
  readonly values: Map<string, TelemetryValue>;
}

/** Keeps the rows in view up to date by the live connection; `onWindow` reports the rows in view. */
export function useDeviceRows(pages: DevicePages): {
  /** By device id, only for rows that were in view. */
  readonly live: ReadonlyMap<string, LiveDevice>;
  readonly onWindow: (window: RowsWindow) => void;
  readonly refresh: () => void;
} {
  const window = useRef<RowsWindow>({ start: 0, end: 40 });
  const [inView, setInView] = useState<readonly string[]>([]);
  const live = useRef(new Map<string, LiveDevice>()).current;
  const take = (message: Pick<LatestSnapshot, "deviceId" | "values">, receivedAt = 0) => {
    const device = live.get(message.deviceId) ?? { ts: 0, values: new Map() };
    device.ts = Math.max(device.ts, receivedAt);
    for (const [key, value] of Object.entries(message.values)) device.values.set(key, value);
    live.set(message.deviceId, device);
  };
  const refresh = () => pages.refresh(window.current);
  useEffect(refresh, [pages]);
  const refreshSoon = useCoalesced(refresh);
  const reorderSoon = useCoalesced(refresh, REORDER_MS);
  useLive({ topics: pages.isByState ? ["devices", "alarms"] : ["devices"] }, (message) => {
    if (message.type === "snapshot") refresh();
    else if (message.topic === "devices" && pages.apply(message)) refreshSoon();
    else if (pages.isByState) reorderSoon();
  });
  const version = pages.version.value;
  const settle = useRef<ReturnType<typeof setTimeout>>();
  /** Follows rows after scrolling has stopped, because scrolling passes many rows. */
  const follow = () => {
    clearTimeout(settle.current);
    settle.current = setTimeout(() => setInView(idsInView(pages, window.current)), 250);
  };
  useEffect(follow, [version, pages]);
  useLive(inView.length > 0 ? { topics: ["telemetry"], deviceIds: inView } : undefined, (message) => {
    if (message.type === "snapshot") {
      for (const latest of message.telemetry) take(latest);
      pages.version.value++;
    } else if (message.topic === "telemetry") {
      take(message, serverNow());
      if (pages.isByValue) reorderSoon();
    }
  });
  return {
    live,
    refresh,
    onWindow: (next) => {
      window.current = next;
      pages.need(next);
      follow();
    },
  };
}

function idsInView(pages: DevicePages, window: RowsWindow): string[] {
  const ids: string[] = [];
  for (let i = window.start; i < window.end; i++) {
    const id = pages.row(i)?.deviceId;
    if (id) ids.push(id);
  }
  return ids;
}
