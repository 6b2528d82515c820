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
 * there is no end to it and the log is long, the last one locks writers out. Changes the busy timeout of the connection. Returns whether a pass moved the
 * whole log, so that all commits from before it are in the file and on the disk.
 */
export function checkpointLog(sqlite: Database, logPagesMax = LOG_PAGES_MAX): boolean {
  const pass = (mode: "PASSIVE" | "RESTART") =>
    sqlite.query<Checkpointed, []>(`PRAGMA wal_checkpoint(${mode})`).get() ?? { log: 0, checkpointed: 0 };
  let isWhole = false;
  const passed = (mode: "PASSIVE" | "RESTART") => {
    const { log, checkpointed } = pass(mode);
    isWhole ||= log > 0 && checkpointed === log;
    return { log, isHeldByReader: checkpointed < log };
  };
  let pages = passed("PASSIVE").log;
  for (let passes = 1; passes < PASSES_MAX; passes++) {
    const { log, isHeldByReader } = passed("PASSIVE");
    if (log <= pages || isHeldByReader) return isWhole;
    pages = log;
  }
  if (pages <= logPagesMax) return isWhole;
  sqlite.run(`PRAGMA busy_timeout=${RESTART_MS_MAX}`);
  passed("RESTART");
  return isWhole;
}
