import type { noteBody } from "../../../modules/notes/notes.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { getPage, patch, post, remove } from "../../platform/api-client.ts";

export type Note = Wire<typeof noteBody>;

const path = (noteId: string) => `/api/notes/${encodeURIComponent(noteId)}`;

export const notesApi = {
  /** Latest first. `from` and `to` in epoch ms. */
  list: (deviceId: string, query: { limit: number; from?: number; to?: number }) =>
    getPage<Note>("/api/notes", { deviceId, ...query }),
  create: (note: object) => post<Note>("/api/notes", note),
  update: (noteId: string, changes: object) => patch<Note>(path(noteId), changes),
  delete: (noteId: string) => remove(path(noteId)),
};
