import type { Core } from "../module.types.ts";
import { createSettingsRepository } from "./settings.repository.ts";

/** Creates the settings of the whole gateway. */
export const createSettingsModule = ({ database }: Core) => ({
  settings: createSettingsRepository(database),
});

export type SettingsModule = ReturnType<typeof createSettingsModule>;
