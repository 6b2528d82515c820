import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { Integration } from "../integrations/integrations.resource.ts";
import type { DeviceReference } from "../integrations/integrations.types.ts";
import type { DownlinksRepository } from "./downlinks.repository.ts";
import { type DownlinkRoute, deviceKey } from "./downlinks.types.ts";

const CACHED_MAX = 100_000;

export interface DeviceNames {
  readonly devEui: string | undefined;
  readonly networkDeviceId: string | undefined;
}

/** Creates the map of the integrations that reach a device, with its identity there. */
export function createDownlinkWays(deps: {
  repository: Pick<DownlinksRepository, "route" | "saveRoute">;
  namesOf: (deviceId: DeviceId) => DeviceNames;
  /** LoRaWAN integrations of a tenant that are switched on and have a way to send. */
  sendersOf: (tenantId: TenantId) => readonly Integration[];
}) {
  /** Keyed by tenant and key: what was written last, so that a message that tells nothing new costs no write. */
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
    /** A message of the device has come: that is the way back. */
    uplinkSeen({ integrationId, tenantId }: Integration, { devEui, route }: DeviceReference): void {
      const key = deviceKey({ devEui, networkDeviceId: route?.networkDeviceId });
      if (route === undefined || key === undefined) return;
      const { applicationId, networkDeviceId, topicApplication, pushUrl } = route;
      // One order of fields, so that equal ones are equal texts.
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
    /** Returns the networks' key of the device; undefined for a device of none. */
    keyOf: (deviceId: DeviceId): string | undefined => deviceKey(deps.namesOf(deviceId)),
    /** The one through which the device was heard last, else the only one or the default one that can send; undefined for none. */
    integrationFor(tenantId: TenantId, key: string): Integration | undefined {
      const senders = deps.sendersOf(tenantId);
      const route = deps.repository.route(tenantId, key);
      const last = senders.find(({ integrationId }) => integrationId === route?.integrationId);
      if (last !== undefined || route !== undefined) return last;
      const [only, second] = senders.length === 1 ? senders : senders.filter(({ isDefault }) => isDefault);
      // Where it could be either network, the command waits until the device is heard.
      return second === undefined ? only : undefined;
    },
  };
}

export type DownlinkWays = ReturnType<typeof createDownlinkWays>;
