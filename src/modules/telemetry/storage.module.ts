import { createDiskGuard, type ReadSpace } from "../../platform/disk-guard.ts";
import type { Core } from "../module.types.ts";
import type { QuotasService } from "../tenants/quotas.service.ts";
import { createTelemetryStore } from "./store/telemetry-store.ts";

const MEGABYTE = 1024 * 1024;

/** The telemetry store, and the guard that keeps the disk from filling up. */
export function createStorageModule(
  { config, data, clock, log }: Core,
  deps: { quotas: QuotasService; readSpace: ReadSpace | undefined },
) {
  const { quotas, readSpace } = deps;
  const diskGuard = createDiskGuard({
    directory: data.path,
    freeBytesMin: config.disk_free_mb_min * MEGABYTE,
    clock,
    log: log.child("disk"),
    ...(readSpace && { readSpace }),
  });
  const store = createTelemetryStore({
    file: data.file("telemetry.db"),
    clock,
    log: log.child("store"),
    groupCommitWindowMs: config.commit_window_ms,
    limitsOf: (tenantId) => quotas.of(tenantId),
  });
  return {
    diskGuard,
    store,
    parts: [diskGuard, { name: "store", start: () => store.start(), stop: () => store.stop() }],
  };
}
