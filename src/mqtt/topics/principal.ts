import { randomUUID } from "node:crypto";
import type { TenantId } from "../../lib/core/ids.ts";
import type { IngestDevice } from "../../modules/ingest/ingest.types.ts";
import type { MqttApplication, MqttProvisioningSession } from "../mqtt.types.ts";
import type { SessionOwner } from "../session/session.ts";
import { deviceMaySubscribe, PROVISION_RESPONSE } from "./topics.ts";

/** Identity of a client: a device, an application of a tenant, or a device in provisioning. */
export interface Principal {
  /** First level of all its internal topics: of the device itself, or of its tenant. */
  readonly space: string;
  readonly owner: SessionOwner;
  readonly device: IngestDevice | undefined;
  readonly application: MqttApplication | undefined;
  readonly provisioningSession: MqttProvisioningSession | undefined;
  readonly revoked: boolean;
  /** True if the session always ends with its connection. */
  readonly isEphemeral: boolean;
  /** Returns the internal name of a session: one per device, or one per client id if there may be several. */
  sessionKey(clientId: string): string;
  maySubscribe(filter: string): boolean;
}

export const tenantSpace = (tenantId: string) => `tenant~${tenantId}`;

/** Returns the tenant of a space; undefined for a space that is not shared. */
export const tenantOfSpace = (space: string): TenantId | undefined =>
  space.startsWith("tenant~") && space.split("~").length === 2 ? (space.slice(7) as TenantId) : undefined; // made above

/** Returns whether a space belongs to applications. */
export const isApplicationSpace = (space: string): boolean => space.startsWith("tenant~");

/** Returns the space of an application. Keys with access to all devices share that of their tenant; other keys have their own. */
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

/** Creates the principal of a device in provisioning, which has a space of its own, regardless of its client id. */
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

/** Identity of a device. There are many, so each has only one field. */
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

  /** Returns the session key. A device with a single session has it under any client id. */
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
  // Messages kept for it could include some that it may no longer see.
  isEphemeral: application.caller !== undefined && application.caller.devices !== "all",
  get revoked() {
    return application.revoked;
  },
  sessionKey: (clientId) => `app~${application.applicationId}~${clientId}`,
  maySubscribe: (filter) => application.maySubscribe(filter),
});
