import { desc, eq, sql } from "drizzle-orm";
import type { DeviceId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { type Note, noteResource } from "./notes.resource.ts";
import { deviceNotes } from "./notes.tables.ts";

export function createNotesRepository(database: MainDatabase, clock: Pick<Clock, "now">) {
  const ofDevice = database.orm
    .select()
    .from(deviceNotes)
    .where(eq(deviceNotes.deviceId, sql.placeholder("deviceId")))
    .orderBy(desc(deviceNotes.at), desc(deviceNotes.noteId))
    .prepare();
  return {
    ...noteResource.createStore(database, clock),
    /** The latest first. */
    listOfDevice: (deviceId: DeviceId): Note[] => ofDevice.all({ deviceId }),
  };
}

export type NotesRepository = ReturnType<typeof createNotesRepository>;
