import { randomUUID } from "node:crypto";
import type { IngestDevice } from "../modules/ingest/ingest.types.ts";
import type { MqttApplication, MqttNewcomer } from "./mqtt.types.ts";
import { deviceMaySubscribe, PROVISION_RESPONSE } from "./topics.ts";

/** Who a client is signed in as: a device, an application of a tenant, or somebody who wants to become a device. */
export interface Principal {
  /** First level of all its topics inside the broker: a device's own, or its tenant's. */
  readonly space: string;
  readonly device: IngestDevice | undefined;
  readonly application: MqttApplication | undefined;
  readonly newcomer: MqttNewcomer | undefined;
  readonly revoked: boolean;
  /** The broker's name of a session: one a device, or one a client id where there may be several. */
  sessionKey(clientId: string): string;
  maySubscribe(filter: string): boolean;
}

export const tenantSpace = (tenantId: string) => `tenant~${tenantId}`;

export function principalOf(
  signedIn: { device: IngestDevice } | { application: MqttApplication } | { newcomer: MqttNewcomer },
): Principal {
  if ("device" in signedIn) return devicePrincipal(signedIn.device);
  if ("newcomer" in signedIn) return newcomerPrincipal(signedIn.newcomer);
  return applicationPrincipal(signedIn.application);
}

/** Each alone in a space of its own, whatever they call themselves. */
function newcomerPrincipal(newcomer: MqttNewcomer): Principal {
  const space = `new~${randomUUID()}`;
  return {
    space,
    device: undefined,
    application: undefined,
    newcomer,
    revoked: false,
    sessionKey: () => space,
    maySubscribe: (filter) => filter === PROVISION_RESPONSE || filter === "/provision/+",
  };
}

const devicePrincipal = (device: IngestDevice): Principal => ({
  space: device.deviceId,
  device,
  application: undefined,
  newcomer: undefined,
  get revoked() {
    return device.revoked;
  },
  // One that has only one session has it under any client id.
  sessionKey: (clientId) =>
    (device.sessionsMax ?? 1) > 1 ? `${device.deviceId}~${clientId}` : device.deviceId,
  maySubscribe: (filter) => deviceMaySubscribe(filter, device.role),
});

const applicationPrincipal = (application: MqttApplication): Principal => ({
  space: tenantSpace(application.tenantId),
  device: undefined,
  application,
  newcomer: undefined,
  get revoked() {
    return application.revoked;
  },
  sessionKey: (clientId) => `app~${application.applicationId}~${clientId}`,
  maySubscribe: (filter) => application.maySubscribe(filter),
});
