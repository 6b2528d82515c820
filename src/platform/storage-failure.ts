import { SQLiteError } from "bun:sqlite";
import { type DomainError, unavailableDueTo } from "../lib/domain-error.ts";

/** SQLite's codes (extended ones begin with these) for a disk that is full, broken, read-only or held by another. */
const diskCodes = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY)/;

/** A write that the disk refused, as what callers are told; undefined for every other error. */
export function toStorageFailure(error: unknown): DomainError | undefined {
  const cause = error instanceof Error && error.cause instanceof SQLiteError ? error.cause : error;
  if (!(cause instanceof SQLiteError) || !diskCodes.test(cause.code ?? "")) return undefined;
  return unavailableDueTo(cause, "storage.read_only");
}
