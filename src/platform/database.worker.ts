import { Database } from "bun:sqlite";

declare const self: Worker;

/** Moves the write-ahead log of a database into it, away from the main thread; answers when done. */
self.onmessage = (event: MessageEvent<{ file: string }>) => {
  const sqlite = new Database(event.data.file, { strict: true });
  sqlite.run("PRAGMA busy_timeout=5000");
  sqlite.run("PRAGMA synchronous=NORMAL");
  const result = sqlite.query("PRAGMA wal_checkpoint(PASSIVE)").get();
  sqlite.close();
  self.postMessage(result);
};
