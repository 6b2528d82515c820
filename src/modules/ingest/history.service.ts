import { invalid } from "../../lib/domain-error.ts";
import { invariant } from "../../lib/invariant.ts";
import { isJsonObject } from "../../lib/json.ts";
import type { Clock } from "../../platform/clock.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { Principal } from "../users/users.types.ts";
import { type ImportProgress, type ImportResult, type ImportSource, runImport } from "./history-import.ts";
import type { IngestService } from "./ingest.service.ts";
import { toReadings } from "./readings.ts";

/** Bringing telemetry of the past into a device. */
export interface HistoryService {
  /** Yields after every batch that is on the disk; the return value is the result. */
  import(
    principal: Principal,
    deviceId: string,
    source: ImportSource,
  ): AsyncGenerator<ImportProgress, ImportResult>;
}

export function createHistoryService(deps: {
  devices: Pick<DevicesService, "ensureVisible">;
  directory: DeviceDirectory;
  ingest: Pick<IngestService, "history">;
  clock: Clock;
}): HistoryService {
  return {
    import(principal, deviceId, source) {
      const device = deps.directory.find(deps.devices.ensureVisible(principal, deviceId));
      invariant(device !== undefined, "a visible device is in the directory");
      return runImport(source, {
        decode(body) {
          if (!isJsonObject(body) || body.ts === undefined)
            throw invalid("import.ts_missing", "ts is missing");
          return toReadings(body, deps.clock.now());
        },
        store: (readings) => deps.ingest.history(device, readings),
      });
    },
  };
}
