import type { DashboardsModule } from "../dashboards/dashboards.module.ts";
import type { DevicesModule } from "../devices/devices.module.ts";
import type { IdentityModule } from "../identity/identity.module.ts";
import type { IngestModule } from "../ingest/ingest.module.ts";
import type { Core } from "../module.types.ts";
import type { StorageModule } from "../telemetry/storage.module.ts";
import { RealtimeHub } from "./realtime-hub.ts";
import type { RealtimeDeps } from "./realtime-session.ts";

/** Creates the live data for screens, over `/api/ws`. */
export function createRealtimeModule(
  { responses, clock, events, log }: Core,
  modules: {
    readonly identity: IdentityModule;
    readonly dashboards: DashboardsModule;
    readonly devices: DevicesModule;
    readonly storage: StorageModule;
    readonly ingest: IngestModule;
  },
) {
  const { authenticator } = modules.identity;
  const { shares } = modules.dashboards;
  const { devices, activity } = modules.devices;
  const { store } = modules.storage;
  const { observers } = modules.ingest;
  const hub = new RealtimeHub(events, devices.children.listIds);
  observers.push(hub.onTelemetry);
  const realtime: RealtimeDeps = {
    hub,
    authenticator: {
      // A link opens the telemetry of its dashboard here, and nothing at any other place that takes access tokens.
      ...authenticator,
      authenticate: async (token) => (await shares.authenticate(token)) ?? authenticator.authenticate(token),
    },
    devices,
    activityOf: (deviceId) => activity.get(deviceId),
    store,
    responses,
    clock,
    log: log.child("realtime"),
  };
  return { realtime, parts: [{ name: "realtime", stop: () => hub.closeAll() }] };
}
