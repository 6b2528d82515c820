import { asc, eq } from "drizzle-orm";
import type { DeviceId } from "../../lib/ids.ts";
import type { JsonValue } from "../../lib/json.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { alarmCommands } from "./alarms.tables.ts";
import type { AlarmCommand } from "./alarms.types.ts";

export interface AlarmCommandsRepository {
  add(command: Omit<AlarmCommand, "sequence">): void;
  /** The oldest first. */
  listNext(limit: number): AlarmCommand[];
  delete(sequence: number): void;
}

export function createAlarmCommandsRepository({ orm }: MainDatabase): AlarmCommandsRepository {
  return {
    add: ({ params, ...command }) =>
      void orm
        .insert(alarmCommands)
        .values({ ...command, params: JSON.stringify(params) })
        .run(),
    listNext: (limit) =>
      orm
        .select()
        .from(alarmCommands)
        .orderBy(asc(alarmCommands.sequence))
        .limit(limit)
        .all()
        .map(({ params, ...row }) => ({
          ...row,
          deviceId: row.deviceId as DeviceId, // looked up before it is used
          params: JSON.parse(params) as JsonValue, // as we wrote it
        })),
    delete: (sequence) => void orm.delete(alarmCommands).where(eq(alarmCommands.sequence, sequence)).run(),
  };
}
