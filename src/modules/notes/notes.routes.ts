import { omit } from "../../lib/core/omit.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { resourceRoutes } from "../api/resource.routes.ts";
import { itemToWire } from "../api/resource.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { type Note, noteResource } from "./notes.resource.ts";
import type { NotesService } from "./notes.service.ts";

const toWire = ({ at, until, ...note }: Note) => ({ ...itemToWire(note), at: iso(at), until: iso(until) });

export const notesRoutes = ({ notes, auth }: { notes: NotesService; auth: AuthPlugin }) =>
  resourceRoutes(noteResource, {
    service: notes,
    toWire,
    read: ({ principal }, id) => omit(toWire(notes.get(principal, id)), "updatedAt"),
    auth,
  });
