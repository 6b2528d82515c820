import { GATEWAY_DEVICE_TYPE } from "../../lib/gateway-device.ts";
import type { DeviceId, ProfileId, TenantId, UserId } from "../../lib/ids.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import type { Principal } from "../users/users.types.ts";
import { gatewayKeys } from "./gateway-keys.ts";
import type { GatewayAlarmRule } from "./gateway-profile.ts";

const NAME = "This gateway";
const RETENTION_DAYS = 400;

/** What is kept of a device that the gateway has created for itself. */
export interface OwnDevice {
  readonly deviceId: DeviceId;
  readonly profileId: ProfileId;
}

/** The principal that creates the gateway's own device. It is no user: audit and access know nothing under its id. */
const principalOf = (tenantId: TenantId): Principal => ({
  userId: "gateway" as UserId,
  email: "gateway",
  tenantId,
  role: "TENANT_RW",
  sessionId: "",
  canAcknowledgeAlarms: false,
  devices: "all",
});

/** Creates the gateway's own device in a tenant; `undefined` if the tenant has no room for it. */
export function createOwnDevice(
  tenantId: TenantId,
  alarmRules: readonly GatewayAlarmRule[],
  deps: {
    readonly devices: Pick<DevicesService, "create" | "findNamed" | "roomFor">;
    readonly profiles: Pick<ProfilesService, "create" | "list">;
  },
): OwnDevice | undefined {
  const { devices, profiles } = deps;
  if (devices.roomFor(tenantId) === 0) return undefined;
  const principal = principalOf(tenantId);
  const isDevice = (name: string) => devices.findNamed(tenantId, name).length > 0;
  // A site file may have brought the profile of another gateway, with the rules that people changed.
  const existing = profiles.list(principal).find(({ name }) => name === NAME);
  const { profileId } =
    existing ??
    profiles.create(principal, {
      name: NAME,
      description: "Readings and alarms of the gateway itself",
      alarmRules: [...alarmRules],
      keyMetadata: gatewayKeys,
      retentionDays: RETENTION_DAYS,
    });
  const { deviceId } = devices.create(principal, {
    name: freeName(isDevice),
    deviceType: GATEWAY_DEVICE_TYPE,
    profileId,
  });
  return { deviceId, profileId };
}

function freeName(isTaken: (name: string) => boolean): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? NAME : `${NAME} ${number}`;
    if (!isTaken(name)) return name;
  }
}
