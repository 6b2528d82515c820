import { invalid } from "../../lib/core/domain-error.ts";
import { DATABASE_FILES } from "../../platform/files/inventory.ts";
import type { SnapshotRecord } from "./snapshot.types.ts";

/** Files of a backup in addition to databases: keys and certificates. */
const SECRET_FILE = /^secrets\/[A-Za-z0-9][A-Za-z0-9._-]{0,100}$/;
/** Names that a start acts on: halves of a key replacement. */
const UNFINISHED = /\.(?:next|new)$/;

const isAllowed = (path: string): boolean => SECRET_FILE.test(path) && !UNFINISHED.test(path);

/** Returns the first database that a snapshot lacks. A gateway would start empty without it. */
export const absentDatabase = ({ databases }: Pick<SnapshotRecord, "databases">): string | undefined =>
  DATABASE_FILES.find((file) => !databases.some(({ name }) => name === file));

/** @throws DomainError `invalid` for a snapshot without all databases */
export function ensureDatabases(record: SnapshotRecord): void {
  const name = absentDatabase(record);
  if (name !== undefined) throw invalid("backup.database_absent", { name });
}

/** Refuses files that do not belong in a backup: an archive may come from anybody. @throws DomainError `invalid` */
export function ensureFiles({ files }: SnapshotRecord): void {
  const strange = files.find(({ path }) => !isAllowed(path));
  if (strange !== undefined) throw invalid("backup.file_unknown", { path: strange.path });
}
