import type { createSettingsRepository } from "./settings.repository.ts";

/** Settings of the whole gateway, for the modules that they belong to. */
export type SettingsService = ReturnType<typeof createSettingsRepository>;
