import type { Core } from "../module.types.ts";
import { createSettingsRepository } from "./settings.repository.ts";

/** Creates the settings of the whole gateway. */
export function createSettingsModule({ database, health }: Core) {
  const settings = createSettingsRepository(database);
  health.add(() => settings.problem());
  return { settings };
}

export type SettingsModule = ReturnType<typeof createSettingsModule>;
