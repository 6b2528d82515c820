import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { BackupPlace, BackupTarget, SnapshotRecord } from "../modules/backups/backup.types.ts";
import { runBackup } from "../modules/backups/backup-job.ts";
import { BackupRepository, openTarget } from "../modules/backups/repository.ts";
import { SnapshotReader } from "../modules/backups/snapshot-reader.ts";
import { ArchiveReader, ArchiveWriter } from "../modules/backups/targets/archive-target.ts";
import { loadConfig, processEnv } from "../platform/config.ts";
import { hasTraces } from "../platform/inventory.ts";
import { StartupError } from "../platform/startup-error.ts";
import { getCommit, version } from "../version.ts";
import {
  type CommandOption,
  describeOptions,
  numberOf,
  type ParsedArguments,
  parseCommand,
} from "./arguments.ts";
import { printTable } from "./user-store.ts";

/** Options that say which gateway of this machine is meant. */
export const dataOptions = {
  data: { type: "string", help: "the gateway's data directory (else LINESIDE_DATA)" },
  config: { type: "string", help: "the gateway's configuration file (else lineside.toml)" },
} as const satisfies Record<string, CommandOption>;

/** Options that say where backups are, and how they are encrypted. */
export const placeOptions = {
  ...dataOptions,
  endpoint: { type: "string", help: "address of the S3-compatible server, for s3:// places" },
  region: { type: "string", default: "us-east-1", help: "region of the bucket" },
  "passphrase-file": { type: "string", help: "file with the passphrase (else LINESIDE_BACKUP_PASSPHRASE)" },
  json: { type: "boolean", help: "print JSON" },
} as const satisfies Record<string, CommandOption>;

const options = {
  ...placeOptions,
  to: { type: "string", help: "folder, or s3://bucket/prefix, that keeps the backups" },
  archive: { type: "string", help: "one file with one backup instead, to move to another machine" },
  daily: { type: "string", default: "7", help: "keep the newest backup of this many days" },
  weekly: { type: "string", default: "4", help: "keep the newest backup of this many weeks" },
  "keep-all": { type: "boolean", help: "remove no older backup" },
  rate: { type: "string", default: "100", help: "read at most this many MB a second" },
} as const;

const usage = `lineside backup --to <place>              back up the gateway
       lineside backup --archive <file>          back up into one file
       lineside backup list --to <place>         list the backups at a place
       lineside backup verify [id] --to <place>  restore and open every database of a backup, and remove it again

A place is a folder or s3://bucket/prefix; keys for S3 are in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
Works beside a running gateway. A backup holds the keys of the gateway: encrypt it, or keep it as safe as the gateway.`;

const DAYS_MAX = 3_650;
const MEGABYTES_PER_SECOND_MAX = 10_000;
const MEGABYTE = 1_000_000;

type Values = ParsedArguments["values"];

/** Returns the settings among the options of a command, as arguments of the gateway. */
export const settingFlagsOf = (values: Values): string[] =>
  ["data", "config"].flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [`--${name}`, value];
  });

export const dataPathOf = (values: Values): string =>
  resolve(loadConfig(settingFlagsOf(values), processEnv()).data);

/** @throws StartupError when there is no gateway's data in the data directory. */
export function existingDataPathOf(values: Values): string {
  const dataPath = dataPathOf(values);
  if (existsSync(dataPath) && hasTraces(dataPath)) return dataPath;
  throw new StartupError(
    `There is no gateway's data in ${dataPath}; name its data directory with --data or LINESIDE_DATA.`,
  );
}

export function passphraseOf(values: Values): string | undefined {
  const file = values["passphrase-file"];
  const text = file === undefined ? processEnv().LINESIDE_BACKUP_PASSPHRASE : readFileSync(file, "utf8");
  return text?.replace(/\r?\n$/, "") || undefined;
}

