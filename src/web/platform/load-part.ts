import { withBase } from "./base.ts";
import { readStored, writeStored } from "./preferences.ts";

const RELOADED_KEY = "lineside.reloaded";

const RETRY_MS = 2_000;

/** Resolves once the gateway responds at all. */
async function answered(): Promise<void> {
  for (;;) {
    try {
      await fetch(withBase("/healthz"), { cache: "no-store" });
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/**
 * Loads a part of the console on demand. After an upgrade of the gateway the part's old name no longer exists; one reload of the page then loads the
 * new console. While the gateway is unreachable it waits, because a reload would end at the browser's error page.
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    const part = await load();
    writeStored(RELOADED_KEY, undefined, () => sessionStorage);
    return part;
  } catch (error) {
    await answered();
    if (readStored(RELOADED_KEY, () => sessionStorage)) throw error;
    writeStored(RELOADED_KEY, "yes", () => sessionStorage);
    location.reload();
    return new Promise<T>(() => undefined);
  }
}
