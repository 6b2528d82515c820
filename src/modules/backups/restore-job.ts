import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statfsSync } from "node:fs";
import { totalmem } from "node:os";
import { dirname, join } from "node:path";
import { conflict, DomainError, invalid, unavailableDueTo } from "../../lib/core/domain-error.ts";
import { MB } from "../../lib/core/units.ts";
import { ownSchemas, type Schemas, storedSchema } from "../../platform/database/data-schemas.ts";
import { readStampOf } from "../../platform/database/database-stamp.ts";
import { isHotLog } from "../../platform/database/hot-log-names.ts";
import { backupSeriesOf } from "../../platform/files/backup-series.ts";
import { takeGatewayLock } from "../../platform/files/gateway-lock.ts";
import { DATABASE_FILES, type DatabaseName, hasTraces } from "../../platform/files/inventory.ts";
import { readRecord } from "../../platform/files/inventory-record.ts";
import {
  abandonRestoration,
  beginRestoration,
  completeRestoration,
  finishRestoration,
} from "../../platform/files/restoration.ts";
import { storageFaultOf } from "../../platform/files/storage-fault.ts";
import { ensureMounted } from "../../platform/files/unmounted-disk.ts";
import { readKey, SEALED_FILES } from "../../platform/secrets/secret-keys.ts";
import { opensTelemetryFile } from "../telemetry/store/check-file.ts";
import type { BackupTarget, SnapshotRecord } from "./snapshot.types.ts";
import { ensureDatabases, ensureFiles } from "./snapshot-contents.ts";
import {
  allProblems,
  type DamagedPages,
  SnapshotReader,
  sqliteProblem,
  telemetryProblems,
  valueProblems,
} from "./snapshot-reader.ts";
import { BackupRepository } from "./snapshot-repository.ts";

const TELEMETRY = "telemetry.db";

