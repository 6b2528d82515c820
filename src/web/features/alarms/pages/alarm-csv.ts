import { toCsv } from "../../../lib/csv.ts";
import { saveFile } from "../../../ui/save-file.ts";
import { type Alarm, type AlarmFilter, alarmsApi } from "../alarms-api.ts";

/** Alarms per request. */
const ALARMS_PER_REQUEST = 10_000;

const COLUMNS = [
  ...(["raisedAt", "severity", "status", "name", "deviceName", "message", "raiseCount"] as const),
  ...(["createdAt", "acknowledgedAt", "acknowledgedBy", "clearedAt", "clearedBy"] as const),
  ...(["deviceType", "escalationLevel", "deviceId", "alarmId"] as const),
] satisfies ReadonlyArray<keyof Alarm>;

/** Saves all matching alarms as a CSV file, oldest first, so that alarms raised meanwhile are at the end. */
export async function downloadAlarms(query: Omit<AlarmFilter, "limit">): Promise<void> {
  const found = new Map<string, Alarm>();
  for (let offset = 0; ; offset += ALARMS_PER_REQUEST) {
    const page = await alarmsApi.list({ ...query, sort: "createdAt", limit: ALARMS_PER_REQUEST, offset });
    for (const alarm of page.rows) found.set(alarm.alarmId, alarm);
    if (page.rows.length < ALARMS_PER_REQUEST) break;
  }
  const rows = [...found.values()].map((alarm) => COLUMNS.map((column) => alarm[column]));
  saveFile(new Blob([toCsv([COLUMNS, ...rows])], { type: "text/csv;charset=utf-8" }), "alarms.csv");
}
