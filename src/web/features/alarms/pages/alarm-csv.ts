import { toCsv } from "../../../lib/csv.ts";
import { saveFile } from "../../../ui/save-file.ts";
import { type Alarm, type AlarmFilter, alarmsApi } from "../alarms-api.ts";

/** Alarms per request. */
const AT_ONCE = 10_000;

const COLUMNS = [
  ...(["raisedAt", "severity", "status", "name", "deviceName", "message", "raiseCount"] as const),
  ...(["createdAt", "acknowledgedAt", "acknowledgedBy", "clearedAt", "clearedBy"] as const),
  ...(["deviceType", "escalationLevel", "deviceId", "alarmId"] as const),
] satisfies ReadonlyArray<keyof Alarm>;

/** Saves all matching alarms as a CSV file, oldest first, so that alarms raised meanwhile are at the end. */
export async function downloadAlarms(query: Omit<AlarmFilter, "limit">): Promise<void> {
  const found = new Map<string, Alarm>();
  for (let offset = 0; ; offset += AT_ONCE) {
    const page = await alarmsApi.list({ ...query, sort: "createdAt", limit: AT_ONCE, offset });
    for (const alarm of page.rows) found.set(alarm.alarmId, alarm);
    if (page.rows.length < AT_ONCE) break;
  }
  const rows = [...found.values()].map((alarm) => COLUMNS.map((column) => alarm[column]));
  saveFile(new Blob([toCsv([COLUMNS, ...rows])], { type: "text/csv;charset=utf-8" }), "alarms.csv");
}
