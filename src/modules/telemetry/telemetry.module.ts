import type { DevicesModule } from "../devices/devices.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { ProfilesModule } from "../profiles/profiles.module.ts";
import type { TenantsModule } from "../tenants/tenants.module.ts";
import { keyLookupRoutes } from "./key-lookup.routes.ts";
import { createKeyLookup } from "./key-lookup.service.ts";
import { createRetention } from "./retention.ts";
import type { StorageModule } from "./storage.module.ts";
import { telemetryRoutes } from "./telemetry.routes.ts";
import { createTelemetryService } from "./telemetry.service.ts";
import { UnknownTelemetry } from "./unknown-telemetry.service.ts";

/** Creates the reading of stored telemetry, and its deletion after the retention period or with its device. */
export function createTelemetryModule(
  { responses, config, clock, health, log }: Core,
  modules: {
    readonly storage: StorageModule;
    readonly tenants: TenantsModule;
    readonly devices: DevicesModule;
    readonly profiles: ProfilesModule;
  },
) {
  const { store } = modules.storage;
  const { tenants, plans } = modules.tenants;
  const { devices, devicesRepository } = modules.devices;
  const { profiles } = modules.profiles;
  const lookup = createKeyLookup({ store, devices, profiles });
  const telemetry = createTelemetryService({ store, devices, keys: lookup });
  const retention = createRetention({
    store,
    tenants,
    plans,
    devices,
    profiles,
    defaultDays: config.retention_days,
    clock,
    retentionTime: () => clock.retentionTime(),
    log: log.child("retention"),
  });
  const unknown = new UnknownTelemetry({ store, devices: devicesRepository, log });
  health.add(() => unknown.problem());
  return {
    telemetry,
    unknown,
    retention,
    routes: (auth: AuthPlugin) => [
      telemetryRoutes({ telemetry, responses, auth }),
      keyLookupRoutes({ lookup, auth }),
    ],
    parts: [unknown, { name: "retention", start: () => retention.start(), stop: () => retention.stop() }],
  };
}

export type TelemetryModule = ReturnType<typeof createTelemetryModule>;
