import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { TelemetryValue } from "../../lib/api-types.ts";
import { SeriesBuffer, thinningOf } from "../../lib/series-buffer.ts";
import { oncePerFrame } from "../../platform/coalesce.ts";
import { useLive } from "../../platform/live.ts";
import { serverNow } from "../../platform/now.ts";
import { useResource } from "../../platform/resource.ts";
import { telemetryApi } from "./telemetry-api.ts";

/** The recent time span whose points are loaded for the sparklines. */
export interface RecentSpan {
  readonly spanMs: number;
  readonly pointsMax: number;
  /** Which keys have a sparkline; all by default. */
  readonly shown?: (keys: readonly string[]) => readonly string[];
}

export class LatestValues {
  /** Key → its newest value and the time of it. */
  readonly values = new Map<string, { ts: number; value: TelemetryValue }>();
  /** Key → its recent points, for the sparkline. */
  readonly recent = new Map<string, SeriesBuffer>();

  take(snapshot: {
    ts: number;
    values: Record<string, TelemetryValue>;
    timestamps?: Record<string, number>;
  }): void {
    for (const [key, value] of Object.entries(snapshot.values)) {
      const ts = snapshot.timestamps?.[key] ?? snapshot.ts;
      const existing = this.values.get(key);
      if (!existing || existing.ts <= ts) this.values.set(key, { ts, value });
      this.buffer(key).add(ts, value);
    }
  }

  buffer(key: string): SeriesBuffer {
    const buffer = this.recent.get(key) ?? new SeriesBuffer();
    this.recent.set(key, buffer);
    return buffer;
  }
}

/** The newest values of a device, kept up to date. `version` increases with every message; `latest` itself stays the same object. */
export function useLatestValues(deviceId: string, recent: RecentSpan) {
  const latest = useRef(new LatestValues()).current;
  const [version, setVersion] = useState(0);
  const changed = useMemo(() => oncePerFrame(() => setVersion((v) => v + 1)), []);
  const first = useResource(() => telemetryApi.latest(deviceId), [deviceId]);
  /** Keys whose recent points have been requested since `first.data` came. */
  const requested = useRef(new Set<string>()).current;
  const [failure, setFailure] = useState<unknown>(undefined);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (!first.data) return;
    requested.clear();
    latest.take(first.data);
    changed();
  }, [first.data]);
  const all = Object.keys(first.data?.values ?? {});
  const shown = recent.shown?.(all) ?? all;
  useEffect(() => {
    const keys = shown.filter((key) => !requested.has(key));
    setFailure(undefined);
    if (keys.length === 0) return;
    for (const key of keys) requested.add(key);
    loadRecent(deviceId, { keys, latest, recent }).then(changed, (error: unknown) => {
      for (const key of keys) requested.delete(key);
      setFailure(error);
    });
  }, [first.data, JSON.stringify(shown), attempt]);
  useLive({ topics: ["telemetry"], deviceIds: [deviceId] }, (message) => {
    if (message.type === "snapshot") for (const s of message.telemetry) latest.take(s);
    else if (message.topic === "telemetry") latest.take(message);
    changed();
  });
  /** Why recent points are missing; undefined if none are. */
  const curves = { error: failure, reload: () => setAttempt((before) => before + 1) };
  return { latest, version, first, curves };
}

async function loadRecent(
  deviceId: string,
  context: { keys: string[]; latest: LatestValues; recent: RecentSpan },
): Promise<void> {
  const { keys, latest, recent } = context;
  const to = serverNow();
  const from = to - recent.spanMs;
  const maxDataPoints = recent.pointsMax;
  const series = await telemetryApi.range(deviceId, { from, to, keys, aggregation: "none", maxDataPoints });
  for (const found of series) {
    const buffer = latest.buffer(found.key);
    buffer.addAll(found.points);
    buffer.thinned = thinningOf(found, { from, to });
  }
}
