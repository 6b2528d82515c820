import { SQLiteError } from "bun:sqlite";
import { type DomainError, detail, unavailableDueTo } from "../../lib/core/domain-error.ts";
import type { Problem } from "../core/health.ts";
import { watchErrors } from "../core/log.ts";
import type { Part } from "../process/lifecycle.ts";
import { isUnreadable } from "./database-check.ts";

/** Error codes by prefix of the SQLite error code. The first match applies. */
const CODES = [
  ["SQLITE_FULL", "storage.full"],
  // Without the space for its index, SQLite cannot use a log.
  ["SQLITE_IOERR_SHMSIZE", "storage.full"],
  ["SQLITE_IOERR", "storage.failed"],
  ["SQLITE_READONLY", "storage.read_only"],
  ["SQLITE_CANTOPEN", "storage.read_only"],
  ["SQLITE_BUSY", "storage.busy"],
] as const;

/** Called for every write that failed because of the disk. */
const listeners = new Set<() => void>();

/** Returns the error for callers if the disk refused a write; undefined for other errors. */
export function toStorageFailure(error: unknown): DomainError | undefined {
  const cause = error instanceof Error && error.cause instanceof SQLiteError ? error.cause : error;
  if (!(cause instanceof SQLiteError) || isUnreadable(cause)) return undefined;
  const [, code] = CODES.find(([prefix]) => cause.code?.startsWith(prefix)) ?? [];
  if (code === "storage.failed") for (const listener of listeners) listener();
  return code === undefined ? undefined : unavailableDueTo(cause, code);
}

/** Detects failed writes of all databases, reported to a caller or only logged. */
export class FailedWrites implements Part {
  readonly name = "failed writes";
  #hasFailed = false;
  #endWatch: () => void = () => undefined;

  start(): void {
    const note = () => {
      this.#hasFailed = true;
    };
    listeners.add(note);
    const endLog = watchErrors(toStorageFailure);
    this.#endWatch = () => {
      listeners.delete(note);
      endLog();
    };
  }

  stop(): void {
    this.#endWatch();
  }

  problem(): Problem | undefined {
    return this.#hasFailed ? { severity: "FATAL", ...detail("storage.failed") } : undefined;
  }
}
