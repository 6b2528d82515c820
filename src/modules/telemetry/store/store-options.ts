import type { TenantId } from "../../../lib/core/ids.ts";
import type { Logger } from "../../../platform/core/log.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { WorkerOptions } from "./store.protocol.ts";
import type { StoreLimits } from "./store.types.ts";

export interface TelemetryStoreOptions {
  /** Called when a device reports a key for the first time; no limits by default. */
  readonly limitsOf?: (tenantId: TenantId) => StoreLimits;
  /** Path of telemetry.db. */
  readonly file: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly workerUrl?: string | URL;
  /** Time for which a group may wait for company before it is committed; a second spares SD cards. */
  readonly groupCommitWindowMs?: number;
  /** Appended bytes that may wait for a commit; beyond that `append` throws. */
  readonly stagingBytesMax?: number;
  /** Time for which a full disk is left alone before the next group tries it. */
  readonly diskFullRetryMs?: number;
  /** Max. time until hot points are sealed into blocks. */
  readonly bucketMs?: number;
  /** Time after which hot points are sealed that hardly become more, as after an import: blocks are read three times as fast. */
  readonly settledMs?: number;
  /** Hot points at which they are sealed into blocks. */
  readonly hotPointsMax?: number;
  /** Hot points per series: raises `hotPointsMax` up to three times, because a block of a few rows costs as much as a long one. */
  readonly hotPointsPerSeries?: number;
  /** Commits at which hot points are sealed, which bounds the time to start. */
  readonly hotGroupsMax?: number;
  /** Commits per device: raises `hotGroupsMax` up to five times. */
  readonly hotGroupsPerDevice?: number;
  /** Bytes of hot points at which they are sealed; long strings reach this limit first. */
  readonly hotBytesMax?: number;
  /** Rows of a full block; fewer cost 20–60 % more space, more make small reads slower. */
  readonly blockRowsTarget?: number;
  /** Called with the size of each group before it is written. */
  readonly onWrite?: (bytes: number) => void;
  /** Max. bytes of a hot log file that waits for reuse. */
  readonly spareBytesMax?: number;
  /** The write-ahead log is moved into the file when it is this large. */
  readonly walBytesMax?: number;
}

export const storeDefaults = {
  groupCommitWindowMs: 0,
  stagingBytesMax: 32 * 1024 * 1024,
  diskFullRetryMs: 1_000,
  bucketMs: 3_600_000,
  settledMs: 60_000,
  hotPointsMax: 1_000_000,
  hotPointsPerSeries: 40,
  hotGroupsMax: 20_000,
  hotGroupsPerDevice: 10,
  hotBytesMax: 128 * 1024 * 1024,
  blockRowsTarget: 8_192,
  spareBytesMax: 16 * 1024 * 1024,
  walBytesMax: 8 * 1024 * 1024,
};

/** Returns the options that the worker needs, without those that cannot be copied to it. */
export const workerOptionsOf = (all: TelemetryStoreOptions & typeof storeDefaults): WorkerOptions => ({
  file: all.file,
  bucketMs: all.bucketMs,
  settledMs: all.settledMs,
  hotPointsMax: all.hotPointsMax,
  hotPointsPerSeries: all.hotPointsPerSeries,
  hotGroupsMax: all.hotGroupsMax,
  hotGroupsPerDevice: all.hotGroupsPerDevice,
  hotBytesMax: all.hotBytesMax,
  blockRowsTarget: all.blockRowsTarget,
  spareBytesMax: all.spareBytesMax,
  walBytesMax: all.walBytesMax,
});
