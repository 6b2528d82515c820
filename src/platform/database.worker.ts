import { Database } from "bun:sqlite";
import { checkpointLog } from "./wal-checkpoint.ts";

declare const self: Worker;

/** Moves the write-ahead log of a database into it, away from the main thread; answers when done. */
self.onmessage = (event: MessageEvent<{ file: string }>) => {
  const sqlite = new Database(event.data.file, { strict: true });
  sqlite.run("PRAGMA busy_timeout=5000");
  sqlite.run("PRAGMA synchronous=NORMAL");
  checkpointLog(sqlite);
  sqlite.close();
  self.postMessage(null);
};