export interface RestoreJob {
  readonly dataPath: string;
  readonly passphrase: string | undefined;
  /** Snapshot to restore; default: the newest. */
  readonly snapshot: string | undefined;
  /** Databases to restore, leaving the others and the keys unchanged; default: everything. */
  readonly only?: readonly DatabaseName[] | undefined;
  /** True to restore the readable parts of a damaged snapshot. */
  readonly skipsDamaged?: boolean;
  /** Schemas readable by this program: a thread of a compiled program has no migrations to derive them from. */
  readonly schemas: Schemas;
  /** Available bytes on the disk; default: unlimited. */
  readonly roomBytes?: number | undefined;
  /** Max. bytes of memory for the page maps; default: half of the machine's. */
  readonly memoryMax?: number | undefined;
  /** Called with the number of restored pages, and of all pages. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Half of the memory of the machine or container: an archive may come from any source. */
const memoryMaxOf = (): number => Math.min(totalmem(), process.constrainedMemory() || totalmem()) / 2;

/** Returns whether a data directory contains a gateway's data. */
export const hasData = (dataPath: string): boolean => existsSync(dataPath) && hasTraces(dataPath);

/** Outcome of a restoration. */
export interface RestoreReport {
  readonly record: SnapshotRecord;
  /** Unreadable records of possibly newer snapshots. */
  readonly unreadable: readonly string[];
  /** Omitted pages by database, in order of discovery. */
  readonly damaged: readonly DamagedPages[];
  /** Omitted databases, which the backup lacks or whose readable pages cannot be opened. The existing ones stay unchanged. */
  readonly skipped: readonly string[];
  /** Damage of the restored databases, one English line each. */
  readonly problems: readonly string[];
}

/**
 * Restores a snapshot into the data directory, checks it and marks it as complete. `finishRestoration` replaces the current data at the next start;
 * until then nothing is lost. Works while a gateway is running. If it fails, it leaves nothing behind.
 */
export async function prepareRestoration(target: BackupTarget, job: RestoreJob): Promise<RestoreReport> {
  const repository = await BackupRepository.open(target, job.passphrase);
  // One reading: a record that is readable only the second time would be passed over without a word.
  const survey = await repository.survey();
  const record = await repository.snapshot(job.snapshot, survey);
  ensureFiles(record);
  if (job.only === undefined && job.skipsDamaged !== true) ensureDatabases(record);
  const databases = job.only?.map((name) => `${name}.db`);
  const parts = record.databases.filter(
    ({ name }) => databases?.includes(isHotLog(name) ? TELEMETRY : name) ?? true,
  );
  for (const name of databases ?? [])
    if (!parts.some((part) => part.name === name)) throw invalid("backup.part_missing", { name });
  ensureRoom(parts, job.roomBytes);
  if (databases?.some((name) => SEALED_FILES.includes(name))) ensureSameKeys(record, job.dataPath);
  try {
    return {
      record,
      unreadable: survey.unreadable,
      ...(await restoreParts({ repository, record }, parts, job)),
    };
  } catch (error) {
    abandonRestoration(job.dataPath);
    throw explainFailure(error, job.dataPath);
  }
}

/** Converts an operating system error to an error that names the cause. */
function explainFailure(error: unknown, path: string): unknown {
  if (error instanceof DomainError || !(error instanceof Error && "code" in error)) return error;
  if (storageFaultOf(error) === "full") return unavailableDueTo(error, "backup.disk_full", { path });
  return unavailableDueTo(error, "backup.restore_failed", { reason: error.message });
}

async function restoreParts(
  { repository, record }: { repository: BackupRepository; record: SnapshotRecord },
  parts: SnapshotRecord["databases"],
  { dataPath, only, skipsDamaged = false, schemas, memoryMax = memoryMaxOf(), onProgress }: RestoreJob,
): Promise<Pick<RestoreReport, "damaged" | "skipped" | "problems">> {
  const reader = new SnapshotReader(repository, record, memoryMax);
  const folder = beginRestoration(dataPath);
  const names = parts.map(({ name }) => name);
  const damaged: DamagedPages[] = [];
  await reader.restoreDatabases(folder, names, {
    onProgress,
    onDamage: skipsDamaged ? (pages) => void damaged.push(pages) : undefined,
  });
  const unusable = names.filter(
    (name) => !isHotLog(name) && !isUsable(join(folder, name), damaged.length > 0),
  );
  const [first] = unusable;
  if (first !== undefined && !skipsDamaged) throw invalid("backup.check_failed", { name: first });
  for (const name of names)
    if (unusable.includes(isHotLog(name) ? TELEMETRY : name)) rmSync(join(folder, name), { force: true });
  const replaced = DATABASE_FILES.filter((name) => names.includes(name) && !unusable.includes(name));
  if (replaced.length === 0) throw invalid("backup.object_damaged", { name: first ?? record.id });
  const values = replaced.flatMap((name) => (name === TELEMETRY ? [] : valueProblems(folder, name)));
  ensureIntact(values, skipsDamaged);
  const telemetry = join(folder, TELEMETRY);
  const problems = existsSync(telemetry) ? allProblems(record, telemetryProblems(telemetry)) : [];
  ensureReadable(folder, schemas);
  const areKeysRestored = bringsKeys(record, replaced, { dataPath, only });
  ensureSameGateway(repository, { dataPath, only, folder, replaced });
  if (areKeysRestored) reader.restoreFiles(folder);
  completeRestoration(dataPath, replaced);
  const meant = only?.map((name) => `${name}.db`) ?? DATABASE_FILES;
  return {
    damaged,
    skipped: meant.filter((name) => !replaced.some((other) => other === name)),
    problems: [...new Set([...values, ...problems])],
  };
}

/** Refuses damaged values, because the next start may need them. @throws DomainError `invalid` */
function ensureIntact([problem]: readonly string[], skipsDamaged: boolean): void {
  if (problem !== undefined && !skipsDamaged) throw invalid("backup.value_damaged", { problem });
}

/**
 * Returns whether a restoration replaces the keys: never if an existing database that is sealed with them stays.
 * @throws DomainError `conflict` if a restored database is sealed with other keys than a remaining one
 */
function bringsKeys(
  record: SnapshotRecord,
  replaced: readonly string[],
  { dataPath, only }: Pick<RestoreJob, "dataPath" | "only">,
): boolean {
  if (!existsSync(join(dataPath, "secrets"))) return true;
  if (only !== undefined) return false; // they are the same
  const stays = SEALED_FILES.some((name) => !replaced.includes(name) && existsSync(join(dataPath, name)));
  if (stays && SEALED_FILES.some((name) => replaced.includes(name))) ensureSameKeys(record, dataPath);
  return !stays;
}

/** Returns whether a gateway can use a restored database. Damaged telemetry is usable if a store starts with it. */
const isUsable = (path: string, isDamaged: boolean): boolean =>
  path.endsWith(TELEMETRY) ? !isDamaged || opensTelemetryFile(path) : sqliteProblem(path) === undefined;

interface RestoredPart extends Pick<RestoreJob, "dataPath" | "only"> {
  readonly folder: string;
  readonly replaced: readonly string[];
}

/** Refuses parts of another gateway, which would replace or join this gateway's data. @throws DomainError `conflict` */
function ensureSameGateway(
  { gateway }: BackupRepository,
  { dataPath, only, folder, replaced }: RestoredPart,
): void {
  const stays = DATABASE_FILES.some((name) => !replaced.includes(name) && existsSync(join(dataPath, name)));
  if (only === undefined && !stays) return;
  const key = readKey(dataPath, "storage.key");
  if (key === undefined || backupSeriesOf(dataPath, key) === gateway) return;
  // The key may have been lost and recreated.
  const own = readRecord(dataPath)?.gateway;
  if (own === undefined || !replaced.some((name) => readStampOf(join(folder, name))?.gateway === own))
    throw conflict("backup.other_gateway");
}

/** @throws DomainError `conflict` if the snapshot's secrets are sealed with keys that the gateway no longer has */
function ensureSameKeys({ files }: SnapshotRecord, dataPath: string): void {
  for (const { path, base64 } of files) {
    const file = join(dataPath, path);
    if (path.endsWith(".key") && existsSync(file) && readFileSync(file).toString("base64") !== base64)
      throw conflict("backup.other_keys", { path });
  }
}

function ensureRoom(parts: SnapshotRecord["databases"], roomBytes: number | undefined): void {
  const bytes = parts.reduce((sum, { pages, pageBytes }) => sum + pages * pageBytes, 0);
  if (roomBytes !== undefined && bytes > roomBytes)
    throw conflict("backup.no_room", {
      neededMb: Math.ceil(bytes / MB),
      freeMb: Math.max(0, Math.floor(roomBytes / MB)),
    });
}

/** Refuses data that is newer than the gateway, with which it could not start. @throws DomainError `invalid` */
function ensureReadable(folder: string, schemas: Schemas): void {
  for (const [file, own] of Object.entries(schemas)) {
    const stored = storedSchema(folder, file);
    for (const suffix of ["-wal", "-shm"]) rmSync(join(folder, file + suffix), { force: true });
    if (stored !== undefined && stored > own) throw invalid("backup.format_newer");
  }
}

/** Restores a snapshot immediately. @throws DomainError `conflict` while a gateway runs on the directory */
export async function restore(
  target: BackupTarget,
  job: Omit<RestoreJob, "schemas" | "roomBytes">,
): Promise<RestoreReport> {
  process.umask(0o077); // as the gateway does
  const created = mkdirSync(job.dataPath, { recursive: true, mode: 0o700 });
  const lockFile = join(job.dataPath, "lineside.lock");
  const isLockNew = !existsSync(lockFile);
  const lock = takeGatewayLock(job.dataPath);
  if (lock === undefined) throw conflict("backup.gateway_running", { path: job.dataPath });
  let [isPrepared, isRestored] = [false, false];
  try {
    finishRestoration(job.dataPath); // of an interrupted restoration, to free its space
    if (!hasData(job.dataPath)) ensureMounted(job.dataPath);
    beginRestoration(job.dataPath); // now, so that after an interruption no gateway starts without data
    const { bavail, bsize } = statfsSync(job.dataPath);
    const report = await prepareRestoration(target, {
      ...job,
      schemas: ownSchemas(),
      roomBytes: bavail * bsize,
    });
    isPrepared = true;
    finishRestoration(job.dataPath);
    isRestored = true;
    return report;
  } finally {
    if (!isPrepared) abandonRestoration(job.dataPath);
    if (!isRestored && isLockNew) rmSync(lockFile, { force: true });
    lock.release();
    if (!isRestored) removeEmpty(job.dataPath, created);
  }
}

/** Removes a folder, and the parents created with it if they are empty. */
function removeEmpty(folder: string, firstCreated: string | undefined): void {
  if (firstCreated === undefined || readdirSync(folder).length > 0) return;
  rmdirSync(folder);
  if (folder !== firstCreated) removeEmpty(dirname(folder), firstCreated);
}
