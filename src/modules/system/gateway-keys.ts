import type { KeyMetadata } from "../../lib/key-metadata.ts";

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

/** Names, units and groups of the readings of the gateway's own device. People change them like those of any profile. */
export const gatewayKeys: readonly KeyMetadata[] = [
  ...inGroup("Machine", [
    { ...gauge("cpu_percent", "Processor load", "%", 1), limits: { high: 95 } },
    { ...gauge("memory_percent", "Memory used", "%", 1), limits: { high: 90 } },
    { ...gauge("temperature", "Temperature", "Cel", 1), limits: { high: 80 } },
    gauge("process_memory_mb", "Memory of Lineside", "MiB", 1),
    gauge("event_loop_p99_ms", "Event loop delay (p99)", "ms", 1),
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
    gauge("refused_answers_per_minute", "Refused responses", "/min", 1),
    gauge("unread_answers_mb", "Unread responses", "MiB", 1),
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
