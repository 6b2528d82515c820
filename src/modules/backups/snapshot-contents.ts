import { invalid } from "../../lib/domain-error.ts";
import type { SnapshotRecord } from "./backup.types.ts";

/** Databases without which a gateway would start empty. */
const REQUIRED = ["lineside.db", "identity.db"];
/** Files of a backup in addition to databases: keys and certificates. */
const SECRET_FILE = /^secrets\/[A-Za-z0-9][A-Za-z0-9._-]{0,100}$/;
/** Names that a start acts on: halves of a key replacement. */
const UNFINISHED = /\.(?:next|new)$/;

const isAllowed = (path: string): boolean => SECRET_FILE.test(path) && !UNFINISHED.test(path);

/**
 * Checks the files of an archive, which may come from anybody: refuses files that do not belong in a backup and, if `mustBeWhole`, an archive
 * without a main database.
 * @throws DomainError `invalid`
 */
export function ensureContents({ databases, files }: SnapshotRecord, mustBeWhole: boolean): void {
  const names = new Set(databases.map(({ name }) => name));
  const missing = REQUIRED.find((name) => !names.has(name));
  if (missing !== undefined && mustBeWhole) throw invalid("backup.database_absent", { name: missing });
  const strange = files.find(({ path }) => !isAllowed(path));
  if (strange !== undefined) throw invalid("backup.file_unknown", { path: strange.path });
}
