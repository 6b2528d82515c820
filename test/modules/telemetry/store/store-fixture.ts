import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DeviceId, TenantId } from "../../../../src/lib/core/ids.ts";
import type { TelemetryStore } from "../../../../src/modules/telemetry/store/store.types.ts";
import type { TelemetryStoreOptions } from "../../../../src/modules/telemetry/store/store-options.ts";
import { createTelemetryStore } from "../../../../src/modules/telemetry/store/telemetry-store.ts";
import { DeviceKeys } from "../../../../src/modules/telemetry/store/upkeep/key-limits.ts";
import { TenantUse } from "../../../../src/modules/telemetry/store/upkeep/tenant-use.ts";
import type {
  DeviceSeries,
  Point,
  RangeQuery,
  Reading,
  Series,
  TelemetryValue,
} from "../../../../src/modules/telemetry/telemetry.types.ts";
import type { Logger } from "../../../../src/platform/core/log.ts";
import { systemClock } from "../../../../src/platform/time/clock.ts";

export const tenant = "tenant-1" as TenantId;
export const deviceId = (name: string) => name as DeviceId;

/** The keys of a device that has none, without limits. */
export const deviceKeys = () =>
  new DeviceKeys(
    new TenantUse(tenant, () => ({ keysPerDevice: null, keys: null, storedBytes: null }), systemClock),
  );

/** Answer of a query, with its points as objects. */
type PlainSeries = Omit<DeviceSeries, "series"> & {
  readonly series: ReadonlyArray<Omit<Series, "points"> & { readonly points: Point[] }>;
};

/** A worker that `crash` can kill. */
export const crashWorker = new URL("crash-worker.ts", import.meta.url);

export type Tunables = Partial<Omit<TelemetryStoreOptions, "file" | "log">>;

/** A real store on a file of its own, which can be stopped and started again. */
export class StoreFixture {
  readonly directory = mkdtempSync(join(tmpdir(), "lineside-store-"));
  readonly file: string;
  readonly logged: string[] = [];
  readonly #tunables: Tunables;
  store: TelemetryStore;
  /** What the wall clock shows. */
  wall: () => number = systemClock.now;

  /** `file`: one that exists already, instead of an empty one. */
  constructor(tunables: Tunables = {}, file?: string) {
    this.#tunables = tunables;
    this.file = file ?? join(this.directory, "telemetry.db");
    this.store = this.#create();
  }

  static async start(tunables: Tunables = {}): Promise<StoreFixture> {
    const fixture = new StoreFixture(tunables);
    await fixture.store.start();
    return fixture;
  }

  async restart(): Promise<void> {
    await this.store.stop();
    this.store = this.#create();
    await this.store.start();
  }

  /** The worker dies as in a crash and another one opens what it left. For fixtures with `crashWorker`. */
  async crash(): Promise<void> {
    const channel = new BroadcastChannel("store-crash");
    const died = new Promise<void>((resolve) => {
      channel.addEventListener("message", (event: MessageEvent<string>) => {
        if (event.data === "dead") resolve();
      });
    });
    channel.postMessage("die");
    await died;
    channel.close();
    this.store = this.#create();
    await this.store.start();
  }

  /** Also when it has been stopped already. */
  async dispose(): Promise<void> {
    await this.store.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  append(device: string, readings: readonly Reading[]): Promise<void> {
    return this.store.append(this.store.device(tenant, deviceId(device)), readings)!;
  }

  /** One reading with one value. */
  put(device: string, key: string, ts: number, value: TelemetryValue): Promise<void> {
    return this.append(device, [{ ts, values: { [key]: value } }]);
  }

  /** Also checks that the answer as text is the same. */
  async query({ device = "d", ...rest }: Partial<RangeQuery> & { device?: string }): Promise<PlainSeries[]> {
    const query: RangeQuery = {
      deviceIds: [deviceId(device)],
      keys: [],
      from: -8.64e15,
      to: 8.64e15,
      aggregation: "none",
      maxDataPoints: 1_000_000,
      ...rest,
    };
    const data = await this.store.query(query);
    const { from, to, aggregation } = query;
    // The last bit of a sum may differ once points have been sealed in between.
    const isSum = aggregation === "avg" || aggregation === "sum" || aggregation === "delta";
    if (!isSum && (await this.text(query)) !== JSON.stringify({ data, from, to, aggregation }))
      throw new Error(`the text of the answer differs: ${await this.text(query)}`);
    return data.map((device) => ({
      ...device,
      series: device.series.map((series) => ({ ...series, points: [...series.points] })),
    }));
  }

  async text(query: RangeQuery): Promise<string> {
    return new TextDecoder().decode(Buffer.concat(await this.pieces(query)));
  }

  async pieces(query: RangeQuery): Promise<Uint8Array[]> {
    const pieces: Uint8Array[] = [];
    await this.store.queryText(query, (piece) => pieces.push(piece));
    return pieces;
  }

  /** `[ts, value]` pairs of one key. */
  async points(device: string, key: string, query: Partial<RangeQuery> = {}): Promise<[number, unknown][]> {
    const [response] = await this.query({ device, keys: [key], ...query });
    return (response?.series[0]?.points ?? []).map(({ ts, value }) => [ts, value]);
  }

  #create(): TelemetryStore {
    return createTelemetryStore({
      file: this.file,
      clock: { ...systemClock, now: () => this.wall() },
      log: this.#log(),
      hotPointsPerSeries: 0,
      ...this.#tunables,
    });
  }

  #log(): Logger {
    const keep = (message: string) => void this.logged.push(message);
    const log: Logger = { debug: keep, info: keep, warn: keep, error: keep, child: () => log };
    return log;
  }
}

/**
 * The error that a promise rejects with. Not `expect(promise).rejects`: on a pending promise that spins the event loop
 * in place, and a worker's messages do not come through while one of them is being handled.
 */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("the promise did not reject");
}
