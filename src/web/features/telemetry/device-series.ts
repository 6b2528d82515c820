// The points that a device's chart shows: history from the store, live points behind it, and what was missed in between.

import { signal } from "@preact/signals";
import type { Aggregation, Series } from "../../lib/api-types.ts";
import type { TelemetryMessage } from "../../lib/realtime-types.ts";
import { SeriesBuffer, thinningOf } from "../../lib/series-buffer.ts";
import { oncePerFrame } from "../../platform/coalesce.ts";
import { serverNow } from "../../platform/now.ts";
import { telemetryApi } from "./telemetry-api.ts";

export interface SeriesRequest {
  readonly keys: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly aggregation: Aggregation;
  readonly maxDataPoints: number;
  readonly interval?: string;
  readonly timezone?: string;
}

export interface KeySeries {
  readonly main: SeriesBuffer;
  /** Smallest and largest value of each interval; only with averages. */
  readonly low: SeriesBuffer;
  readonly high: SeriesBuffer;
}

export class DeviceSeries {
  readonly version = signal(0);
  readonly loading = signal(false);
  readonly error = signal<unknown>(undefined);
  /** Key → its points. */
  readonly #series = new Map<string, KeySeries>();
  #request: SeriesRequest | undefined;
  #generation = 0;
  /** True if points may have been missed during the current load. */
  #hasGap = false;
  readonly #show = oncePerFrame(() => {
    this.version.value++;
  });
  readonly deviceId: string;

  constructor(deviceId: string) {
    this.deviceId = deviceId;
  }

  of(key: string): KeySeries {
    const keySeries = this.#series.get(key);
    if (keySeries) return keySeries;
    const created = { main: new SeriesBuffer(), low: new SeriesBuffer(), high: new SeriesBuffer() };
    this.#series.set(key, created);
    return created;
  }

  async load(request: SeriesRequest): Promise<void> {
    const generation = ++this.#generation;
    this.#request = request;
    this.loading.value = true;
    try {
      const wanted: Aggregation[] =
        request.aggregation === "avg" ? ["avg", "min", "max"] : [request.aggregation];
      const responses = await Promise.all(
        wanted.map((aggregation) =>
          request.keys.length === 0 ? [] : telemetryApi.range(this.deviceId, { ...request, aggregation }),
        ),
      );
      if (generation !== this.#generation) return;
      this.#fill(request, responses);
      this.error.value = undefined;
    } catch (error) {
      if (generation === this.#generation) this.error.value = error;
    } finally {
      if (generation === this.#generation) this.#endLoading();
    }
  }

  #endLoading(): void {
    this.loading.value = false;
    if (this.#hasGap) this.fillGap(serverNow());
  }

  #fill(request: SeriesRequest, [main = [], low = [], high = []]: (readonly Series[])[]): void {
    const found = (all: typeof main, key: string) => all.find((s) => s.key === key);
    const points = (all: typeof main, key: string) => found(all, key)?.points ?? [];
    for (const key of request.keys) {
      const series = this.of(key);
      // Live points that arrived meanwhile are newer than the response and stay.
      const newer = request.aggregation === "none" ? tail(series.main, request.to) : [];
      series.main.replace(points(main, key));
      series.main.addAll(newer);
      series.main.skipped = found(main, key)?.skipped ?? 0;
      series.main.thinned = thinningOf(found(main, key), request);
      series.low.replace(points(low, key));
      series.high.replace(points(high, key));
    }
    this.version.value++;
  }

  append(message: TelemetryMessage): void {
    if (this.#request?.aggregation !== "none") return;
    for (const [key, value] of Object.entries(message.values)) {
      this.of(key).main.add(message.timestamps?.[key] ?? message.ts, value);
    }
    this.#show();
  }

  /** After a reconnect, fetches the points since the newest one. If all points are being loaded, it waits for the newest one first. */
  async fillGap(to: number): Promise<void> {
    this.#hasGap = this.loading.value;
    if (this.#hasGap) return;
    const request = this.#request;
    if (request?.aggregation !== "none" || request.keys.length === 0) return;
    const last = Math.max(...request.keys.map((key) => this.of(key).main.lastTs), request.from);
    const generation = this.#generation;
    const series = await telemetryApi.range(this.deviceId, { ...request, from: last, to }).catch(() => []);
    if (generation !== this.#generation) return;
    for (const { key, points } of series) this.of(key).main.addAll(points);
    this.version.value++;
  }

  trim(from: number): void {
    for (const { main } of this.#series.values()) main.trimBefore(from);
  }
}

function tail(buffer: SeriesBuffer, after: number) {
  const start = buffer.indexOf(after);
  return buffer.ts.slice(start).map((ts, i) => ({ ts, value: buffer.values[start + i]! }));
}
