import { hasData, restore } from "../modules/backups/restore-job.ts";
import { StartupError } from "../platform/startup-error.ts";
import { describeOptions, parseCommand } from "./arguments.ts";
import { dataPathOf, describeSize, passphraseOf, placeOptions, targetOf } from "./backup.ts";

const options = {
  ...placeOptions,
  from: { type: "string", help: "folder, archive file, or s3://bucket/prefix with the backups" },
  replace: { type: "boolean", help: "replace the data that is in the data directory" },
} as const;

const usage = `lineside restore [backup] --from <place>

Restores a backup, the newest one unless it is named, into the data directory. The gateway must not run.
Nothing of the present data is touched before the whole backup is read and checked.`;

/** `lineside restore`: puts a backup in place of the data of a gateway that does not run. */
export async function restoreCommand(args: readonly string[]): Promise<number> {
  if (args.length === 0 || args.some((arg) => arg === "--help" || arg === "-h")) {
    console.log(describeOptions(usage, options));
    return args.length === 0 ? 2 : 0;
  }
  const { values, flags, positionals } = parseCommand(args, options);
  const dataPath = dataPathOf(values);
  if (hasData(dataPath) && !flags.has("replace"))
    throw new StartupError(
      `${dataPath} holds data of a gateway; add --replace to replace it with the backup.`,
    );
  const target = targetOf(values.from, values);
  const record = await restore(target, {
    dataPath,
    passphrase: passphraseOf(values),
    snapshot: positionals[0],
  });
  const { id, createdAt, bytes } = record;
  if (flags.has("json")) console.log(JSON.stringify({ id, createdAt, bytes }, null, 2));
  else
    console.log(
      `Restored backup ${id} (${new Date(createdAt).toISOString()}, ${describeSize(bytes)}) into ${dataPath}.`,
    );
  return 0;
}
