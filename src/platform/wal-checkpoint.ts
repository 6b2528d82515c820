import type { Database } from "bun:sqlite";

interface Checkpointed {
  /** Pages in the log when the checkpoint began. */
  readonly log: number;
  /** Number of these pages that are in the database file. */
  readonly checkpointed: number;
}

const PASSES_MAX = 4;
/** Length, some 32 MB, from which on writers wait until the log of a database that is written to all the time is cut. */
const LOG_PAGES_MAX = 8_000;
/** Time that writers wait at most for readers of the log; after it the log stays until the next checkpoint. */
const RESTART_MS_MAX = 20;

/**
 * Moves the write-ahead log into the database. SQLite begins the log anew with the first commit after a checkpoint that has left nothing in
 * it; commits that come during each checkpoint would make it grow for ever. So further passes move what came during the one before, and if
 * there is no end to it and the log is long, the last one locks writers out. Changes the busy timeout of the connection.
 */
export function checkpointLog(sqlite: Database, logPagesMax = LOG_PAGES_MAX): void {
  const pass = (mode: "PASSIVE" | "RESTART") =>
    sqlite.query<Checkpointed, []>(`PRAGMA wal_checkpoint(${mode})`).get() ?? { log: 0, checkpointed: 0 };
  let pages = pass("PASSIVE").log;
  for (let passes = 1; passes < PASSES_MAX; passes++) {
    const { log, checkpointed } = pass("PASSIVE");
    const isHeldByReader = checkpointed < log;
    if (log <= pages || isHeldByReader) return;
    pages = log;
  }
  if (pages <= logPagesMax) return;
  sqlite.run(`PRAGMA busy_timeout=${RESTART_MS_MAX}`);
  pass("RESTART");
}
