import { type TSchema, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import { invalid } from "../../lib/core/domain-error.ts";
import { DATABASE_FILES } from "../../platform/files/inventory.ts";
import type { SnapshotRecord } from "./snapshot.types.ts";

/** Files of a backup in addition to databases: keys, and certificates with user-defined names. */
const SECRET_FILE = /^secrets\/[^/\\.\p{Cc}][^/\\\p{Cc}]{0,254}$/u;
/** Bytes of pages per packed block. */
export const BLOCK_BYTES = 64 * 1024;
/** Max. databases of a snapshot; far more than a gateway with all its log files has. */
const DATABASES_MAX = 1_000;

/** Names with a meaning at startup: halves of a key replacement. */
const UNFINISHED = /\.(?:next|new)$/;

/** Returns whether a file of `secrets/` belongs in a backup. */
export const isAllowed = (path: string): boolean => SECRET_FILE.test(path) && !UNFINISHED.test(path);

const object = (prefix: string, rest: Record<string, TSchema> = {}) =>
  Type.Object({
    name: Type.String({ pattern: `^${prefix}/[A-Za-z0-9-]{1,100}$` }),
    bytes: Type.Integer({ minimum: 0 }),
    sha256: Type.String(),
    ...rest,
  });
const recordSchema = Type.Object({
  format: Type.Literal(1),
  id: Type.String({ pattern: "^[A-Za-z0-9-]{1,100}$" }),
  createdAt: Type.Number(),
  lineside: Type.String(),
  databases: Type.Array(
    Type.Object({
      // Used as a file name, so the pattern admits no path.
      name: Type.String({ pattern: String.raw`^[a-z]+\.db(?:-hot\d+)?$` }),
      pageBytes: Type.Integer({ minimum: 512, maximum: BLOCK_BYTES }),
      pages: Type.Integer({ minimum: 0, maximum: 0xffff_ffff }),
      sha256: Type.String(),
    }),
    { maxItems: DATABASES_MAX },
  ),
  files: Type.Array(Type.Object({ path: Type.String(), base64: Type.String() })),
  maps: object("maps"),
  packs: Type.Array(object("packs", { pages: Type.Integer({ minimum: 0 }) })),
  bytes: Type.Number(),
  addedBytes: Type.Number(),
  isTelemetryChecked: Type.Boolean(),
  problems: Type.Array(Type.String()),
});
const recordCheck = TypeCompiler.Compile(recordSchema);

/**
 * Returns the value without unknown fields, which could take any amount of memory; undefined unless it has the form of a record: its checksum does not
 * prove who wrote it.
 */
export function checkedRecord(value: SnapshotRecord): SnapshotRecord | undefined {
  if (!recordCheck.Check(value)) return undefined;
  Value.Clean(recordSchema, value);
  return new Set(value.databases.map(({ name }) => name)).size === value.databases.length ? value : undefined;
}

/** Returns the first database missing from a snapshot, without which a gateway would start empty. */
export const absentDatabase = ({ databases }: Pick<SnapshotRecord, "databases">): string | undefined =>
  DATABASE_FILES.find((file) => !databases.some(({ name }) => name === file));

/** @throws DomainError `invalid` for a snapshot without all databases */
export function ensureDatabases(record: SnapshotRecord): void {
  const name = absentDatabase(record);
  if (name !== undefined) throw invalid("backup.database_absent", { name });
}

/** Returns the first file that a restoration must refuse. */
export const strangeFile = ({ files }: Pick<SnapshotRecord, "files">): string | undefined =>
  files.find(({ path }) => !isAllowed(path))?.path;

/** Refuses files that do not belong in a backup, because an archive may come from any source. @throws DomainError `invalid` */
export function ensureFiles(record: SnapshotRecord): void {
  const path = strangeFile(record);
  if (path !== undefined) throw invalid("backup.file_unknown", { path });
}
