// The readings of the gateway's own device, in groups, with their units.
import { MIB } from "../../../lib/core/units.ts";
import type { TelemetryValue } from "../../lib/api-types.ts";
import { formatBytes, formatNumber, formatValue } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";

const KILOBYTE = 1024;

const bytes = (factor: number) => (value: number) => formatBytes(value * factor);
const unit = (text: string) => (value: number) => `${formatNumber(value, 4)} ${text}`;
const rate = unit("/s");

/** Formats of readings, by key. */
const formats = {
  disk_used_percent: unit("%"),
  disk_free_mb: bytes(MIB),
  disk_days_left: (value: number) => t("system.days", { count: formatNumber(value, 3) }),
  written_kb_per_second: (value: number) => `${formatBytes(value * KILOBYTE)}/s`,
  telemetry_db_mb: bytes(MIB),
  unread_responses_mb: bytes(MIB),
  lineside_db_mb: bytes(MIB),
  identity_db_mb: bytes(MIB),
  mqtt_db_mb: bytes(MIB),
  cpu_percent: unit("%"),
  memory_percent: unit("%"),
  process_memory_mb: bytes(MIB),
  temperature: unit("°C"),
  event_loop_p99_ms: unit("ms"),
  clock_step_seconds: unit("s"),
  messages_per_second: rate,
  values_per_second: rate,
  rejected_per_second: rate,
  refused_responses_per_minute: unit("/min"),
  refused_per_minute: unit("/min"),
  backup_age_hours: unit("h"),
} satisfies Record<string, (value: number) => string>;

type Formatted = keyof typeof formats;

export const READING_GROUPS = [
  {
    id: "disk",
    keys: [
      "disk_used_percent",
      "disk_free_mb",
      "disk_days_left",
      "telemetry_db_mb",
      "lineside_db_mb",
      "identity_db_mb",
      "mqtt_db_mb",
      "written_kb_per_second",
    ],
  },
  {
    id: "traffic",
    keys: [
      "messages_per_second",
      "values_per_second",
      "rejected_per_second",
      "refused_per_minute",
      "refused_responses_per_minute",
      "unread_responses_mb",
      "mqtt_connections",
    ],
  },
  {
    id: "machine",
    keys: [
      "cpu_percent",
      "memory_percent",
      "temperature",
      "process_memory_mb",
      "event_loop_p99_ms",
      "clock_step_seconds",
    ],
  },
  {
    id: "queues",
    keys: [
      "mails_waiting",
      "mails_failed",
      "deliveries_waiting",
      "deliveries_failed",
      "uplinks_failing",
      "uplink_lag_seconds",
      "uplink_values_waiting",
    ],
  },
  { id: "backup", keys: ["backup_age_hours", "backup_overdue", "storage_refuses"] },
] as const;

export type GroupId = (typeof READING_GROUPS)[number]["id"] | "other";

const groupedKeys: ReadonlySet<string> = new Set(READING_GROUPS.flatMap(({ keys }) => keys));

/** Groups the keys that the gateway has sent. Keys unknown to this console are in the last group. */
export function groupReadings(keys: readonly string[]): { id: GroupId; keys: string[] }[] {
  const groups: { id: GroupId; keys: string[] }[] = READING_GROUPS.map((group) => ({
    id: group.id,
    keys: group.keys.filter((key) => keys.includes(key)),
  }));
  groups.push({ id: "other", keys: keys.filter((key) => !groupedKeys.has(key)).sort() });
  return groups.filter((group) => group.keys.length > 0);
}

const isFormatted = (key: string): key is Formatted => Object.hasOwn(formats, key);

export function formatReading(key: string, value: TelemetryValue): string {
  if (typeof value === "boolean" && groupedKeys.has(key)) return t(value ? "system.yes" : "system.no");
  return typeof value === "number" && isFormatted(key) ? formats[key](value) : formatValue(value);
}
