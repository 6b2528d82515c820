import { parseIsoTime } from "../../lib/time/iso-time.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import { callerName, type Principal } from "../users/users.types.ts";
import { deviceNotesLimit, noteEndsEarly, noteNotFound, noteTimeInvalid } from "./notes.errors.ts";
import type { NotesRepository } from "./notes.repository.ts";
import { DEVICE_NOTES_MAX, type Note, type noteResource } from "./notes.resource.ts";

interface NoteFilter {
  readonly deviceId?: string;
  /** Epoch ms. */
  readonly from?: number;
  readonly to?: number;
}

function readTime(field: "at" | "until", text: string): number {
  const timeMs = parseIsoTime(text);
  if (timeMs === undefined) throw noteTimeInvalid(field);
  return timeMs;
}

/** Returns the times of a note; missing ones keep their value. */
function timesOf(
  input: Pick<typeof noteResource.$update, "at" | "until">,
  before: Pick<Note, "at" | "until">,
): Pick<Note, "at" | "until"> {
  const begin = input.at === undefined ? before.at : readTime("at", input.at);
  const until = typeof input.until === "string" ? readTime("until", input.until) : input.until;
  const times = { at: begin, until: until === undefined ? before.until : until };
  if (times.until !== null && times.until < begin) throw noteEndsEarly();
  return times;
}

/** Creates the service for notes of users on devices. Notes on devices that the caller may not see yield `not_found`. */
export function createNotesService(deps: {
  repository: NotesRepository;
  devices: Pick<DevicesService, "get">;
  transact: MainDatabase["transact"];
  /** Called after a note was written, changed or deleted. */
  changed: (note: Note) => void;
}) {
  const { repository, devices } = deps;

  const isVisible = ({ devices: seen }: Principal, { deviceId }: Note) =>
    seen === "all" || seen.has(deviceId);

  function get(principal: Principal, noteId: string): Note {
    const note = repository.get(principal.tenantId, noteId);
    if (!isVisible(principal, note)) throw noteNotFound();
    return note;
  }

  return {
    get,
    /** Lists notes, latest `at` first. */
    list(principal: Principal, filter: unknown): Note[] {
      const {
        deviceId,
        from = Number.NEGATIVE_INFINITY,
        to = Number.POSITIVE_INFINITY,
      } = filter as NoteFilter; // the query's schema has checked it
      const notes =
        deviceId === undefined
          ? repository.list(principal.tenantId).toReversed()
          : repository.listOfDevice(devices.get(principal, deviceId).deviceId);
      return notes.filter(
        (note) => isVisible(principal, note) && note.at <= to && (note.until ?? note.at) >= from,
      );
    },
    create(principal: Principal, input: typeof noteResource.$create): Note {
      const { deviceId } = devices.get(principal, input.deviceId);
      const times = timesOf(input, { at: 0, until: null });
      const created = deps.transact(() => {
        if (repository.listOfDevice(deviceId).length >= DEVICE_NOTES_MAX)
          throw deviceNotesLimit(DEVICE_NOTES_MAX);
        const text = input.text.trim();
        return repository.insert(principal.tenantId, { deviceId, text, ...times, by: callerName(principal) });
      });
      deps.changed(created);
      return created;
    },
    update(principal: Principal, noteId: string, input: typeof noteResource.$update): Note {
      const updated = deps.transact(() => {
        const note = get(principal, noteId);
        return repository.update(note, { text: input.text?.trim(), ...timesOf(input, note) });
      });
      deps.changed(updated);
      return updated;
    },
    delete(principal: Principal, noteId: string): void {
      const note = get(principal, noteId);
      repository.delete(note);
      deps.changed(note);
    },
  };
}

export type NotesService = ReturnType<typeof createNotesService>;
