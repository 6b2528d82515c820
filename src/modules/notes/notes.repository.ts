import { desc, eq, sql } from "drizzle-orm";
import type { DeviceId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { type Note, noteResource } from "./notes.resource.ts";
import { deviceNotes } from "./notes.tables.ts";

export function createNotesRepository(database: MainDatabase, clock: Pick<Clock, "now">) {
  const ofDevice = lazyStatement(() =>
    database.orm
      .select()
      .from(deviceNotes)
      .where(eq(deviceNotes.deviceId, sql.placeholder("deviceId")))
      .orderBy(desc(deviceNotes.at), desc(deviceNotes.noteId)),
  );
  return {
    ...noteResource.createStore(database, clock),
    /** Lists notes, latest first. */
    listOfDevice: (deviceId: DeviceId): Note[] => ofDevice.all({ deviceId }),
  };
}

export type NotesRepository = ReturnType<typeof createNotesRepository>;
