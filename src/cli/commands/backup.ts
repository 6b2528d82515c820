import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { VERIFY_DAYS_DEFAULT, VERIFY_DAYS_MAX } from "../../lib/console/form-limits.ts";
import { conflict, DomainError, notFound } from "../../lib/core/domain-error.ts";
import { MB } from "../../lib/core/units.ts";
import { renderIn } from "../../lib/texts/catalogues.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { agedSnapshots, gatewayIdOf, runBackup } from "../../modules/backups/backup-job.ts";
import { parsePlace } from "../../modules/backups/backup-settings.ts";
import type {
  BackupPlace,
  BackupResult,
  BackupTarget,
  SnapshotRecord,
} from "../../modules/backups/snapshot.types.ts";
import { SnapshotReader } from "../../modules/backups/snapshot-reader.ts";
import { BackupRepository, openTarget } from "../../modules/backups/snapshot-repository.ts";
import { ArchiveReader, ArchiveWriter } from "../../modules/backups/targets/archive-target.ts";
import { loadConfig, processEnv } from "../../platform/config/config.ts";
import { takeFileLock } from "../../platform/files/file-lock.ts";
import { createPrivateFolder } from "../../platform/files/file-owner.ts";
import { hasTraces } from "../../platform/files/inventory.ts";
import { isOutside } from "../../platform/files/outside-folder.ts";
import { machineIdOf } from "../../platform/process/machine-id.ts";
import { StartupError } from "../../platform/process/startup-error.ts";
import { getCommit, version } from "../../version.ts";
import { type CommandOption, numberOf, type ParsedArguments, parseCommand, printHelp } from "../arguments.ts";
import { noGatewayData } from "../gateway-data.ts";
import { terminalLanguage } from "../terminal-language.ts";
import { printTable } from "../user-store.ts";

/** Options that select the gateway on this machine. */
export const dataOptions = {
  data: { type: "string", help: "the gateway's data directory (default: LINESIDE_DATA, or ./data)" },
  config: { type: "string", help: "the gateway's configuration file (default: lineside.toml)" },
} as const satisfies Record<string, CommandOption>;

/** Options for the place of backups and their encryption. */
export const placeOptions = {
  ...dataOptions,
  endpoint: { type: "string", help: "address of the S3-compatible server, for s3:// places" },
  region: { type: "string", default: "us-east-1", help: "region of the bucket" },
  "passphrase-file": {
    type: "string",
    help: "file with the passphrase (default: LINESIDE_BACKUP_PASSPHRASE)",
  },
  json: { type: "boolean", help: "print JSON" },
} as const satisfies Record<string, CommandOption>;

const options = {
  ...placeOptions,
  to: { type: "string", help: "all actions: folder, or s3://bucket/prefix, that keeps the backups" },
  archive: { type: "string", help: "back up: one file with one backup instead, to move to another machine" },
  daily: { type: "string", default: "7", help: "back up: keep the newest backup of this many days" },
  weekly: { type: "string", default: "4", help: "back up: keep the newest backup of this many weeks" },
  "keep-all": { type: "boolean", help: "back up: remove no older backup" },
  "verify-days": {
    type: "string",
    default: String(VERIFY_DAYS_DEFAULT),
    help: "back up: days within which every file at the place is read back and verified",
  },
  all: { type: "boolean", help: "verify: all backups at the place" },
  rate: { type: "string", default: "100", help: "back up: read at most this many MB per second" },
} as const;

const USAGE = `lineside backup --to <place>              Back up the gateway
       lineside backup --archive <file>          Back up into one file
       lineside backup list --to <place>         List the backups at a place
       lineside backup verify [id] --to <place>  Restore and open every database of a backup, and remove it again;
                                                 --all does so for every backup
       lineside backup take-over --to <place>    Continue this gateway's backups on a replacement machine

A place is a folder or s3://bucket/prefix; keys for S3 are in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
All actions work while the gateway is running. A backup contains the gateway's keys: encrypt it, or keep it as safe as the gateway.
Exit code 1 if a backup fails, or if the gateway's data or a backup at the place is damaged.`;

const DAYS_MAX = 3_650;
const MEGABYTES_PER_SECOND_MAX = 10_000;

type Values = ParsedArguments["values"];

/** Returns the settings in the options of a command as arguments of the gateway. */
export const settingFlagsOf = (values: Values): string[] =>
  ["data", "config"].flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [`--${name}`, value];
  });

export const dataPathOf = (values: Values): string =>
  resolve(loadConfig(settingFlagsOf(values), processEnv()).data);

/** @throws StartupError if the data directory contains no gateway data */
export function existingDataPathOf(values: Values): string {
  const dataPath = dataPathOf(values);
  if (existsSync(dataPath) && hasTraces(dataPath)) return dataPath;
  throw noGatewayData(dataPath);
}

