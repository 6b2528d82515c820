import type { DeviceId, ProfileId, TenantId, UserId } from "../../lib/core/ids.ts";
import { GATEWAY_DEVICE_TYPE, GATEWAY_PROFILE_NAME } from "../../lib/devices/gateway-device.ts";
import type { KeyMetadata } from "../../lib/keys/key-metadata.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import type { Principal } from "../users/users.types.ts";
import type { GatewayAlarmRule } from "./gateway-profile.ts";

const gauge = (key: string, name: string, unit?: string, decimals = 0): KeyMetadata => ({
  key,
  name,
  ...(unit !== undefined && { unit }),
  decimals,
  kind: "gauge",
});

const problem = (key: string, name: string): KeyMetadata => ({
  key,
  name,
  kind: "state",
  states: [
    { value: false, name: "No", color: "green" },
    { value: true, name: "Yes", color: "red" },
  ],
});

const inGroup = (group: string, keys: readonly KeyMetadata[]): KeyMetadata[] =>
  keys.map((key) => ({ ...key, group }));

/** Names, units and groups of the readings of the gateway's own device, editable like those of any profile. */
const gatewayKeys: readonly KeyMetadata[] = [
  ...inGroup("Machine", [
    { ...gauge("cpu_percent", "Processor load", "%", 1), limits: { high: 95 } },
    { ...gauge("memory_percent", "Memory used", "%", 1), limits: { high: 90 } },
    { ...gauge("temperature", "Temperature", "Cel", 1), limits: { high: 80 } },
    gauge("process_memory_mb", "Memory of Lineside", "MiB", 1),
    gauge("event_loop_p99_ms", "Event-loop delay (99 % are shorter)", "ms", 1),
    gauge("clock_step_seconds", "Clock was set by", "s", 1),
  ]),
  ...inGroup("Disk", [
    { ...gauge("disk_used_percent", "Disk used", "%"), limits: { high: 80, highHigh: 90 } },
    { ...gauge("disk_days_left", "Days until the disk is full", "d"), limits: { low: 14 } },
    gauge("disk_free_mb", "Disk free", "MiB"),
    gauge("telemetry_db_mb", "Telemetry database", "MiB", 1),
    gauge("lineside_db_mb", "Main database", "MiB", 1),
    gauge("identity_db_mb", "Users database", "MiB", 1),
    gauge("mqtt_db_mb", "MQTT database", "MiB", 1),
    gauge("written_kb_per_second", "Written to disk", "KiB/s", 1),
  ]),
  ...inGroup("Traffic", [
    gauge("messages_per_second", "Messages received", "/s", 1),
    gauge("values_per_second", "Values stored", "/s", 1),
    gauge("rejected_per_second", "Messages rejected", "/s", 1),
    gauge("refused_per_minute", "Credentials refused", "/min", 1),
    gauge("refused_responses_per_minute", "Refused responses", "/min", 1),
    gauge("unread_responses_mb", "Unread responses", "MiB", 1),
    gauge("mqtt_connections", "MQTT connections"),
  ]),
  ...inGroup("Queues", [
    gauge("mails_waiting", "Mails waiting"),
    gauge("mails_failed", "Mails failed"),
    gauge("deliveries_waiting", "Webhooks waiting"),
    gauge("deliveries_failed", "Webhooks failed"),
    gauge("uplinks_failing", "Uplinks that cannot send"),
    gauge("uplink_lag_seconds", "Uplink behind", "s"),
    gauge("uplink_values_waiting", "Values waiting for uplinks"),
  ]),
  ...inGroup("Backup and storage", [
    gauge("backup_age_hours", "Age of the newest good backup", "h", 1),
    problem("backup_overdue", "Backup overdue"),
    problem("storage_refuses", "Storage refuses data"),
  ]),
];

const RETENTION_DAYS = 400;

/** Stored data of a device that the gateway created for itself. */
export interface OwnDevice {
  readonly deviceId: DeviceId;
  readonly profileId: ProfileId;
}

/** Returns the principal that creates the gateway's own device. It is not a user: audit log and access control do not know its id. */
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
    readonly profiles: Pick<ProfilesService, "create" | "findNamed">;
  },
): OwnDevice | undefined {
  const { devices, profiles } = deps;
  if (devices.roomFor(tenantId) === 0) return undefined;
  const principal = principalOf(tenantId);
  const isDevice = (name: string) => devices.findNamed(tenantId, name).length > 0;
  // A site file may have brought the profile of another gateway, with the rules that people changed.
  const existing = profiles.findNamed(tenantId, GATEWAY_PROFILE_NAME);
  const { profileId } =
    existing ??
    profiles.create(principal, {
      name: GATEWAY_PROFILE_NAME,
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
    const name = number === 1 ? GATEWAY_PROFILE_NAME : `${GATEWAY_PROFILE_NAME} ${number}`;
    if (!isTaken(name)) return name;
  }
}
