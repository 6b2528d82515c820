import type { TelemetryStore } from "../modules/telemetry/store/store.types.ts";
import { createTelemetryStore } from "../modules/telemetry/store/telemetry-store.ts";
import type { QuotasService } from "../modules/tenants/quotas.service.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { DataDirectory } from "../platform/data-directory.ts";
import { createDiskGuard, type DiskGuard, type ReadSpace } from "../platform/disk-guard.ts";
import type { Logger } from "../platform/log.ts";

/** Where telemetry is kept, and who sees to it that the disk never gets full of it. */
export function createStorage(deps: {
  config: Config;
  data: DataDirectory;
  readSpace: ReadSpace | undefined;
  quotasOf: QuotasService["of"];
  clock: Clock;
  log: Logger;
}): { diskGuard: DiskGuard; store: TelemetryStore } {
  const { config, data, readSpace, clock, log } = deps;
  const diskGuard = createDiskGuard({
    directory: data.path,
    freeBytesMin: config.disk_free_mb_min * 1024 * 1024,
    clock,
    log: log.child("disk"),
    ...(readSpace && { readSpace }),
  });
  const store = createTelemetryStore({
    file: data.file("telemetry.db"),
    clock,
    log: log.child("store"),
    groupCommitWindowMs: config.commit_window_ms,
    limitsOf: (tenantId) => deps.quotasOf(tenantId),
  });
  return { diskGuard, store };
}
