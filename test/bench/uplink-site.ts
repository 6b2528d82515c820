import { TAG_NUMBER } from "../../src/lib/data/value-kind.ts";
import { DeviceCache } from "../../src/modules/uplinks/device-cache.ts";
import type { TargetSettings } from "../../src/modules/uplinks/targets/targets.schemas.ts";
import { createTarget } from "../../src/modules/uplinks/targets/targets.ts";
import type { MainCalls, UplinkJob } from "../../src/modules/uplinks/uplink.protocol.ts";
import { UplinkReader } from "../../src/modules/uplinks/uplink-reader.ts";
import { UplinkRunner } from "../../src/modules/uplinks/uplink-runner.ts";
import { UplinkSpace } from "../../src/modules/uplinks/uplink-space.ts";
import { systemClock } from "../../src/platform/time/clock.ts";

export const FIRST_TS = Date.UTC(2026, 0, 1);
export const KEYS = 10;
const CHUNK_ROWS = 1_000;
const NO_DEFINITIONS = { devices: [], keys: [], patterns: [] };

/** All sites share it, as they do on a gateway. */
const space = new UplinkSpace();

type Call = <Name extends keyof MainCalls & string>(
  name: Name,
  args: MainCalls[Name]["args"],
) => Promise<MainCalls[Name]["result"]>;

/** Value of a key in a row, which a target can be checked against. */
export const valueAt = (row: number, key: number): number => row + key / 16;

/** What one site has written: rows of all its devices, which are computed from their index. */
export class SiteData {
  readonly devices: readonly string[];
  readonly stepMs: number;
  /** Index of a row → when it was written, in ms of the monotonic clock. */
  readonly writtenAt: number[] = [];

  constructor(devices: readonly string[], stepMs: number) {
    this.devices = devices;
    this.stepMs = stepMs;
  }

  write(rows: number): void {
    for (let row = 0; row < rows; row++) this.writtenAt.push(performance.now());
  }

  rows(from: number, to: number) {
    const first = Math.max(0, Math.ceil((from - FIRST_TS) / this.stepMs));
    const last = Math.min(
      this.writtenAt.length - 1,
      Math.floor((to - FIRST_TS) / this.stepMs),
      first + CHUNK_ROWS - 1,
    );
    if (last < first) return null;
    const length = last - first + 1;
    const ts = Float64Array.from({ length }, (_, row) => FIRST_TS + (first + row) * this.stepMs);
    const columns = Array.from({ length: KEYS }, (_, key) => ({
      key: `key${key}`,
      tags: new Uint8Array(length).fill(TAG_NUMBER),
      numbers: Float64Array.from({ length }, (__, row) => valueAt(first + row, key)),
      texts: null,
    }));
    return { ts, columns, to: ts[length - 1] ?? to };
  }
}

/** An uplink of a site: the reader, runner and target of the product, over a store that is computed. */
export class SiteUplink {
  readonly #data: SiteData;
  readonly #job: UplinkJob;
  readonly #site: string;
  /** Index of a device → rows that were confirmed. */
  readonly #confirmed: number[];
  #reader: UplinkReader | undefined;
  #runner: UplinkRunner | undefined;

  constructor(id: string, site: string, { data, target }: { data: SiteData; target: TargetSettings }) {
    this.#data = data;
    this.#site = site;
    this.#confirmed = data.devices.map(() => 0);
    this.#job = {
      uplinkId: id,
      tenantId: site,
      target,
      sendsTelemetry: true,
      deviceIds: [],
      keys: [],
      steps: [],
      order: "LIVE_FIRST",
      bytesPerSecond: null,
      window: null,
      authorities: undefined,
    };
  }

  /** Time since the oldest row that was not confirmed was written; 0 if there is none. */
  get lagMs(): number {
    const writtenAt = this.#data.writtenAt[Math.min(...this.#confirmed)];
    return writtenAt === undefined ? 0 : performance.now() - writtenAt;
  }

  start(): void {
    const devices = new DeviceCache(async (ids) =>
      ids.map((deviceId) => ({ deviceId, name: deviceId, type: "meter", site: this.#site, tags: {} })),
    );
    const reader = new UplinkReader(this.#job, {
      call: ((name, args) => Promise.resolve(this.#answer(name, args))) as Call, // as the protocol says
      devices,
      transform: (rows) => rows,
    });
    const { uplinkId, target } = this.#job;
    const context = {
      uplinkId,
      authorities: undefined,
      resolve: async () => ["127.0.0.1"],
      now: systemClock.now,
    };
    this.#reader = reader;
    this.#runner = new UplinkRunner({
      tenantId: this.#job.tenantId,
      space,
      source: reader,
      createTarget: () => createTarget(target, context),
      window: null,
      bytesPerSecond: null,
      report: () => undefined,
      clock: systemClock,
      random: Math.random,
    });
    this.#runner.start();
  }

  wake(): void {
    this.#reader?.wake();
    this.#runner?.wake();
  }

  async stop(): Promise<void> {
    await this.#runner?.stop();
    this.#runner = undefined;
    this.#reader = undefined;
  }

  /** Forgets the newest confirmations, as a loss of power does. */
  forget(rows: number): void {
    for (const [index, count] of this.#confirmed.entries())
      this.#confirmed[index] = Math.max(0, count - rows);
  }

  #answer(name: string, args: unknown): unknown {
    switch (name) {
      case "changes":
        return {
          records: [],
          cursor: { attributes: 0, alarms: 0, devices: 0, snapshot: null },
          isAtEnd: true,
        };
      case "read":
        return {
          rows: [],
          definitions: NO_DEFINITIONS,
          deletions: [],
          end: 0,
          isAtEnd: true,
          hasBacklog: this.#ranges().length > 0,
        };
      case "backlog": {
        const ranges = this.#ranges();
        return { ranges, definitions: NO_DEFINITIONS, rangeCount: ranges.length, oldestTs: null };
      }
      case "rows": {
        const { from, to } = args as MainCalls["rows"]["args"];
        return this.#data.rows(from, to);
      }
      case "confirm":
        this.#confirm(args as MainCalls["confirm"]["args"]);
    }
    return undefined;
  }

  #ranges() {
    const { devices, writtenAt, stepMs } = this.#data;
    const to = FIRST_TS + (writtenAt.length - 1) * stepMs;
    return devices.flatMap((deviceId, device) => {
      const confirmed = this.#confirmed[device] ?? 0;
      const from = FIRST_TS + confirmed * stepMs;
      return confirmed < writtenAt.length ? [{ device, deviceId, from, to, seq: 0 }] : [];
    });
  }

  #confirm({ ranges = [] }: MainCalls["confirm"]["args"]): void {
    for (const range of ranges) {
      if (!("until" in range)) continue;
      const rows = Math.floor((range.until - FIRST_TS) / this.#data.stepMs) + 1;
      this.#confirmed[range.device] = Math.max(this.#confirmed[range.device] ?? 0, rows);
    }
  }
}
