import { useEffect, useMemo, useState } from "preact/hooks";
import { SeriesBuffer, thinningOf } from "../../lib/series-buffer.ts";
import { useLive } from "../../platform/live.ts";
import { serverNow } from "../../platform/now.ts";
import { useKept } from "../../platform/resource.ts";
import { useCoalesced } from "../../platform/use-coalesced.ts";
import { type Overview, overviewApi, type Pin } from "./overview-api.ts";

export const SPAN_MS = 24 * 3_600_000;
const POINTS_MAX = 120;
/** Displayed readings of the gateway. */
const GATEWAY_KEYS = ["messages_per_second", "values_per_second", "disk_days_left", "disk_used_percent"];

const idOf = ({ deviceId, key }: Pin) => `${deviceId} ${key}`;

/** Points of the last 24 hours, by device and key. */
class RecentSeries {
  readonly #buffers = new Map<string, SeriesBuffer>();

  of(pin: Pin): SeriesBuffer {
    const buffer = this.#buffers.get(idOf(pin)) ?? new SeriesBuffer();
    this.#buffers.set(idOf(pin), buffer);
    return buffer;
  }

  async load(shown: readonly Pin[]): Promise<void> {
    if (shown.length === 0) return;
    const to = serverNow();
    const window = { from: to - SPAN_MS, to };
    const deviceIds = [...new Set(shown.map(({ deviceId }) => deviceId))];
    const keys = [...new Set(shown.map(({ key }) => key))];
    const response = await overviewApi.series({ ...window, deviceIds, keys, maxDataPoints: POINTS_MAX });
    for (const { deviceId, series } of response)
      for (const found of series) {
        const buffer = this.of({ deviceId, key: found.key });
        buffer.addAll(found.points);
        buffer.thinned = thinningOf(found, window);
      }
  }

  take({ deviceId, ts, values, timestamps = {} }: LiveValues): void {
    for (const [key, value] of Object.entries(values)) {
      const buffer = this.#buffers.get(idOf({ deviceId, key }));
      buffer?.add(timestamps[key] ?? ts, value as never); // what the server sends has no null
    }
  }
}

interface LiveValues {
  readonly deviceId: string;
  readonly ts: number;
  readonly values: Readonly<Record<string, unknown>>;
  readonly timestamps?: Readonly<Record<string, number>>;
}

/** Returns the number of active devices over the last 24 hours. */
function activeOf({ history, devices }: Overview): SeriesBuffer {
  const buffer = new SeriesBuffer();
  for (const sample of history) buffer.add(sample.ts, sample.activeDevices);
  buffer.add(serverNow(), devices.active);
  return buffer;
}

/** Loads the key figures with their last 24 hours and keeps them up to date. */
export function useFigures() {
  const loaded = useKept(overviewApi.get, []);
  const gateway = useKept(overviewApi.gateway, []).data;
  const recent = useMemo(() => new RecentSeries(), []);
  const [, setVersion] = useState(0);
  const reloadSoon = useCoalesced(loaded.reload);
  useLive({ topics: ["alarms", "devices"] }, reloadSoon);
  const pins = loaded.data?.pins ?? [];
  const ofGateway = gateway ? GATEWAY_KEYS.map((key) => ({ deviceId: gateway.deviceId, key })) : [];
  const shown = [...pins, ...ofGateway];
  useEffect(() => {
    for (const pin of shown) recent.of(pin);
    recent.load(shown).then(
      () => setVersion((version) => version + 1),
      () => undefined, // the figures stay without their curves; the next live value shows what is there
    );
  }, [shown.map(idOf).join("\n")]);
  const deviceIds = [...new Set(shown.map(({ deviceId }) => deviceId))];
  useLive(deviceIds.length > 0 ? { topics: ["telemetry"], deviceIds } : undefined, (message) => {
    if (message.type === "snapshot") for (const snapshot of message.telemetry) recent.take(snapshot);
    else if (message.topic === "telemetry") recent.take(message);
  });
  const active = useMemo(() => loaded.data && activeOf(loaded.data), [loaded.data]);
  return { overview: loaded.data, active, gateway, recent, reload: loaded.reload };
}

export type Figures = ReturnType<typeof useFigures>;
