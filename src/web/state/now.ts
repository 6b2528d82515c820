import { signal } from "@preact/signals";

/** The wall clock, ticking once a second, for "3 s ago" and moving time windows. */
export const now = signal(Date.now());

export function startClock(): void {
  setInterval(() => {
    if (document.visibilityState === "visible") now.value = Date.now();
  }, 1000);
}
