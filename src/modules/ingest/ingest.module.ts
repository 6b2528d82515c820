import type { AttributesModule } from "../attributes/attributes.module.ts";
import type { DevicesModule } from "../devices/devices.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { OutboundModule } from "../outbound/outbound.module.ts";
import type { PipelinesModule } from "../pipelines/pipelines.module.ts";
import type { ProfilesModule } from "../profiles/profiles.module.ts";
import type { StorageModule } from "../telemetry/storage.module.ts";
import { DeviceTraffic } from "./device-traffic.ts";
import { createHeldRepository } from "./held.repository.ts";
import { heldRoutes } from "./held.routes.ts";
import { HeldReadings } from "./held-readings.ts";
import { historyRoutes } from "./history.routes.ts";
import { createHistoryService } from "./history.service.ts";
import { deviceApiRoutes } from "./ingest.routes.ts";
import { createIngestService, type TelemetryObserver } from "./ingest.service.ts";
import type { IngestDevice } from "./ingest.types.ts";
import { lineProtocolRoutes } from "./line-protocol.routes.ts";
import { rejectionReporter } from "./report-rejection.ts";
import { testTelemetryRoutes } from "./test-telemetry.routes.ts";

/** Creates the ingest of all telemetry, its HTTP edge, and imports and exports of history. */
export function createIngestModule(
  { responses, bodySpace, database, clock, events, health, log }: Core,
  modules: {
    readonly storage: StorageModule;
    readonly devices: DevicesModule;
    readonly attributes: AttributesModule;
    readonly pipelines: PipelinesModule;
    readonly outbound: OutboundModule;
    readonly profiles: ProfilesModule;
  },
) {
  const { store, diskGuard } = modules.storage;
  const { devices, directory, activity, tokens } = modules.devices;
  const { attributes } = modules.attributes;
  const { engine: pipelines } = modules.pipelines;
  const { outbound } = modules.outbound;
  const { profiles } = modules.profiles;
  const keysOf = ({ tenantId, profileId }: IngestDevice) => profiles.keysOf(tenantId, profileId);
  /** Observers of stored telemetry, called in this order; other modules add theirs. */
  const traffic = new DeviceTraffic({ clock, log: log.child("traffic") });
  const observers: TelemetryObserver[] = [traffic.stored];
  const onRejected = rejectionReporter({ events, clock });
  const held = new HeldReadings({
    repository: createHeldRepository(database),
    directory,
    store: (device, readings) => ingest.history(device, readings),
    onDropped: onRejected,
    durable: database.durable,
    clock,
    events,
    log: log.child("ingest"),
  });
  health.add(() => held.problem());
  const ingest = createIngestService({
    hold(device, readings) {
      diskGuard.ensureRoom();
      activity.touch(device);
      return held.hold(device, readings);
    },
    store,
    attributes,
    transform: (device, readings) => pipelines.apply(device, readings),
    forward: outbound.enqueueAfter,
    attributesDurable: database.durable,
    onRejected,
    observers,
    touch(device) {
      activity.touch(device);
      traffic.accepted(device);
    },
    traffic,
    ensureRoom: () => diskGuard.ensureRoom(),
    clock,
  });
  const history = createHistoryService({ devices, directory, ingest, store, clock, events, keysOf });
  return {
    ingest,
    observers,
    traffic,
    parts: [held, { name: "traffic", start: () => traffic.start(), stop: () => traffic.stop() }],
    routes: (auth: AuthPlugin) => [
      historyRoutes({ history, responses, auth }),
      heldRoutes({ held, devices, auth }),
      testTelemetryRoutes({ ingest, devices, directory, auth }),
      deviceApiRoutes({ ingest, attributes, responses, bodySpace, tokens }),
      lineProtocolRoutes({ ingest, tokens, bodySpace, devices, directory, activity, database, clock }),
    ],
  };
}

export type IngestModule = ReturnType<typeof createIngestModule>;
