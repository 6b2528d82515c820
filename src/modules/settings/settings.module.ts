import type { Core } from "../module.types.ts";
import { createSettingsRepository } from "./settings.repository.ts";

/** Creates the module of settings that belong to the whole gateway. */
export const createSettingsModule = ({ database }: Core) => ({
  settings: createSettingsRepository(database),
});

export type SettingsModule = ReturnType<typeof createSettingsModule>;
