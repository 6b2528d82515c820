import { SQLiteError } from "bun:sqlite";
import { join } from "node:path";
import { conflict, unavailableDueTo } from "../../lib/core/domain-error.ts";
import { structureProblem } from "../../platform/database/database-check.ts";
import { backupSeriesOf } from "../../platform/files/backup-series.ts";
import { ensureSecret } from "../../platform/files/data-directory.ts";
import { takeFileLock } from "../../platform/files/file-lock.ts";
import { takeGatewayLock } from "../../platform/files/gateway-lock.ts";
import { DATABASE_FILES } from "../../platform/files/inventory.ts";
import { checkSources } from "../../platform/files/inventory-check.ts";
import { isReadOnlyFolder } from "../../platform/files/write-fault.ts";
import { begunKeysOf } from "../../platform/secrets/key-rotation.ts";
import { nextKeyFile } from "../../platform/secrets/secret-keys.ts";
import { BackupRun, type BackupRunOptions } from "./backup-run.ts";
import { damagedObjectsOf } from "./place-check.ts";
import { type Aged, expiredSnapshots, type Retention } from "./retention.ts";
import type { BackupResult, BackupTarget } from "./snapshot.types.ts";
import { absentDatabase, strangeFile } from "./snapshot-contents.ts";
import { BackupRepository, objectsOf, type Survey, writtenFor } from "./snapshot-repository.ts";

const TELEMETRY_FILE = "telemetry.db";
const STORAGE_KEY_BYTES = 32;

export interface BackupJob extends BackupRunOptions {
  readonly passphrase: string | undefined;
  /** Id of this machine; `undefined` if it has none. */
  readonly machine: string | undefined;
  /** False for a place that had backups: it is empty if its drive is not mounted. Default: true. */
  readonly mayCreate?: boolean;
  /** Absent if nothing is to be removed. */
  readonly retention: Retention | undefined;
}

/** Returns the id under which the gateway stores its snapshots. A restored gateway keeps the id. */
export function gatewayIdOf(dataPath: string): string {
  return backupSeriesOf(dataPath, ensureSecret(dataPath, "storage.key", STORAGE_KEY_BYTES));
}

/** Returns the snapshots at a location with their state. A snapshot with an unreadable record counts by the time in its name. */
export async function agedSnapshots(repository: BackupRepository, survey?: Survey): Promise<Aged[]> {
  const { records, unreadable } = survey ?? (await repository.survey());
  const damaged = await damagedObjectsOf(repository);
  return [
    ...records.map((record) => ({
      id: record.id,
      createdAt: record.createdAt,
      isGood:
        record.problems.length === 0 &&
        absentDatabase(record) === undefined &&
        strangeFile(record) === undefined &&
        objectsOf(record).every(({ name }) => !damaged.has(name)),
      isProven: record.isTelemetryChecked,
    })),
    ...unreadable.flatMap((name) => {
      const written = writtenFor(name);
      return written === undefined ? [] : [{ ...written, isGood: false, isProven: false }];
    }),
  ];
}

/** Removes expired snapshots and leftovers of interrupted runs. */
async function tidy(repository: BackupRepository, retention: Retention | undefined): Promise<void> {
  const expired = retention && expiredSnapshots(await agedSnapshots(repository), retention);
  await repository.prune(expired ?? []);
}

/** Returns whether no gateway runs on the data directory. */
function isStopped(dataPath: string): boolean {
  const lock = takeGatewayLock(dataPath);
  lock?.release();
  return lock !== undefined;
}

/**
 * Returns damage that only reading finds, one line each. Without a gateway, the backup moves the write-ahead logs into the databases, but a log must
 * stay unchanged next to a damaged database. Telemetry is too large for this check; its damage is found during copying.
 */
const contentProblems = (dataPath: string): string[] =>
  DATABASE_FILES.filter((name) => name !== TELEMETRY_FILE).flatMap((name) => {
    const problem = structureProblem(join(dataPath, name));
    return problem === undefined ? [] : [`${name} is damaged: ${problem}`];
  });

const isBusy = (error: unknown): boolean =>
  error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY") === true;

/** Refuses damaged data, whose backups would eventually replace the last good one. @throws DomainError */
function ensureSources(dataPath: string): void {
  let problems: string[];
  try {
    problems = checkSources(dataPath);
    const [begun] = begunKeysOf(dataPath);
    if (begun !== undefined) throw conflict("backup.key_begun", { name: `secrets/${nextKeyFile(begun)}` });
    if (problems.length === 0 && isStopped(dataPath)) problems = contentProblems(dataPath);
  } catch (error) {
    throw isBusy(error) ? unavailableDueTo(error, "backup.databases_busy") : error;
  }
  if (problems.length > 0) throw conflict("backup.data_damaged", { problems: problems.join("; ") });
}

/**
 * Makes one backup: opens or creates the repository, frees space, writes a snapshot and removes expired ones. One at a time per data directory.
 * @throws DomainError `conflict` while another backup runs, and for a data directory with a missing, older or foreign database or key
 */
export async function runBackup(target: BackupTarget, job: BackupJob): Promise<BackupResult> {
  if (isReadOnlyFolder(job.dataPath)) throw conflict("backup.read_only", { path: job.dataPath });
  const lock = takeFileLock(join(job.dataPath, "backup.lock"));
  if (lock === undefined) throw conflict("backup.running");
  try {
    ensureSources(job.dataPath);
    const gateway = gatewayIdOf(job.dataPath);
    const { passphrase, machine, mayCreate, retention } = job;
    const repository = await BackupRepository.openOrCreate(target, {
      passphrase,
      gateway,
      machine,
      dataPath: job.dataPath,
      mayCreate,
    });
    await tidy(repository, retention);
    let result: BackupResult;
    try {
      result = await new BackupRun(repository, job).run();
    } catch (error) {
      // Otherwise its packs would take the space that the next run needs. The error of the run itself matters more.
      await tidy(repository, retention).catch(() => undefined);
      throw error;
    }
    await tidy(repository, retention);
    return result;
  } finally {
    lock.release();
  }
}
