import type { SharesService } from "../dashboards/shares.service.ts";
import type { DeviceActivityTracker } from "../devices/device-activity.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { Authenticator } from "../identity/identity.types.ts";
import type { TelemetryObserver } from "../ingest/ingest.service.ts";
import type { Core } from "../module.types.ts";
import type { TelemetryStore } from "../telemetry/store/store.types.ts";
import { RealtimeHub } from "./realtime-hub.ts";
import type { RealtimeDeps } from "./realtime-session.ts";

/** Live data for screens, over `/api/ws`. */
export function createRealtimeModule(
  { answers, clock, events, log }: Core,
  deps: {
    authenticator: Authenticator;
    shares: SharesService;
    devices: DevicesService;
    activity: DeviceActivityTracker;
    store: TelemetryStore;
    /** Called with the telemetry that is stored. */
    observers: TelemetryObserver[];
  },
) {
  const { authenticator, shares, devices, activity, store, observers } = deps;
  const hub = new RealtimeHub(events);
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
    answers,
    clock,
    log: log.child("realtime"),
  };
  return { realtime, parts: [{ name: "realtime", stop: () => hub.closeAll() }] };
}
