import { readStored, writeStored } from "./preferences.ts";

const RELOADED_KEY = "lineside.reloaded";

/**
 * Loads a part of the console on demand. After an upgrade of the gateway the part's old name is gone; one reload of the page then
 * brings the new console.
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    const part = await load();
    writeStored(RELOADED_KEY, undefined, () => sessionStorage);
    return part;
  } catch (error) {
    if (readStored(RELOADED_KEY, () => sessionStorage)) throw error;
    writeStored(RELOADED_KEY, "yes", () => sessionStorage);
    location.reload();
    return new Promise<T>(() => undefined);
  }
}
