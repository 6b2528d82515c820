export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Megabyte and mebibyte, in bytes. */
export const MB = 1_000_000;
export const MIB = 1024 * 1024;
