import type { KeyMetadataMap } from "../../lib/key-metadata.ts";
import type { DiskGuard } from "../../platform/disk-guard.ts";
import type { AttributesService } from "../attributes/attributes.service.ts";
import type { DeviceActivityTracker } from "../devices/device-activity.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { TokenSignIn } from "../devices/token-sign-in.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { OutboundService } from "../outbound/outbound.service.ts";
import type { PipelineEngine } from "../pipelines/pipeline-engine.ts";
import type { TelemetryStore } from "../telemetry/store/store.types.ts";
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

/** The one way of telemetry to the store, its HTTP edge, and imports and exports of history. */
export function createIngestModule(
  { answers, database, clock, events, health, log }: Core,
  deps: {
    store: TelemetryStore;
    diskGuard: DiskGuard;
    devices: DevicesService;
    directory: DeviceDirectory;
    activity: DeviceActivityTracker;
    tokens: TokenSignIn;
    attributes: AttributesService;
    pipelines: PipelineEngine;
    outbound: OutboundService;
    /** Returns the metadata of the device's keys. */
    keysOf: (device: IngestDevice) => KeyMetadataMap;
  },
) {
  const { store, diskGuard, devices, directory, activity, tokens, attributes, outbound } = deps;
  /** Called with what is stored, in this order; the modules that react to telemetry add theirs. */
  const traffic = new DeviceTraffic({ clock, log: log.child("traffic") });
  const observers: TelemetryObserver[] = [traffic.stored];
  const onRejected = rejectionReporter({ events, clock });
  const held = new HeldReadings({
    repository: createHeldRepository(database),
    directory,
    store: (device, readings) => ingest.history(device, readings),
    onDropped: onRejected,
    durable: () => database.durable(),
    ...{ clock, events },
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
    transform: (device, readings) => deps.pipelines.apply(device, readings),
    forward: outbound.enqueueAfter,
    attributesDurable: () => database.durable(),
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
  const { keysOf } = deps;
  const history = createHistoryService({ ...{ devices, directory, ingest, store, clock, events }, keysOf });
  return {
    ingest,
    observers,
    traffic,
    parts: [held, { name: "traffic", start: () => traffic.start(), stop: () => traffic.stop() }],
    routes: (auth: AuthPlugin) => [
      historyRoutes({ history, answers, auth }),
      heldRoutes({ held, devices, auth }),
      testTelemetryRoutes({ ingest, devices, directory, auth }),
      deviceApiRoutes({ ingest, attributes, tokens }),
      lineProtocolRoutes({ ingest, tokens, devices, directory, activity, database, clock }),
    ],
  };
}
