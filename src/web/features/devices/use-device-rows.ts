import { useEffect, useRef, useState } from "preact/hooks";
import type { RowsWindow } from "../../lib/rows-window.ts";
import { useLive } from "../../platform/live.ts";
import { serverNow } from "../../platform/now.ts";
import { useCoalesced } from "../../platform/use-coalesced.ts";
import type { DevicePages } from "./device-pages.ts";

/** Keeps the rows in view current, by the live connection; `onWindow` is told of what comes into view. */
export function useDeviceRows(pages: DevicePages): {
  /** Device id → newest time stamp seen live; only for the rows in view. */
  readonly seen: ReadonlyMap<string, number>;
  readonly onWindow: (window: RowsWindow) => void;
  readonly refresh: () => void;
} {
  const window = useRef<RowsWindow>({ start: 0, end: 40 });
  const [inView, setInView] = useState<readonly string[]>([]);
  const seen = useRef(new Map<string, number>()).current;
  const refresh = () => pages.refresh(window.current);
  useEffect(refresh, [pages]);
  const refreshSoon = useCoalesced(refresh);
  useLive({ topics: ["devices"] }, (message) => {
    if (message.type === "snapshot") refresh();
    else if (message.topic === "devices" && pages.apply(message)) refreshSoon();
  });
  const version = pages.version.value;
  const settle = useRef<ReturnType<typeof setTimeout>>();
  /** Scrolling passes many rows; only those where it comes to rest are followed live. */
  const follow = () => {
    clearTimeout(settle.current);
    settle.current = setTimeout(() => setInView(idsInView(pages, window.current)), 250);
  };
  useEffect(follow, [version, pages]);
  useLive(inView.length > 0 ? { topics: ["telemetry"], deviceIds: inView } : undefined, (message) => {
    if (message.type === "snapshot") for (const s of message.telemetry) seen.set(s.deviceId, s.ts);
    else if (message.topic === "telemetry") seen.set(message.deviceId, Math.min(message.ts, serverNow()));
  });
  return {
    seen,
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
