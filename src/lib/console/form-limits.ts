// Limits that forms of the console show and services check.

/** Max. days until every object at the backup place is read back. */
export const VERIFY_DAYS_DEFAULT = 14;
export const VERIFY_DAYS_MAX = 365;
/** Limits of the commands that a device profile describes. */
export const COMMANDS_MAX = 50;
export const COMMAND_PARAMS_MAX = 32;
/** Max. options of a choice, and max. characters of an option. */
export const PARAM_OPTIONS_MAX = { items: 50, length: 100 };
export const PARAM_NAME_MAX = 128;
/** Max. tags of a device or dashboard, and max. characters of a tag. */
export const TAGS_MAX = { items: 64, length: 64 } as const;
/** Max. interval of a job in ms, and max. characters of a cron expression. */
export const JOB_INTERVAL_MS_MAX = 366 * 86_400_000;
export const CRON_CHARACTERS_MAX = 200;
/** Max. characters of the name that replaces the product's. */
export const BRANDING_NAME_CHARACTERS_MAX = 40;
/** Max. characters of the texts of a dashboard widget. */
export const WIDGET_CHARACTERS_MAX = {
  text: 256,
  interval: 168,
  currency: 8,
  symbol: 64,
  note: 20_000,
} as const;
/** Max. characters of a text that a person enters as a parameter of a command. */
export const COMMAND_TEXT_CHARACTERS_MAX = 1_000;
