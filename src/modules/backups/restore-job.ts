import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { conflict, invalid } from "../../lib/domain-error.ts";
import { ownSchemas, type Schemas, storedSchema } from "../../platform/data-schemas.ts";
import { takeFileLock } from "../../platform/file-lock.ts";
import { beginRestoration, completeRestoration, finishRestoration } from "../../platform/restoration.ts";
import type { BackupTarget, SnapshotRecord } from "./backup.types.ts";
import { BackupRepository } from "./repository.ts";
import { ensureContents } from "./snapshot-contents.ts";
import { SnapshotReader } from "./snapshot-reader.ts";

export interface RestoreJob {
  readonly dataPath: string;
  readonly passphrase: string | undefined;
  /** The newest snapshot where it is absent. */
  readonly snapshot: string | undefined;
  /** Whether a snapshot without a main database is refused. */
  readonly mustBeWhole?: boolean;
  /** Schemas that this program reads: a thread of a compiled program has no migrations to take them from. */
  readonly schemas: Schemas;
  /** Bytes that the disk has room for; unlimited where it is absent. */
  readonly roomBytes?: number | undefined;
  /** Called with the number of pages that are restored, and of all pages. */
  readonly onProgress?: (done: number, total: number) => void;
}

const MEGABYTE = 1_000_000;

/** Tells whether a data directory holds a gateway's data. */
export const hasData = (dataPath: string): boolean => existsSync(join(dataPath, "lineside.db"));

/**
 * Reads a snapshot into the data directory, checks it and declares it whole. It takes the place of the present data with `finishRestoration`
 * at the next start; until then nothing is lost. Works beside a running gateway.
 */
export async function prepareRestoration(target: BackupTarget, job: RestoreJob): Promise<SnapshotRecord> {
  const repository = await BackupRepository.open(target, job.passphrase);
  const record = await repository.snapshot(job.snapshot);
  ensureContents(record, job.mustBeWhole ?? false);
  ensureRoom(record, job.roomBytes);
  const folder = beginRestoration(job.dataPath);
  await new SnapshotReader(repository, record).restore(folder, job.onProgress);
  ensureReadable(folder, job.schemas);
  completeRestoration(job.dataPath);
  return record;
}

function ensureRoom({ databases }: SnapshotRecord, roomBytes: number | undefined): void {
  const bytes = databases.reduce((sum, { pages, pageBytes }) => sum + pages * pageBytes, 0);
  if (roomBytes !== undefined && bytes > roomBytes)
    throw conflict("backup.no_room", {
      neededMb: Math.ceil(bytes / MEGABYTE),
      freeMb: Math.max(0, Math.floor(roomBytes / MEGABYTE)),
    });
}

/** A gateway that is older than the data could not start with it. @throws DomainError `invalid` */
function ensureReadable(folder: string, schemas: Schemas): void {
  for (const [file, own] of Object.entries(schemas)) {
    const stored = storedSchema(folder, file);
    for (const suffix of ["-wal", "-shm"]) rmSync(join(folder, file + suffix), { force: true });
    if (stored !== undefined && stored > own) throw invalid("backup.format_newer");
  }
}

/** Restores a snapshot at once. @throws DomainError `conflict` while a gateway runs on the directory */
export async function restore(
  target: BackupTarget,
  job: Omit<RestoreJob, "schemas">,
): Promise<SnapshotRecord> {
  process.umask(0o077); // as the gateway does
  mkdirSync(job.dataPath, { recursive: true, mode: 0o700 });
  const lock = takeFileLock(join(job.dataPath, "lineside.lock"));
  if (lock === undefined) throw conflict("backup.gateway_running", { path: job.dataPath });
  try {
    const record = await prepareRestoration(target, { ...job, schemas: ownSchemas() });
    finishRestoration(job.dataPath);
    return record;
  } finally {
    lock.release();
  }
}
