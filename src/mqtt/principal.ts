import { randomUUID } from "node:crypto";
import type { TenantId } from "../lib/core/ids.ts";
import type { IngestDevice } from "../modules/ingest/ingest.types.ts";
import type { MqttApplication, MqttProvisioningSession } from "./mqtt.types.ts";
import type { SessionOwner } from "./session.ts";
import { deviceMaySubscribe, PROVISION_RESPONSE } from "./topics.ts";

/** Identity of a client: a device, an application of a tenant, or a device that is being provisioned. */
export interface Principal {
  /** First level of all its topics inside the broker: a device's own, or its tenant's. */
  readonly space: string;
  readonly owner: SessionOwner;
  readonly device: IngestDevice | undefined;
  readonly application: MqttApplication | undefined;
  readonly provisioningSession: MqttProvisioningSession | undefined;
  readonly revoked: boolean;
  /** The session ends with its connection, whatever it asks for. */
  readonly isEphemeral: boolean;
  /** The broker's name of a session: one a device, or one a client id where there may be several. */
  sessionKey(clientId: string): string;
  maySubscribe(filter: string): boolean;
}

export const tenantSpace = (tenantId: string) => `tenant~${tenantId}`;

/** The tenant whose space it is; undefined for one that is not shared. */
export const tenantOfSpace = (space: string): TenantId | undefined =>
  space.startsWith("tenant~") && space.split("~").length === 2 ? (space.slice(7) as TenantId) : undefined; // made above

/** Returns whether it is one of applications. */
export const isApplicationSpace = (space: string): boolean => space.startsWith("tenant~");

/** Keys with access to all devices share their tenant's; what another hears is of its own. */
export const applicationSpace = ({ tenantId, applicationId, caller }: MqttApplication) =>
  caller === undefined || caller.devices === "all"
    ? tenantSpace(tenantId)
    : `${tenantSpace(tenantId)}~${applicationId}`;

export function principalOf(
  signedIn:
    | { device: IngestDevice }
    | { application: MqttApplication }
    | { provisioningSession: MqttProvisioningSession },
): Principal {
  if ("device" in signedIn) return new DevicePrincipal(signedIn.device);
  if ("provisioningSession" in signedIn) return provisioningPrincipal(signedIn.provisioningSession);
  return applicationPrincipal(signedIn.application);
}

/** Each alone in a space of its own, whatever they call themselves. */
function provisioningPrincipal(provisioningSession: MqttProvisioningSession): Principal {
  const space = `new~${randomUUID()}`;
  return {
    space,
    owner: { tenantId: "", credentialId: space },
    device: undefined,
    application: undefined,
    provisioningSession,
    revoked: false,
    isEphemeral: true,
    sessionKey: () => space,
    maySubscribe: (filter) => filter === PROVISION_RESPONSE || filter === "/provision/+",
  };
}

/** A device. There are many of them, so each has no more than one field. */
class DevicePrincipal implements Principal {
  readonly device: IngestDevice;

  constructor(device: IngestDevice) {
    this.device = device;
  }

  get space(): string {
    return this.device.deviceId;
  }

  get owner(): SessionOwner {
    const { tenantId, deviceId } = this.device;
    return { tenantId, credentialId: deviceId };
  }

  get application(): undefined {
    return undefined;
  }

  get provisioningSession(): undefined {
    return undefined;
  }

  get isEphemeral(): boolean {
    return false;
  }

  get revoked(): boolean {
    return this.device.revoked;
  }

  /** A device that has only one session has it under any client id. */
  sessionKey(clientId: string): string {
    const { deviceId, sessionsMax } = this.device;
    return (sessionsMax ?? 1) > 1 ? `${deviceId}~${clientId}` : deviceId;
  }

  maySubscribe(filter: string): boolean {
    return deviceMaySubscribe(filter, this.device.role);
  }
}

const applicationPrincipal = (application: MqttApplication): Principal => ({
  space: applicationSpace(application),
  owner: { tenantId: application.tenantId, credentialId: application.applicationId },
  device: undefined,
  application,
  provisioningSession: undefined,
  // What would be kept for it could not be told from what it may no longer see.
  isEphemeral: application.caller !== undefined && application.caller.devices !== "all",
  get revoked() {
    return application.revoked;
  },
  sessionKey: (clientId) => `app~${application.applicationId}~${clientId}`,
  maySubscribe: (filter) => application.maySubscribe(filter),
});
