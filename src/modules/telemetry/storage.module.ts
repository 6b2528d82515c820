import { statfsSync } from "node:fs";
import { MIB } from "../../lib/core/units.ts";
import { FailedWrites } from "../../platform/database/storage-failure.ts";
import { DiskGuard, type ReadOnlyCheck, type ReadSpace } from "../../platform/files/disk-guard.ts";
import type { Core } from "../module.types.ts";
import type { TenantsModule } from "../tenants/tenants.module.ts";
import { storeDefaults } from "./store/store-options.ts";
import { createTelemetryStore } from "./store/telemetry-store.ts";

/** Max. share of a disk for the hot log before its content is moved into blocks. */
const HOT_SHARE_MAX = 1 / 16;
/** Max. share of a disk for each spare file and for the write-ahead log. */
const SPARE_SHARE_MAX = 1 / 64;

/** Limits the logs on a small disk, because their rows take several times the space of blocks. */
function logSizesOf(
  path: string,
): Pick<typeof storeDefaults, "hotBytesMax" | "spareBytesMax" | "walBytesMax"> {
  const { blocks, bsize } = statfsSync(path);
  const total = blocks * bsize;
  const { hotBytesMax, spareBytesMax, walBytesMax } = storeDefaults;
  return {
    hotBytesMax: Math.min(hotBytesMax, Math.max(MIB, total * HOT_SHARE_MAX)),
    spareBytesMax: Math.min(spareBytesMax, Math.max(MIB, total * SPARE_SHARE_MAX)),
    walBytesMax: Math.min(walBytesMax, Math.max(MIB, total * SPARE_SHARE_MAX)),
  };
}

/** Creates the telemetry store, and the guard that prevents the disk from filling up. */
export function createStorageModule(
  { config, data, inventory, clock, health, diskWait, log }: Core,
  {
    tenants: { quotas },
    disk,
  }: {
    readonly tenants: TenantsModule;
    /** Disk probes; by default the operating system's. */
    readonly disk: { readonly readSpace?: ReadSpace; readonly isReadOnly?: ReadOnlyCheck };
  },
) {
  const diskGuard = new DiskGuard({
    directory: data.path,
    freeBytesMin: config.disk_free_mb_min * MIB,
    clock,
    log: log.child("disk"),
    areFilesOpen: () => inventory.isBegun,
    ...(disk.readSpace && { readSpace: disk.readSpace }),
    ...(disk.isReadOnly && { isReadOnly: disk.isReadOnly }),
  });
  const store = createTelemetryStore({
    file: data.file("telemetry.db"),
    clock,
    log: log.child("store"),
    groupCommitWindowMs: config.commit_window_ms,
    limitsOf: (tenantId) => quotas.of(tenantId),
    onWrite: (bytes, written) => {
      diskGuard.noteWrite(bytes);
      diskWait.follow(written);
    },
    ...logSizesOf(data.path),
  });
  inventory.addStamper((stamp) => store.stamp(stamp));
  void store.open(); // in its own thread, while the other modules are created
  health.add(() => diskGuard.problem());
  health.add(() => {
    const failure = store.failure();
    return failure && { severity: "FATAL", ...failure };
  });
  const failedWrites = new FailedWrites((error) => diskGuard.whyFailed(error));
  health.add(() => failedWrites.problem());
  return {
    diskGuard,
    store,
    parts: [
      diskGuard,
      failedWrites,
      { name: "store", isOpen: true as const, start: () => store.start(), stop: () => store.stop() },
    ],
  };
}

export type StorageModule = ReturnType<typeof createStorageModule>;
