import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import { createHistoryService } from "../modules/ingest/history.service.ts";
import type { IngestService } from "../modules/ingest/ingest.service.ts";
import type { ProfilesService } from "../modules/profiles/profiles.service.ts";
import { createRetention } from "../modules/telemetry/retention.ts";
import type { TelemetryStore } from "../modules/telemetry/store/store.types.ts";
import { createTelemetryService } from "../modules/telemetry/telemetry.service.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { Logger } from "../platform/log.ts";
import type { People } from "./people.ts";

/** What is done with telemetry once it is stored: read, taken in and out as history, deleted when its time is over. */
export function createTelemetry(deps: {
  config: Config;
  store: TelemetryStore;
  people: Pick<People, "tenants" | "plans">;
  devices: DevicesService;
  profiles: ProfilesService;
  directory: DeviceDirectory;
  ingest: IngestService;
  clock: Clock;
  log: Logger;
}) {
  const { store, devices, profiles, directory, ingest, clock, log } = deps;
  const { tenants, plans } = deps.people;
  return {
    history: createHistoryService({ devices, directory, ingest, store, clock }),
    telemetry: createTelemetryService({ store, devices }),
    retention: createRetention({
      store,
      tenants,
      plans,
      devices,
      profiles,
      defaultDays: deps.config.retention_days,
      clock,
      log: log.child("retention"),
    }),
  };
}