/** @throws StartupError for an unreadable file, and for an empty passphrase, which would leave the backups unencrypted */
export function passphraseOf(values: Values): string | undefined {
  const file = values["passphrase-file"];
  const text = file === undefined ? processEnv().LINESIDE_BACKUP_PASSPHRASE : readPassphrase(file);
  const passphrase = text?.replace(/\r?\n$/, "");
  if (passphrase === "")
    throw new StartupError(
      file === undefined
        ? "LINESIDE_BACKUP_PASSPHRASE is empty. Set a passphrase, or unset the variable for unencrypted backups."
        : `The passphrase file ${file} is empty. Write a passphrase to it, or leave out --passphrase-file for unencrypted backups.`,
    );
  return passphrase;
}

function readPassphrase(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new StartupError(`The passphrase file ${file} cannot be read. Check its path and its owner.`, {
      cause: error,
    });
  }
}

/** @throws StartupError */
function placeOf(text: string, values: Values): BackupPlace {
  const env = processEnv();
  const place = parsePlace(text.startsWith("s3://") ? text : resolve(text), {
    endpoint: values.endpoint,
    region: values.region ?? "",
    accessKeyId: env.AWS_ACCESS_KEY_ID,
    secretAccessKey: env.AWS_SECRET_ACCESS_KEY,
  });
  if (place !== undefined) return place;
  throw new StartupError(
    "A place in S3 needs --endpoint, and the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
  );
}

/** Opens the place in a text: a folder, a bucket or an archive file. */
export function targetOf(text: string | undefined, values: Values): BackupTarget {
  if (text === undefined)
    throw new StartupError("Name the place of the backups: a folder or s3://bucket/prefix.");
  if (statSync(text, { throwIfNoEntry: false })?.isFile()) return new ArchiveReader(text);
  return openTarget(placeOf(text, values));
}

export const describeSize = (bytes: number): string =>
  bytes < MB ? `${(bytes / 1_000).toFixed(0)} kB` : `${(bytes / MB).toFixed(1)} MB`;

const toRow = ({ id, createdAt, bytes, addedBytes, lineside }: SnapshotRecord) => ({
  id,
  createdAt: iso(createdAt),
  bytes,
  addedBytes,
  lineside,
});

/** Returns the absolute path. @throws StartupError if writing there would overwrite or fill the data directory */
function outside(path: string, dataPath: string): string {
  const absolute = resolve(path);
  if (isOutside(absolute, dataPath)) return absolute;
  throw new StartupError(
    `${absolute} is in the data directory, or contains it. Choose another place, best on another disk.`,
  );
}

async function backUp({ values, flags }: ParsedArguments): Promise<number> {
  const dataPath = existingDataPathOf(values);
  const retention = {
    daily: numberOf(values, "daily", { min: 1, max: DAYS_MAX }),
    weekly: numberOf(values, "weekly", { min: 0, max: DAYS_MAX }),
  };
  const job = {
    dataPath,
    lineside: `${version} (${getCommit()})`,
    now: () => Date.now(),
    bytesPerSecond: numberOf(values, "rate", { min: 1, max: MEGABYTES_PER_SECOND_MAX }) * MB,
    opensAll: true,
    passphrase: passphraseOf(values),
    machine: machineIdOf(),
    verifyDays: numberOf(values, "verify-days", { min: 1, max: VERIFY_DAYS_MAX }),
  };
  const { archive } = values;
  if (archive !== undefined) {
    const writer = new ArchiveWriter(outside(archive, dataPath));
    try {
      const result = await runBackup(writer, { ...job, retention: undefined });
      writer.finish();
      print(flags, result, `Backed up ${describeSize(result.bytes)} to ${archive}.`);
      return report(result);
    } catch (error) {
      writer.abandon();
      throw error;
    }
  }
  const place = placeOf(values.to ?? missingPlace(), values);
  if (place.kind === "folder") outside(place.path, dataPath);
  const result = await runBackup(openTarget(place), {
    ...job,
    retention: flags.has("keep-all") ? undefined : retention,
  });
  print(
    flags,
    result,
    `Backup ${result.id}: ${describeSize(result.bytes)}, of which ${describeSize(result.addedBytes)} were new.`,
  );
  return report(result);
}

/** Returns a problem of a backup with its file. Those without one are of the telemetry. */
export const withFile = (problem: string): string =>
  /^[a-z]+\.db[a-z\d-]*: /.test(problem) ? problem : `telemetry.db: ${problem}`;

/** Prints the damage found by the backup. Returns the exit code. */
function report({ problems, place }: BackupResult): number {
  const { damagedObjects, repairedSnapshots, damagedSnapshots } = place;
  for (const problem of problems) console.error(withFile(problem));
  if (problems.length > 0)
    console.error(
      "The gateway's data is damaged, and so is this backup. Older good backups are kept. To find the damage, run: lineside check",
    );
  for (const name of damagedObjects) console.error(`${name} at the backup place is missing or damaged.`);
  if (damagedObjects.length > 0)
    console.error("The parts that this backup needs were rewritten from the gateway's data.");
  for (const id of repairedSnapshots) console.error(`Backup ${id} is complete again.`);
  for (const id of damagedSnapshots) console.error(`Backup ${id} can only be restored in part.`);
  return problems.length > 0 || damagedSnapshots.length > 0 ? 1 : 0;
}

