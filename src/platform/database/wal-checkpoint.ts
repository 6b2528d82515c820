import type { Database } from "bun:sqlite";

interface Checkpointed {
  /** Pages in the log at the start of the checkpoint. */
  readonly log: number;
  /** Number of these pages that are in the database file. */
  readonly checkpointed: number;
}

const PASSES_MAX = 4;
/** Length (about 32 MB) from which writers wait until the log is truncated, for a database with continuous writes. */
const LOG_PAGES_MAX = 8_000;
/** Max. time that writers wait for readers of the log. Afterwards, the log remains until the next checkpoint. */
const RESTART_MS_MAX = 20;

/**
 * Moves the write-ahead log into the database. SQLite restarts the log with the first commit after a complete checkpoint, so commits during every
 * checkpoint would let it grow without end. Therefore, further passes move the commits of the previous pass; if they do not end and the log is long,
 * the last pass locks out writers. Changes the busy timeout of the connection. Returns whether a pass moved the whole log, so that all earlier
 * commits are in the file and on disk.
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
