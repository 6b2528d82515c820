import type { Clock } from "../platform/clock.ts";

/** Commits in progress when the server stops may take this long to be acknowledged. */
const stopGraceMs = 2_000;

/** Waits for `condition`, for as long as stopping may take. */
export async function waitUntil(condition: () => boolean, clock: Clock): Promise<void> {
  const deadline = clock.monotonic() + stopGraceMs;
  while (!condition() && clock.monotonic() < deadline) {
    await new Promise<void>((resolve) => void clock.schedule(5, resolve));
  }
}
