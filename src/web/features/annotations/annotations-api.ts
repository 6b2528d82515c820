import { type Period, raisedPeriods } from "../../lib/annotations.ts";
import { may } from "../../platform/session.ts";
import { type Alarm, alarmsApi } from "../alarms/alarms-api.ts";
import { commandsApi, type DeviceCommand } from "../commands/commands-api.ts";
import { type Note, notesApi } from "./notes-api.ts";

const ALARMS_MAX = 100;
const COMMANDS_MAX = 100;
/** Max. notes per request: the limit of the API. */
const NOTES_MAX = 1_000;
/** Max. repeatedly raised alarms whose events are loaded. */
const REPEATED_MAX = 20;

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Alarm with the periods in which it was raised. */
export interface RaisedAlarm {
  readonly alarm: Alarm;
  readonly periods: readonly Period[];
}

/** Alarms, commands and notes of a device in a time range. */
export interface DeviceHistory {
  readonly alarms: readonly RaisedAlarm[];
  readonly commands: readonly DeviceCommand[];
  readonly notes: readonly Note[];
  /** Total number of alarms, commands and notes; only the newest are included. */
  readonly total: number;
}

const onePeriod = ({ raisedAt, clearedAt }: Alarm): Period => ({
  from: Date.parse(raisedAt),
  to: clearedAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(clearedAt),
});

const NOTHING = { rows: [], total: 0 };

async function loadAlarms(deviceId: string, range: Range): Promise<{ rows: RaisedAlarm[]; total: number }> {
  const { rows, total } = await alarmsApi.list({ deviceId, ...range, limit: ALARMS_MAX });
  const repeated = new Set(rows.filter(({ raiseCount }) => raiseCount > 1).slice(0, REPEATED_MAX));
  const raised = await Promise.all(
    rows.map(async (alarm) => {
      if (!repeated.has(alarm)) return { alarm, periods: [onePeriod(alarm)] };
      const periods = raisedPeriods(await alarmsApi.events(alarm.alarmId));
      return { alarm, periods: periods.filter(({ from, to }) => from <= range.to && to >= range.from) };
    }),
  );
  return { rows: raised, total };
}

/** Loads the alarms, commands and notes of a device that the caller may read. */
export async function loadHistory(deviceId: string, range: Range): Promise<DeviceHistory> {
  const [alarms, commands, notes] = await Promise.all([
    may("alarms:read") ? loadAlarms(deviceId, range) : NOTHING,
    may("commands:read") ? commandsApi.list(deviceId, COMMANDS_MAX, range) : NOTHING,
    notesApi.list(deviceId, { limit: NOTES_MAX, ...range }),
  ]);
  const total = alarms.total + commands.total + notes.total;
  return { alarms: alarms.rows, commands: commands.rows, notes: notes.rows, total };
}
