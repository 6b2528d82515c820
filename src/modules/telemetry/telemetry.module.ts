import type { DevicesRepository } from "../devices/devices.repository.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import type { PlansService } from "../tenants/plans.service.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import { keyMetadataLookupRoutes } from "./key-metadata.routes.ts";
import { createKeyMetadataLookup } from "./key-metadata.service.ts";
import { createRetention } from "./retention.ts";
import type { TelemetryStore } from "./store/store.types.ts";
import { telemetryRoutes } from "./telemetry.routes.ts";
import { createTelemetryService } from "./telemetry.service.ts";
import { UnknownTelemetry } from "./unknown-telemetry.service.ts";

/** Stored telemetry: reading it, and deleting it when its time is over or its device is gone. */
export function createTelemetryModule(
  { answers, config, clock, health, log }: Core,
  deps: {
    store: TelemetryStore;
    tenants: TenantsService;
    plans: PlansService;
    devices: DevicesService;
    devicesRepository: DevicesRepository;
    profiles: ProfilesService;
  },
) {
  const { store, tenants, plans, devices, devicesRepository, profiles } = deps;
  const lookup = createKeyMetadataLookup({ store, devices, profiles });
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
      telemetryRoutes({ telemetry, answers, auth }),
      keyMetadataLookupRoutes({ lookup, auth }),
    ],
    parts: [unknown, { name: "retention", start: () => retention.start(), stop: () => retention.stop() }],
  };
}
