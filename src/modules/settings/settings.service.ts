import type { createSettingsRepository } from "./settings.repository.ts";

/** Settings of the whole gateway, used by their modules. */
export type SettingsService = ReturnType<typeof createSettingsRepository>;
