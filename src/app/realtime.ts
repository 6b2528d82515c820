import type { SharesService } from "../modules/dashboards/shares.service.ts";
import type { DeviceActivityTracker } from "../modules/devices/device-activity.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import type { RealtimeHub } from "../modules/realtime/realtime-hub.ts";
import type { RealtimeDeps } from "../modules/realtime/realtime-session.ts";
import type { TelemetryStore } from "../modules/telemetry/store/store.types.ts";
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/log.ts";
import type { People } from "./people.ts";

/** What WebSockets of screens need. */
export const realtimeOf = (deps: {
  hub: RealtimeHub;
  people: People;
  shares: Pick<SharesService, "authenticate">;
  devices: DevicesService;
  activity: DeviceActivityTracker;
  store: TelemetryStore;
  clock: Clock;
  log: Logger;
}): RealtimeDeps => ({
  hub: deps.hub,
  authenticator: {
    // A link opens the telemetry of its dashboard here, and nothing at any other place that takes access tokens.
    authenticate: async (token) =>
      (await deps.shares.authenticate(token)) ?? deps.people.authenticator.authenticate(token),
  },
  devices: deps.devices,
  activityOf: (deviceId) => deps.activity.get(deviceId),
  store: deps.store,
  clock: deps.clock,
  log: deps.log.child("realtime"),
});
