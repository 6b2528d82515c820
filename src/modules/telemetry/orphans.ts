import type { DeviceId } from "../../lib/ids.ts";
import type { Part } from "../../platform/lifecycle.ts";
import type { Logger } from "../../platform/log.ts";
import type { TelemetryStore } from "./store/store.types.ts";

/**
 * A crash between the deletion of a device and that of its telemetry leaves the latter behind: it is found at the next start
 * and deleted in the background.
 */
export const createOrphanRemoval = (deps: {
  store: Pick<TelemetryStore, "deviceIds" | "deleteDevice">;
  listDevices: () => ReadonlySet<DeviceId>;
  log: Logger;
}): Part => ({
  name: "telemetry of deleted devices",
  start() {
    // Nothing waits for it.
    deleteOrphans(deps).catch((error) => deps.log.warn("orphaned telemetry was not looked for", { error }));
  },
});

async function deleteOrphans(deps: Parameters<typeof createOrphanRemoval>[0]): Promise<void> {
  const stored = await deps.store.deviceIds();
  const devices = deps.listDevices(); // one by one, with all that is kept of them, thousands would delay the start
  const orphans = stored.filter((deviceId) => !devices.has(deviceId));
  for (const deviceId of orphans)
    deps.store
      .deleteDevice(deviceId)
      .catch((error) => deps.log.warn("orphaned telemetry stays for now", { deviceId, error }));
  if (orphans.length > 0)
    deps.log.info("telemetry of deleted devices found and deleted", { devices: orphans.length });
}
