import { SQLiteError } from "bun:sqlite";
import { type DomainError, unavailableDueTo } from "../../lib/core/domain-error.ts";

/** Beginning of an SQLite error code → error code for callers. */
const CODES = [
  ["SQLITE_FULL", "storage.full"],
  ["SQLITE_IOERR", "storage.failed"],
  ["SQLITE_READONLY", "storage.read_only"],
  ["SQLITE_CANTOPEN", "storage.read_only"],
  ["SQLITE_BUSY", "storage.busy"],
] as const;

/** A write that the disk refused, as what callers are told; undefined for every other error. */
export function toStorageFailure(error: unknown): DomainError | undefined {
  const cause = error instanceof Error && error.cause instanceof SQLiteError ? error.cause : error;
  if (!(cause instanceof SQLiteError)) return undefined;
  const [, code] = CODES.find(([prefix]) => cause.code?.startsWith(prefix)) ?? [];
  return code === undefined ? undefined : unavailableDueTo(cause, code);
}
