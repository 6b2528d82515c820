/** Limits of the commands that a device profile describes. */
export const COMMANDS_MAX = 50;
export const COMMAND_PARAMS_MAX = 32;
/** Max. options of a choice, and max. characters of an option. */
export const PARAM_OPTIONS_MAX = { items: 50, length: 100 };
export const PARAM_NAME_MAX = 128;
