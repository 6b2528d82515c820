import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { detail } from "../../lib/core/domain-error.ts";
import { acceptFiles, acceptKeys, DATABASE_FILES } from "../../platform/files/inventory.ts";
import { INVENTORY_FILE } from "../../platform/files/inventory-record.ts";
import { setAside } from "../../platform/files/set-aside.ts";
import { StartupError } from "../../platform/process/startup-error.ts";
import { KEY_NAMES, type KeyName, nextKeyFile } from "../../platform/secrets/secret-keys.ts";
import { type CommandOption, parseCommand, printHelp } from "../arguments.ts";
import { withStoppedGateway } from "../stopped-gateway.ts";
import { dataOptions, existingDataPathOf } from "./backup.ts";

const options = {
  ...dataOptions,
} as const satisfies Record<string, CommandOption>;

/** Returns the files of a key: its own, and the file of its pending replacement. */
const keyFilesOf = (name: KeyName): string[] => [`secrets/${name}`, `secrets/${nextKeyFile(name)}`];
const NAMES = [...DATABASE_FILES, INVENTORY_FILE, ...KEY_NAMES.flatMap(keyFilesOf)];

const USAGE = `lineside set-aside <file …>

Let a gateway start without files that are damaged, missing or from another gateway: move what is left of them to the folder set-aside in
the data directory, and let the next start create new files. Nothing is deleted. Stop the gateway first.

Files: ${NAMES.join(", ")}.
Without lineside.db, the gateway has no tenants, devices or users. Stored telemetry is kept until you delete it on the System page.
If you set aside a key, also run lineside keys create-missing.`;

/** Returns a file followed by its companions: the write-ahead log of a database, and the hot log of telemetry. */
const filesOf = (dataPath: string, name: string): string[] =>
  name.startsWith("secrets/")
    ? [name]
    : [name, ...readdirSync(dataPath).filter((file) => file.startsWith(`${name}-`))];

/**
 * Moves the files, then lets the next start create them. After an interruption, the next start reports the missing files: nothing is accepted until
 * all of them are moved. A database is moved before its log, so it is missing as soon as any part of it is.
 */
function setFilesAside(dataPath: string, names: readonly string[]): void {
  const databases = names.filter((name) => name !== INVENTORY_FILE);
  for (const name of databases) moveAside(dataPath, name);
  if (names.includes(INVENTORY_FILE)) moveAside(dataPath, INVENTORY_FILE); // the new inventory contains the accepted files
  const foundAt = Date.now();
  const losses = databases.map((file) => ({ at: foundAt, ...detail("loss.set_aside", { file }) }));
  const positions = databases.flatMap((name) => [`${name}-position`, `${name}-synced`]);
  acceptFiles(dataPath, [...databases, ...positions], losses);
  const keys = KEY_NAMES.filter((name) => keyFilesOf(name).some((file) => names.includes(file)));
  if (keys.length > 0) acceptKeys(dataPath, keys);
}

function moveAside(dataPath: string, name: string): void {
  const present = filesOf(dataPath, name).filter((file) => existsSync(join(dataPath, file)));
  for (const file of present) console.log(`${file} → ${setAside(join(dataPath, file), dataPath)}`);
  if (present.length === 0) console.log(`${name} does not exist. The next start creates it.`);
}

/** `lineside set-aside`: moves damaged files of a stopped gateway out of the way. */
export async function setAsideCommand(args: readonly string[]): Promise<number> {
  const helpCode = printHelp(args, USAGE, options);
  if (helpCode !== undefined) return helpCode;
  const { values, positionals } = parseCommand(args, options);
  const unknown = positionals.find((name) => !NAMES.includes(name));
  if (unknown !== undefined || positionals.length === 0)
    throw new StartupError(`"${unknown ?? ""}" cannot be set aside. Name one of ${NAMES.join(", ")}.`);
  const dataPath = existingDataPathOf(values);
  withStoppedGateway(dataPath, () => setFilesAside(dataPath, positionals));
  return 0;
}