/** Parses a folder or `s3://bucket/prefix`. @throws StartupError */
function placeOf(text: string, values: Values): BackupPlace {
  const s3 = /^s3:\/\/([^/]+)\/?(.*)$/.exec(text);
  if (s3 === null) return { kind: "folder", path: resolve(text) };
  const env = processEnv();
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (accessKeyId === undefined || secretAccessKey === undefined || values.endpoint === undefined)
    throw new StartupError(
      "An s3:// place needs --endpoint, and the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
    );
  const [, bucket = "", prefix = ""] = s3;
  return {
    kind: "s3",
    endpoint: values.endpoint,
    region: values.region ?? "",
    bucket,
    prefix: prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`,
    accessKeyId,
    secretAccessKey,
  };
}

/** Opens the place that the text names: a folder, a bucket or an archive file. */
export function targetOf(text: string | undefined, values: Values): BackupTarget {
  if (text === undefined)
    throw new StartupError("Name the place of the backups: a folder or s3://bucket/prefix.");
  if (statSync(text, { throwIfNoEntry: false })?.isFile()) return new ArchiveReader(text);
  return openTarget(placeOf(text, values));
}

export const describeSize = (bytes: number): string =>
  bytes < MEGABYTE ? `${(bytes / 1_000).toFixed(0)} kB` : `${(bytes / MEGABYTE).toFixed(1)} MB`;

const toRow = ({ id, createdAt, bytes, addedBytes, lineside }: SnapshotRecord) => ({
  id,
  createdAt: new Date(createdAt).toISOString(),
  bytes,
  addedBytes,
  lineside,
});

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
    bytesPerSecond: numberOf(values, "rate", { min: 1, max: MEGABYTES_PER_SECOND_MAX }) * MEGABYTE,
    opensAll: true,
    passphrase: passphraseOf(values),
  };
  const { archive } = values;
  if (archive !== undefined) {
    const writer = new ArchiveWriter(resolve(archive));
    try {
      const result = await runBackup(writer, { ...job, retention: undefined });
      writer.finish();
      return print(flags, result, `Backed up ${describeSize(result.bytes)} to ${archive}.`);
    } catch (error) {
      writer.abandon();
      throw error;
    }
  }
  const target = openTarget(placeOf(values.to ?? missingPlace(), values));
  const result = await runBackup(target, {
    ...job,
    retention: flags.has("keep-all") ? undefined : retention,
  });
  return print(
    flags,
    result,
    `Backup ${result.id}: ${describeSize(result.bytes)}, of which ${describeSize(result.addedBytes)} were new.`,
  );
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
  const rows = (await repository.snapshots()).map(toRow);
  if (flags.has("json")) console.log(JSON.stringify(rows, null, 2));
  else
    printTable(
      ["BACKUP", "CREATED", "SIZE", "NEW", "VERSION"],
      rows.map((row) => [
        row.id,
        row.createdAt,
        describeSize(row.bytes),
        describeSize(row.addedBytes),
        row.lineside,
      ]),
    );
  return 0;
}

async function verify({ values, flags, positionals }: ParsedArguments): Promise<number> {
  const repository = await BackupRepository.open(targetOf(values.to, values), passphraseOf(values));
  const record = await repository.snapshot(positionals[1]);
  await new SnapshotReader(repository, record).verify(join(dataPathOf(values), "backup-check"));
  return print(flags, toRow(record), `Backup ${record.id} is whole: every database was restored and opened.`);
}

/** `lineside backup`: makes, lists and checks backups, beside a running gateway or without one. */
export async function backupCommand(args: readonly string[]): Promise<number> {
  if (args.length === 0 || args.some((arg) => arg === "--help" || arg === "-h")) {
    console.log(describeOptions(usage, options));
    return args.length === 0 ? 2 : 0;
  }
  const parsed = parseCommand(args, options);
  const [action] = parsed.positionals;
  if (action === undefined) return backUp(parsed);
  if (action === "list") return list(parsed);
  if (action === "verify") return verify(parsed);
  throw new StartupError(`"${action}" is not an action of backup; it is one of list, verify.`);
}
