import type { IngestDevice } from "../modules/ingest/ingest.types.ts";
import type { MqttApplication } from "./mqtt.types.ts";
import { deviceMaySubscribe } from "./topics.ts";

/** Who a client is signed in as: a device, or an application of a tenant. */
export interface Principal {
  /** First level of all its topics inside the broker: a device's own, or its tenant's. */
  readonly space: string;
  readonly device: IngestDevice | undefined;
  readonly application: MqttApplication | undefined;
  readonly revoked: boolean;
  /** The broker's name of a session: one a device, or one a client id where there may be several. */
  sessionKey(clientId: string): string;
  maySubscribe(filter: string): boolean;
}

export const tenantSpace = (tenantId: string) => `tenant~${tenantId}`;

export function principalOf(
  signedIn: { device: IngestDevice } | { application: MqttApplication },
): Principal {
  return "device" in signedIn ? devicePrincipal(signedIn.device) : applicationPrincipal(signedIn.application);
}

const devicePrincipal = (device: IngestDevice): Principal => ({
  space: device.deviceId,
  device,
  application: undefined,
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
  get revoked() {
    return application.revoked;
  },
  sessionKey: (clientId) => `app~${application.applicationId}~${clientId}`,
  maySubscribe: (filter) => application.maySubscribe(filter),
});
