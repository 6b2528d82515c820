import { defineResource } from "../api/resource.ts";
import { noteNotFound, notesLimit } from "./notes.errors.ts";
import { createNoteBody, noteBody, noteFilters, updateNoteBody } from "./notes.schemas.ts";
import { deviceNotes } from "./notes.tables.ts";

/** Max. notes per device, so that a chart can show all of them. */
export const DEVICE_NOTES_MAX = 1_000;
/** Max. notes of a list. */
const NOTES_MAX = 2_000;

export const noteResource = defineResource({
  name: "note",
  table: deviceNotes,
  key: "noteId",
  path: "/api/notes",
  tag: "devices",
  permissions: { read: "devices:read", write: "devices:write" },
  order: { by: "at" },
  list: { sort: ["at", "createdAt", "updatedAt"], search: ["text", "by"], filters: noteFilters },
  notFound: noteNotFound,
  limit: { max: NOTES_MAX, reached: notesLimit },
  schemas: { item: noteBody, create: createNoteBody, update: updateNoteBody },
  operations: {
    list: {
      summary: "List notes on devices",
      description:
        "Notes that people wrote about the devices that the caller may see, the latest `at` first.",
      errors: { 404: "The device is unknown." },
    },
    get: { summary: "Get a note" },
    create: {
      summary: "Write a note on a device",
      description:
        "The note belongs to a moment or a stretch of time, which may be in the future; charts show it there. It is deleted with the device.",
      errors: {
        400: "`until` is before `at`.",
        404: "The device is unknown.",
        409: `There are already ${DEVICE_NOTES_MAX} notes on the device or ${NOTES_MAX} in the tenant.`,
        413: "The notes of the tenant would take up more than 8 MiB.",
      },
      example: {
        deviceId: "01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c6d",
        text: "Bearing replaced",
        at: "2026-11-28T08:30:00Z",
        until: "2026-11-28T09:15:00Z",
      },
    },
    update: {
      summary: "Change a note",
      description: "Missing fields keep their values, and the author stays.",
      example: { text: "Bearing and seal replaced", until: null },
    },
    delete: { summary: "Delete a note" },
  },
});

export type Note = typeof noteResource.$item;
