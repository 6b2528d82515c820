import { signal } from "@preact/signals";

/** Prefix of the title of every screen: the number of alarms that nobody has acknowledged. */
export const titlePrefix = signal("");