function missingPlace(): never {
  throw new StartupError(
    "Name the place with --to <folder or s3://bucket/prefix>, or a file with --archive.",
  );
}

function print(flags: ReadonlySet<string>, data: unknown, text: string): number {
  console.log(flags.has("json") ? JSON.stringify(data, null, 2) : text);
  return 0;
}

async function list({ values, flags }: ParsedArguments): Promise<number> {
  const repository = await BackupRepository.open(targetOf(values.to, values), passphraseOf(values));
  const survey = await repository.survey();
  const { records, unreadable } = survey;
  const good = new Set(
    (await agedSnapshots(repository, survey)).filter(({ isGood }) => isGood).map(({ id }) => id),
  );
  const rows = records.map((record) => ({ ...toRow(record), isGood: good.has(record.id) }));
  if (flags.has("json")) console.log(JSON.stringify(rows, null, 2));
  else
    printTable(
      ["BACKUP", "CREATED", "SIZE", "NEW", "STATE", "VERSION"],
      rows.map((row) => [
        row.id,
        row.createdAt,
        describeSize(row.bytes),
        describeSize(row.addedBytes),
        row.isGood ? "good" : "damaged",
        row.lineside,
      ]),
    );
  for (const name of unreadable) console.error(`${name} is damaged.`);
  return 0;
}

/** Runs work alone with a folder for restored backups. A backup of the gateway has another one. @throws DomainError `conflict` while another process has it */
async function usingCheckFolder(
  dataPath: string,
  work: (folder: string) => Promise<number>,
): Promise<number> {
  createPrivateFolder(dataPath);
  const folder = join(dataPath, "backup-verify");
  const lock = takeFileLock(`${folder}.lock`);
  if (lock === undefined) throw conflict("backup.verifying");
  try {
    return await work(folder);
  } finally {
    lock.release();
  }
}

const verify = (parsed: ParsedArguments): Promise<number> =>
  usingCheckFolder(dataPathOf(parsed.values), (folder) => verifyIn(folder, parsed));

async function verifyIn(folder: string, parsed: ParsedArguments): Promise<number> {
  const { values, flags, positionals } = parsed;
  const repository = await BackupRepository.open(targetOf(values.to, values), passphraseOf(values));
  const { records, unreadable } = await repository.survey();
  if (!flags.has("all")) {
    const record = await repository.snapshot(positionals[1]);
    return (await verifyOne({ repository, record, folder }, parsed)) ? 0 : 1;
  }
  if (records.length + unreadable.length === 0) throw notFound("backup.none");
  for (const name of unreadable) console.error(`${name} is damaged.`);
  let damaged = unreadable.length;
  for (const record of records) if (!(await verifyOne({ repository, record, folder }, parsed))) damaged++;
  if (!flags.has("json")) console.log(`${records.length + unreadable.length} backups, ${damaged} damaged.`);
  return damaged === 0 ? 0 : 1;
}

/** Returns whether the snapshot can be restored completely. */
async function verifyOne(
  { repository, record, folder }: { repository: BackupRepository; record: SnapshotRecord; folder: string },
  { flags }: ParsedArguments,
): Promise<boolean> {
  try {
    const { problems } = await new SnapshotReader(repository, record).verify(folder);
    for (const problem of problems) console.error(`Backup ${record.id}: ${withFile(problem)}`);
    if (problems.length > 0) return false;
    print(flags, toRow(record), `Backup ${record.id} is good: every database was restored and opened.`);
    return true;
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind === "unavailable") throw error;
    console.error(`Backup ${record.id}: ${renderIn(terminalLanguage(), error)}`);
    return false;
  }
}

async function takeOver({ values, flags }: ParsedArguments): Promise<number> {
  const dataPath = existingDataPathOf(values);
  await BackupRepository.takeOver(targetOf(values.to, values), {
    passphrase: passphraseOf(values),
    gateway: gatewayIdOf(dataPath),
    machine: machineIdOf(),
  });
  return print(flags, { place: values.to }, `This machine now continues the backups at ${values.to}.`);
}

/** `lineside backup`: creates, lists and verifies backups, with or without a running gateway. */
export async function backupCommand(args: readonly string[]): Promise<number> {
  const helpCode = printHelp(args, USAGE, options);
  if (helpCode !== undefined) return helpCode;
  const parsed = parseCommand(args, options);
  const [action] = parsed.positionals;
  if (action === undefined) return backUp(parsed);
  if (action === "list") return list(parsed);
  if (action === "verify") return verify(parsed);
  if (action === "take-over") return takeOver(parsed);
  throw new StartupError(
    `"${action}" is not an action of lineside backup. Use list, verify or take-over; to back up, use --to or --archive.`,
  );
}
