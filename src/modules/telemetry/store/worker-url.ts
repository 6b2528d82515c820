/**
 * Where the storage worker's code is. From source it lies beside this file; in a compiled binary it is an entrypoint
 * of its own, embedded under its path relative to the project root.
 */
export function storeWorkerUrl(): string | URL {
  const compiled = import.meta.url.includes("$bunfs") || import.meta.url.includes("~BUN");
  return compiled
    ? "./src/modules/telemetry/store/store.worker.ts"
    : new URL("./store.worker.ts", import.meta.url);
}
