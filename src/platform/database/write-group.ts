import { type Database, SQLiteError } from "bun:sqlite";
import type { Logger } from "../core/log.ts";

/** One of the writes that are committed together. */
export interface GroupedWrite {
  /** True if no caller waits for the write. Its failure does not affect `pending`. */
  readonly isOptional?: true;
  /** Runs in the transaction of the group, with at most one statement that changes rows. An error refuses the write. */
  write(): void;
  /** Called once the write is committed. It may add writes to the next group. */
  committed(): void;
  /** Called if the write was refused or its group could not be committed. */
  failed(error: unknown): void;
}

/** Returns whether an error means that nothing can be written now. Any other error concerns only the write that threw it. */
function isOfStorage(error: unknown): boolean {
  const cause = error instanceof Error && error.cause instanceof SQLiteError ? error.cause : error;
  return cause instanceof SQLiteError && cause.code?.startsWith("SQLITE_CONSTRAINT") !== true;
}

/**
 * Commits the small writes of one turn of the event loop in one transaction, because a commit takes longer than most statements. Writes that are
 * added in callbacks of a commit belong to the next turn. Call `settle()` before you read data that pending writes change. A write added within a
 * transaction runs immediately as part of it.
 */
export class WriteGroup {
  readonly #sqlite: Database;
  readonly #log: Logger;
  #writes: GroupedWrite[] = [];
  #next: PromiseWithResolvers<void> | undefined;

  constructor(sqlite: Database, log: Logger) {
    this.#sqlite = sqlite;
    this.#log = log;
  }

  /** Settles with the commit of the pending writes; undefined if there are none. */
  get pending(): Promise<void> | undefined {
    return this.#next?.promise;
  }

  /** Adds a write. Writes are run in the order in which they were added. */
  add(write: GroupedWrite): void {
    this.#writes.push(write);
    if (this.#sqlite.inTransaction) this.flush();
    else if (this.#next === undefined) this.#schedule();
  }

  #schedule(): void {
    this.#next = Promise.withResolvers();
    this.#next.promise.catch(() => undefined); // each write gets the error itself
    setImmediate(() => this.#quietly(() => this.#commit()));
  }

  /**
   * Commits pending writes, including those added by their callbacks.
   * @throws the error of the commit; then nothing of the group is written
   */
  flush(): void {
    while (this.#writes.length > 0) this.#commit();
  }

  /** Works like `flush`, but reports a failure only to the writers. */
  settle(): void {
    this.#quietly(() => this.flush());
  }

  #quietly(commit: () => void): void {
    try {
      commit();
    } catch (error) {
      this.#log.error("writes could not be stored", { error });
    }
  }

  #commit(): void {
    const writes = this.#writes;
    if (writes.length === 0) return;
    const next = this.#next;
    this.#writes = [];
    this.#next = undefined;
    let refused: Map<GroupedWrite, unknown>;
    try {
      refused = this.#sqlite.inTransaction
        ? runAll(writes)
        : this.#sqlite.transaction(runAll).immediate(writes);
    } catch (error) {
      for (const write of writes) this.#report(() => write.failed(error));
      if (writes.every(({ isOptional }) => isOptional)) next?.resolve();
      else next?.reject(error);
      throw error;
    }
    for (const write of writes)
      this.#report(() => (refused.has(write) ? write.failed(refused.get(write)) : write.committed()));
    next?.resolve();
  }

  /** Calls `end`, and logs its error, so that the other writes of the group are still reported. */
  #report(end: () => void): void {
    try {
      end();
    } catch (error) {
      this.#log.error("end of a write not handled", { error });
    }
  }
}

/** Returns the refused writes with their errors. */
function runAll(writes: readonly GroupedWrite[]): Map<GroupedWrite, unknown> {
  const refused = new Map<GroupedWrite, unknown>();
  for (const write of writes)
    try {
      write.write();
    } catch (error) {
      if (isOfStorage(error)) throw error;
      refused.set(write, error);
    }
  return refused;
}
