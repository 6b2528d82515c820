import { existsSync } from "node:fs";
import { iso } from "../../lib/time/iso-time.ts";
import { hasData, type RestoreReport, restore } from "../../modules/backups/restore-job.ts";
import { DATABASE_NAMES, type DatabaseName } from "../../platform/files/inventory.ts";
import { StartupError } from "../../platform/process/startup-error.ts";
import { parseCommand, printHelp } from "../arguments.ts";
import { dataPathOf, describeSize, passphraseOf, placeOptions, targetOf, withFile } from "./backup.ts";

const options = {
  ...placeOptions,
  from: { type: "string", help: "folder, archive file, or s3://bucket/prefix with the backups" },
  replace: { type: "boolean", help: "replace the data that is in the data directory" },
  only: {
    type: "string",
    help: `restore only these databases, separated by commas: ${DATABASE_NAMES.join(", ")}`,
  },
  "skip-damaged": { type: "boolean", help: "restore what is readable in a damaged or incomplete backup" },
} as const;

const USAGE = `lineside restore [backup] --from <place>

Restore a backup into the data directory: the newest backup, unless you name another. The gateway must not run.
The current data is not touched before the whole backup is read and checked.
With --only, the other databases and the keys stay as they are.`;

/** @throws StartupError for an unknown name */
function partsOf(text: string | undefined): DatabaseName[] | undefined {
  return text?.split(",").map((name) => {
    const part = DATABASE_NAMES.find((existing) => existing === name.trim());
    if (part === undefined)
      throw new StartupError(`--only takes ${DATABASE_NAMES.join(", ")}, separated by commas.`);
    return part;
  });
}

/** @throws StartupError if the folder or file does not exist, because a source, unlike a backup destination, is never created */
function ensureSource(from: string | undefined): void {
  if (from === undefined || from.startsWith("s3://") || existsSync(from)) return;
  throw new StartupError(
    `--from ${from} does not exist. Connect the drive with the backups, or name the folder, archive file or s3:// bucket that has them.`,
  );
}

/** Prints the parts that were not restored. */
export function warnOfDamage({ record, unreadable, damaged, skipped, problems }: RestoreReport): void {
  const newer = unreadable.filter((name) => name > `snapshots/${record.id}`);
  for (const name of newer) console.error(`${name} is damaged, so an older backup was restored.`);
  const pages = Map.groupBy(damaged, ({ database }) => database);
  for (const [name, parts] of pages)
    if (!skipped.includes(name))
      console.error(
        `${name}: ${parts.reduce((sum, part) => sum + part.pages, 0)} pages were damaged and left out.`,
      );
  for (const name of skipped)
    console.error(
      `${name} ${record.databases.some((database) => database.name === name) ? "is damaged" : "is missing from the backup"} and was not restored.`,
    );
  for (const problem of problems) console.error(withFile(problem));
}

/** `lineside restore`: replaces the data of a stopped gateway with a backup. */
export async function restoreCommand(args: readonly string[]): Promise<number> {
  const helpCode = printHelp(args, USAGE, options);
  if (helpCode !== undefined) return helpCode;
  const { values, flags, positionals } = parseCommand(args, options);
  const dataPath = dataPathOf(values);
  if (hasData(dataPath) && !flags.has("replace"))
    throw new StartupError(
      `${dataPath} holds data of a gateway; add --replace to replace it with the backup.`,
    );
  ensureSource(values.from);
  const target = targetOf(values.from, values);
  const report = await restore(target, {
    dataPath,
    passphrase: passphraseOf(values),
    snapshot: positionals[0],
    only: partsOf(values.only),
    skipsDamaged: flags.has("skip-damaged"),
  });
  warnOfDamage(report);
  const { skipped, problems, record } = report;
  const { id, createdAt, bytes } = record;
  if (flags.has("json")) console.log(JSON.stringify({ id, createdAt, bytes, skipped, problems }, null, 2));
  else
    console.log(
      `Restored backup ${id} (${iso(createdAt)}, ${describeSize(bytes)}) into ${dataPath}${skipped.length === 0 ? "" : `, without ${skipped.join(", ")}`}.`,
    );
  return skipped.length === 0 ? 0 : 1;
}
