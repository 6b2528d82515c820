import { withoutNulls } from "../../lib/core/defined.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { type DeviceState, deviceStateOf } from "../../lib/devices/device-state.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { isAllowed } from "../identity/permissions.ts";
import type { Principal } from "../users/users.types.ts";
import { credentialsTypeOf } from "./credentials.types.ts";
import type { DeviceActivity, DeviceMaintenance, DeviceWithActivity } from "./devices.types.ts";

const seen = ({ devices }: Principal, deviceId: DeviceId | null): DeviceId | null =>
  deviceId !== null && (devices === "all" || devices.has(deviceId)) ? deviceId : null;

interface WireContext {
  /** Reader of the device. */
  readonly principal: Principal;
  /** Maintenance of the device or its gateway. */
  readonly maintenance: DeviceMaintenance | undefined;
}

export const stateOf = (
  { active, lastActivityAt, lastConnectedAt }: DeviceActivity,
  isInMaintenance: boolean,
): DeviceState =>
  deviceStateOf({
    isInMaintenance,
    active,
    hasConnected: lastActivityAt !== null || lastConnectedAt !== null,
  });

/** Converts a device for lists, omitting unset fields except `assetId`. A parent is named only if the caller can see it. */
export function toListItem(device: DeviceWithActivity, activity: DeviceActivity, context: WireContext) {
  const { principal, maintenance } = context;
  const { assetId, childName } = device;
  const parentDeviceId = seen(principal, device.parentDeviceId);
  return {
    deviceId: device.deviceId,
    name: device.name,
    deviceType: device.deviceType,
    assetId,
    label: device.label,
    active: activity.active,
    state: stateOf(activity, maintenance !== undefined),
    role: device.role,
    type: device.role,
    profileId: device.profileId,
    tags: [...device.tags],
    ...withoutNulls({ parentDeviceId, childName, lastActivityAt: iso(activity.lastActivityAt) }),
    ...maintenanceToWire(maintenance, device, principal),
  };
}

/** Converts a device's maintenance, if any, for the API. For a gateway that the caller cannot see, only the times are included. */
function maintenanceToWire(
  maintenance: DeviceMaintenance | undefined,
  device: Pick<DeviceWithActivity, "deviceId">,
  principal: Principal,
) {
  if (maintenance === undefined) return {};
  const isSeen = seen(principal, maintenance.deviceId) !== null;
  const { since, until } = maintenance;
  const { deviceId, reason, by } = isSeen ? maintenance : { deviceId: device.deviceId, reason: "", by: "" };
  const times = { since: iso(since), until: iso(until) };
  return { maintenance: { deviceId, reason, by, ...times } };
}

function credentialsOf(device: DeviceWithActivity) {
  const type = credentialsTypeOf(device);
  return type === "ACCESS_TOKEN" ? { type, token: device.token } : { type };
}

/** Converts a whole device; its token only for users who may connect devices. */
export function toDetail(device: DeviceWithActivity, activity: DeviceActivity, context: WireContext) {
  const { inactivityTimeoutMs, targetDashboardId, targetStateId, commandTransport, lorawanDevEui } = device;
  return {
    ...toListItem(device, activity, context),
    ...withoutNulls({
      inactivityTimeoutMs,
      targetDashboardId,
      targetStateId,
      commandTransport,
      lorawanDevEui,
      lastConnectedAt: iso(activity.lastConnectedAt),
      lastDisconnectedAt: iso(activity.lastDisconnectedAt),
    }),
    createdAt: iso(device.createdAt),
    updatedAt: iso(device.updatedAt),
    ...(isAllowed(context.principal, "devices:write") ? { credentials: credentialsOf(device) } : {}),
  };
}
