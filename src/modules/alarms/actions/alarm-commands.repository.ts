import { asc, eq } from "drizzle-orm";
import type { JsonValue } from "../../../lib/json/json.ts";
import type { MainDatabase } from "../../../platform/database/database.ts";
import { parsedTogether } from "../../../platform/database/parsed-together.ts";
import { parseStored } from "../../../platform/database/stored-json.ts";
import { alarmCommands } from "../alarms.tables.ts";
import type { AlarmCommand } from "../alarms.types.ts";

export function createAlarmCommandsRepository({ orm }: MainDatabase) {
  return {
    add: ({ params, ...command }: Omit<AlarmCommand, "sequence">): void =>
      void orm
        .insert(alarmCommands)
        .values({ ...command, params: JSON.stringify(params) })
        .run(),
    /** Lists the next commands, oldest first: `limit` at most, and fewer if they are large. */
    listNext(limit: number): AlarmCommand[] {
      const next = orm
        .select()
        .from(alarmCommands)
        .orderBy(asc(alarmCommands.sequence))
        .limit(limit)
        .all()
        .map((row) => ({ ...row, bytes: row.params.length }));
      return parsedTogether(next).map(({ params, bytes: _, ...row }) => ({
        ...row,
        params: parseStored(params, "alarm_commands", "params") as JsonValue, // as we wrote it
      }));
    },
    delete: (sequence: number): void =>
      void orm.delete(alarmCommands).where(eq(alarmCommands.sequence, sequence)).run(),
  };
}

export type AlarmCommandsRepository = ReturnType<typeof createAlarmCommandsRepository>;
