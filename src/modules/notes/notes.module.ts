import type { DevicesModule } from "../devices/devices.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import { createNotesRepository } from "./notes.repository.ts";
import { notesRoutes } from "./notes.routes.ts";
import { createNotesService } from "./notes.service.ts";

/** Creates the notes of users on devices. */
export function createNotesModule(
  { database, clock, events }: Core,
  modules: { readonly devices: DevicesModule },
) {
  const notes = createNotesService({
    repository: createNotesRepository(database, clock),
    devices: modules.devices.devices,
    transact: database.transact,
    changed: ({ tenantId, deviceId }) => events.emit("note.changed", { tenantId, deviceId }),
  });
  return { routes: (auth: AuthPlugin) => [notesRoutes({ notes, auth })] };
}
