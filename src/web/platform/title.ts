import { signal } from "@preact/signals";

/** What stands before the title of every screen: the number of alarms that nobody has acknowledged. */
export const titlePrefix = signal("");
