import { join } from "node:path";
import { conflict } from "../../lib/domain-error.ts";
import { backupSeriesOf } from "../../platform/backup-series.ts";
import { ensureSecret } from "../../platform/data-directory.ts";
import { takeFileLock } from "../../platform/file-lock.ts";
import type { BackupResult, BackupTarget } from "./backup.types.ts";
import { BackupRun, type BackupRunOptions } from "./backup-run.ts";
import { BackupRepository } from "./repository.ts";
import { expiredSnapshots, type Retention } from "./retention.ts";

const STORAGE_KEY_BYTES = 32;

export interface BackupJob extends BackupRunOptions {
  readonly passphrase: string | undefined;
  /** Absent where nothing is to be removed. */
  readonly retention: Retention | undefined;
}

/** Tells gateways apart, so that one does not remove the snapshots of another. A restored gateway continues its own. */
export function gatewayIdOf(dataPath: string): string {
  return backupSeriesOf(dataPath, ensureSecret(dataPath, "storage.key", STORAGE_KEY_BYTES));
}

/**
 * Makes one backup: opens or creates the repository, writes a snapshot and removes expired ones. One at a time for a data directory.
 * @throws DomainError `conflict` while another backup runs
 */
export async function runBackup(target: BackupTarget, job: BackupJob): Promise<BackupResult> {
  const lock = takeFileLock(join(job.dataPath, "backup.lock"));
  if (lock === undefined) throw conflict("backup.running");
  try {
    const gateway = gatewayIdOf(job.dataPath);
    const repository = await BackupRepository.openOrCreate(target, job.passphrase, gateway);
    const result = await new BackupRun(repository, job).run();
    if (job.retention !== undefined)
      await repository.prune(expiredSnapshots(await repository.snapshots(), job.retention));
    return result;
  } finally {
    lock.release();
  }
}
