import { endOnRequest } from "../load/end-thread.ts";
import { openDatabaseFile } from "./database-file.ts";
import { readStamp } from "./database-stamp.ts";
import { checkpointLog } from "./wal-checkpoint.ts";

declare const self: Worker;

endOnRequest();

/** Moves the write-ahead log of a database into the file, outside the main thread. Responds with a generation that the file then contains. */
self.onmessage = (event: MessageEvent<{ file: string }>) => {
  const sqlite = openDatabaseFile(event.data.file, "write");
  sqlite.run("PRAGMA busy_timeout=5000");
  sqlite.run("PRAGMA synchronous=NORMAL");
  const generation = readStamp(sqlite)?.generation ?? 0;
  const isWhole = checkpointLog(sqlite);
  sqlite.close();
  self.postMessage(isWhole ? generation : 0);
};
