import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { BriefIntegration, Integration } from "../integrations/integrations.resource.ts";
import type { DeviceReference } from "../integrations/integrations.types.ts";
import type { DownlinksRepository } from "./downlinks.repository.ts";
import { type DownlinkRoute, deviceKey } from "./downlinks.types.ts";

const CACHED_MAX = 100_000;

export interface DeviceNames {
  readonly devEui: string | undefined;
  readonly networkDeviceId: string | undefined;
}

/** Creates the map of devices to the integrations that reach them, with their identity there. */
export function createDownlinkWays(deps: {
  repository: Pick<DownlinksRepository, "route" | "saveRoute">;
  namesOf: (deviceId: DeviceId) => DeviceNames;
  /** Returns the active LoRaWAN integrations of a tenant that can send downlinks. */
  sendersOf: (tenantId: TenantId) => readonly BriefIntegration[];
  find: (tenantId: TenantId, integrationId: string) => Integration | undefined;
}) {
  /** Last written route by tenant and key; unchanged routes are not written again. */
  const written = new Map<string, string>();

  function remember(tenantId: TenantId, key: string, route: DownlinkRoute): void {
    const place = `${tenantId}\n${key}`;
    const text = JSON.stringify(route);
    if (written.get(place) === text) return;
    if (written.size >= CACHED_MAX) written.clear();
    if (JSON.stringify(deps.repository.route(tenantId, key)) !== text)
      deps.repository.saveRoute(tenantId, key, route);
    written.set(place, text);
  }

  return {
    /** Stores the route of a received message as the way back to the device. */
    uplinkSeen({ integrationId, tenantId }: Integration, { devEui, route }: DeviceReference): void {
      const key = deviceKey({ devEui, networkDeviceId: route?.networkDeviceId });
      if (route === undefined || key === undefined) return;
      const { applicationId, networkDeviceId, topicApplication, pushUrl } = route;
      // Fields in a fixed order, so that equal values have equal JSON.
      remember(tenantId, key, {
        integrationId,
        ...(applicationId && { applicationId }),
        ...(networkDeviceId && { networkDeviceId }),
        ...(topicApplication && { topicApplication }),
        ...(pushUrl && { pushUrl }),
      });
    },
    routeOf: ({
      tenantId,
      deviceKey: key,
    }: {
      tenantId: TenantId;
      deviceKey: string;
    }): DownlinkRoute | undefined => deps.repository.route(tenantId, key),
    /** Returns the device's key in the networks; undefined if it has none. */
    keyOf: (deviceId: DeviceId): string | undefined => deviceKey(deps.namesOf(deviceId)),
    /** Returns the integration that last received the device; otherwise the only sender, or the only default sender; undefined if there is none. */
    integrationFor(tenantId: TenantId, key: string): Integration | undefined {
      const senders = deps.sendersOf(tenantId);
      const route = deps.repository.route(tenantId, key);
      const [only, second] =
        route !== undefined
          ? senders.filter(({ integrationId }) => integrationId === route.integrationId)
          : senders.length === 1
            ? senders
            : senders.filter(({ isDefault }) => isDefault);
      // If it could be either network, the command waits until the device is heard.
      return only === undefined || second !== undefined ? undefined : deps.find(tenantId, only.integrationId);
    },
  };
}

export type DownlinkWays = ReturnType<typeof createDownlinkWays>;
