import type { TenantId } from "../../../lib/core/ids.ts";
import type { Logger } from "../../../platform/core/log.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { WorkerOptions } from "./store.protocol.ts";
import type { StoreLimits } from "./store.types.ts";

export interface TelemetryStoreOptions {
  /** Limits of a tenant, read when a device reports a new key; no limits by default. */
  readonly limitsOf?: (tenantId: TenantId) => StoreLimits;
  /** Path of telemetry.db. */
  readonly file: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly workerUrl?: string | URL;
  /** Max. time a group commit waits for more messages, in ms; a second reduces SD-card wear. */
  readonly groupCommitWindowMs?: number;
  /** Max. appended bytes waiting for a commit; beyond it, `append` throws. */
  readonly stagingBytesMax?: number;
  /** Retry delay on a full disk, in ms. */
  readonly diskFullRetryMs?: number;
  /** Max. time until hot points are sealed into blocks. */
  readonly bucketMs?: number;
  /** Time after which a hot tier that hardly grows, for example after an import, is sealed; blocks are read three times as fast. */
  readonly settledMs?: number;
  /** Number of hot points that triggers sealing. */
  readonly hotPointsMax?: number;
  /** Hot points per series: raises `hotPointsMax` up to three times, because a block of a few rows costs as much as a long one. */
  readonly hotPointsPerSeries?: number;
  /** Number of commits that triggers sealing, which limits the startup time. */
  readonly hotGroupsMax?: number;
  /** Commits per device: raises `hotGroupsMax` up to five times. */
  readonly hotGroupsPerDevice?: number;
  /** Bytes of hot points that trigger sealing; long strings reach this limit first. */
  readonly hotBytesMax?: number;
  /** Rows of a full block; fewer cost 20–60 % more space, more make small reads slower. */
  readonly blockRowsTarget?: number;
  /** Called with the size of each group before it is written. */
  readonly onWrite?: (bytes: number, written: Promise<void>) => void;
  /** Max. bytes of a hot log file that waits for reuse. */
  readonly spareBytesMax?: number;
  /** Size of the write-ahead log that triggers a checkpoint. */
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

/** Returns the options for the worker, without those that cannot be copied to it. */
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
