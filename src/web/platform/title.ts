import { signal } from "@preact/signals";

/** Prefix of the title of every screen: the number of unacknowledged alarms. */
export const titlePrefix = signal("");
