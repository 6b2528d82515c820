import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { conflict } from "../../lib/domain-error.ts";
import { takeFileLock } from "../../platform/file-lock.ts";
import { beginRestoration, completeRestoration, finishRestoration } from "../../platform/restoration.ts";
import type { BackupTarget, SnapshotRecord } from "./backup.types.ts";
import { BackupRepository } from "./repository.ts";
import { SnapshotReader } from "./snapshot-reader.ts";

export interface RestoreJob {
  readonly dataPath: string;
  readonly passphrase: string | undefined;
  /** The newest snapshot where it is absent. */
  readonly snapshot: string | undefined;
}

/** Tells whether a data directory holds a gateway's data. */
export const hasData = (dataPath: string): boolean => existsSync(join(dataPath, "lineside.db"));

/**
 * Reads a snapshot into the data directory, checks it and declares it whole. It takes the place of the present data with `finishRestoration`
 * at the next start; until then nothing is lost. Works beside a running gateway.
 */
export async function prepareRestoration(target: BackupTarget, job: RestoreJob): Promise<SnapshotRecord> {
  const repository = await BackupRepository.open(target, job.passphrase);
  const record = await repository.snapshot(job.snapshot);
  await new SnapshotReader(repository, record).restore(beginRestoration(job.dataPath));
  completeRestoration(job.dataPath);
  return record;
}

/** Restores a snapshot at once. @throws DomainError `conflict` while a gateway runs on the directory */
export async function restore(target: BackupTarget, job: RestoreJob): Promise<SnapshotRecord> {
  process.umask(0o077); // as the gateway does
  mkdirSync(job.dataPath, { recursive: true, mode: 0o700 });
  const lock = takeFileLock(join(job.dataPath, "lineside.lock"));
  if (lock === undefined) throw conflict("backup.gateway_running", { path: job.dataPath });
  try {
    const record = await prepareRestoration(target, job);
    finishRestoration(job.dataPath);
    return record;
  } finally {
    lock.release();
  }
}
