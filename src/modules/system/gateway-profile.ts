/** Alarm rules of the gateway's own device, editable like those of any profile. */
import type { AlarmSeverity } from "../../lib/alarms/severity.ts";

type Op = "GT" | "GE" | "LT" | "LE" | "EQ";

const slot = (name: string) => `\${${name}}`;
const create = (severity: AlarmSeverity, key: string, op: Op, value: number | boolean, message: string) => ({
  severity,
  condition: { key, op, value },
  message,
});
const clear = (key: string, op: Op, value: number | boolean) => ({ condition: { key, op, value } });

export type GatewayAlarmRule = (typeof gatewayAlarmRules)[number];

export const gatewayAlarmRules = [
  {
    alarmType: "Disk",
    createRules: [
      create("CRITICAL", "disk_used_percent", "GE", 90, `The disk is ${slot("disk_used_percent")} % full.`),
      create("MAJOR", "disk_used_percent", "GE", 80, `The disk is ${slot("disk_used_percent")} % full.`),
    ],
    clearRule: clear("disk_used_percent", "LT", 78),
    downgrade: true,
  },
  {
    alarmType: "Disk filling up",
    createRules: [
      create("MAJOR", "disk_days_left", "LT", 14, `The disk will be full in ${slot("disk_days_left")} days.`),
    ],
    clearRule: clear("disk_days_left", "GT", 21),
  },
  {
    alarmType: "Temperature",
    createRules: [create("MAJOR", "temperature", "GE", 80, `The gateway has ${slot("temperature")} °C.`)],
    clearRule: clear("temperature", "LT", 75),
  },
  {
    alarmType: "Clock",
    createRules: [
      create(
        "WARNING",
        "clock_step_seconds",
        "GT",
        60,
        `The clock was set by ${slot("clock_step_seconds")} s.`,
      ),
    ],
    clearRule: clear("clock_step_seconds", "LE", 60),
  },
  {
    alarmType: "Backup",
    createRules: [
      create("MAJOR", "backup_overdue", "EQ", true, "There is no good backup that is new enough."),
    ],
    clearRule: clear("backup_overdue", "EQ", false),
  },
  {
    alarmType: "Mail",
    createRules: [
      create("MINOR", "mails_failed", "GT", 0, `${slot("mails_failed")} mails could not be sent.`),
    ],
    clearRule: clear("mails_failed", "EQ", 0),
  },
  {
    alarmType: "Webhooks",
    createRules: [
      create("MINOR", "deliveries_failed", "GT", 0, `${slot("deliveries_failed")} webhooks were given up.`),
    ],
    clearRule: clear("deliveries_failed", "EQ", 0),
  },
  {
    alarmType: "Uplinks",
    createRules: [
      create(
        "MAJOR",
        "uplink_lag_seconds",
        "GT",
        900,
        `An uplink is ${slot("uplink_lag_seconds")} s behind.`,
      ),
    ],
    clearRule: clear("uplink_lag_seconds", "LT", 60),
  },
];
