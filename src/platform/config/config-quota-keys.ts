const count = (min: number, max: number) => ({ type: "integer", min, max }) as const;

/** Keys that limit the use by one device, credential or tenant. The plan of a tenant may set other limits. */
export const quotaConfigKeys = {
  device_keys_max: {
    kind: count(0, 1_000_000),
    default: 2_000,
    description:
      "Maximum number of telemetry keys per device, unless the tenant's plan sets `keysPerDevice`. 0 means no limit. Values of additional keys are not stored, and the response names the keys.",
  },
  tenant_keys_max: {
    kind: count(0, 100_000_000),
    default: 500_000,
    description:
      "Maximum number of telemetry keys of all devices of a tenant, unless its plan sets `keys`. 0 means no limit. A key takes about 800 bytes of memory.",
  },
  device_bytes_per_second: {
    kind: count(0, 1_000_000_000),
    default: 0,
    description:
      "Bytes of messages per second that a device may send. A burst may have ten seconds' worth. 0 means no limit.",
  },
  tenant_bytes_per_second: {
    kind: count(0, 1_000_000_000),
    default: 0,
    description:
      "Bytes of messages per second that all devices of a tenant may send together, unless its plan sets `bytesPerSecond`. 0 means no limit.",
  },
  tenant_stored_mb_max: {
    kind: count(0, 100_000_000),
    default: 0,
    description:
      "Maximum telemetry storage per tenant, in MB, unless its plan sets `storedBytes`. 0 means no limit. Set it if tenants do not trust each other: a disk that one tenant fills is full for all tenants.",
  },
  mqtt_client_messages_per_second: {
    kind: count(0, 1_000_000),
    default: 500,
    description:
      "Messages per second that an MQTT client without its own limit may publish. A burst may contain ten seconds' worth; beyond that, acknowledgements are delayed. 0 means no limit.",
  },
  mqtt_connections_per_key_max: {
    kind: count(1, 100_000),
    default: 100,
    description: "Maximum number of simultaneous MQTT connections of an API key or MQTT client.",
  },
  mqtt_sessions_per_key_max: {
    kind: count(0, 100_000),
    default: 100,
    description:
      "Maximum number of MQTT sessions of an API key or MQTT client that outlive their connections.",
  },
  tenant_mqtt_connections_max: {
    kind: count(0, 1_000_000),
    default: 0,
    description:
      "Maximum number of simultaneous MQTT connections of a tenant's devices, API keys and MQTT clients, unless its plan sets `mqttConnections`. 0 leaves only the limit `mqtt_connections_max`.",
  },
  tenant_mqtt_sessions_max: {
    kind: count(0, 100_000),
    default: 500,
    description:
      "Maximum number of MQTT sessions of all API keys and MQTT clients of a tenant that outlive their connections, unless its plan sets `mqttSessions`. 0 means no limit. A device's profile sets the number of its sessions.",
  },
  mqtt_queued_mb_per_credential_max: {
    kind: count(1, 100_000),
    default: 16,
    description:
      "Maximum size of the messages waiting for the connections of a device, API key or MQTT client, in MB; the oldest are dropped.",
  },
  tenant_mqtt_queued_mb_max: {
    kind: count(0, 100_000),
    default: 64,
    description:
      "Maximum size of the messages waiting for MQTT clients of a tenant, in MB, unless its plan sets `queuedBytes`. 0 leaves only the limit `mqtt_queued_mb_max`. The oldest are dropped.",
  },
  mqtt_queued_mb_max: {
    kind: count(1, 1_000_000),
    default: 256,
    description:
      "Maximum size of the messages waiting for all MQTT clients, in MB. Beyond it, the tenant with the most queued bytes loses its oldest messages.",
  },
  tenant_alarm_mails_per_hour: {
    kind: count(0, 1_000_000),
    default: 500,
    description:
      "Alarm mails per hour of each tenant, which may come in a single burst. Beyond the limit, alarms are collected in digests, which are sent when there is room. 0 means no limit.",
  },
  audit_entries_max: {
    kind: count(1_000, 10_000_000),
    default: 200_000,
    description:
      "Maximum number of audit log entries per tenant, unless its plan sets `auditEntries`. A new entry in a full log replaces the oldest entry of the user with the most entries.",
  },
} as const;
