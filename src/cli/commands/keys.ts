import { join } from "node:path";
import { createPrivateFolder } from "../../platform/files/file-owner.ts";
import { acceptKeyBesides, acceptKeys, recordLosses } from "../../platform/files/inventory.ts";
import { verifyInventory } from "../../platform/files/inventory-check.ts";
import { finishRestoration } from "../../platform/files/restoration.ts";
import { StartupError } from "../../platform/process/startup-error.ts";
import { begunKeysOf, rotateKeys } from "../../platform/secrets/key-rotation.ts";
import { replaceSecret } from "../../platform/secrets/secret-files.ts";
import {
  isKeyName,
  KEY_BYTES,
  KEY_NAMES,
  type KeyName,
  nextKeyFile,
  readKey,
} from "../../platform/secrets/secret-keys.ts";
import { type CommandOption, parseCommand, printHelp } from "../arguments.ts";
import { withStoppedGateway } from "../stopped-gateway.ts";
import { dataOptions, existingDataPathOf } from "./backup.ts";

const options = {
  ...dataOptions,
} as const satisfies Record<string, CommandOption>;

const USAGE = `lineside keys rotate [key …]     Replace keys: ${KEY_NAMES.join(", ")}; all of them by default
       lineside keys create-missing     Create keys that are lost, and accept what is lost with them

The gateway must not run. A new jwt.key ends all sessions immediately: everybody signs in again. With a new storage.key or outbound.key, every
secret in the databases is sealed anew; devices, links and webhooks keep their tokens and signatures. Back up the gateway afterwards: older
backups keep the old keys.`;

function parseKeys(names: readonly string[]): readonly KeyName[] {
  const unknown = names.filter((name) => !isKeyName(name));
  if (unknown.length > 0)
    throw new StartupError(`"${unknown.join(", ")}" is not a key; the keys are ${KEY_NAMES.join(", ")}.`);
  return names.length === 0 ? KEY_NAMES : names.filter(isKeyName);
}

function rotate(dataPath: string, names: readonly KeyName[]): void {
  const { record, losses } = verifyInventory(dataPath);
  const missing = names.find((name) => readKey(dataPath, name) === undefined);
  if (missing !== undefined) throw new StartupError(`The key ${missing} is missing; it cannot be replaced.`);
  recordLosses(dataPath, record, losses);
  try {
    for (const name of rotateKeys(dataPath, names)) console.log(`Replaced ${name}.`);
  } catch (error) {
    const kept = begunKeysOf(dataPath).map((name) => `secrets/${nextKeyFile(name)}`);
    if (kept.length > 0)
      console.error(
        `Keep ${kept.join(", ")}: secrets may be sealed with it already. The next start finishes the replacement.`,
      );
    throw error;
  }
}

function createMissing(dataPath: string): void {
  const missing = KEY_NAMES.filter((name) => readKey(dataPath, name) === undefined);
  createPrivateFolder(join(dataPath, "secrets"));
  for (const name of missing) {
    const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
    acceptKeyBesides(dataPath, name, key); // first, so that an interruption leaves no key that is refused
    replaceSecret(join(dataPath, "secrets", name), key);
  }
  if (missing.length > 0) acceptKeys(dataPath, missing);
  console.log(missing.length === 0 ? "No key is missing." : `Created ${missing.join(", ")}.`);
}

/** `lineside keys`: replaces the keys of a stopped gateway. */
export async function keysCommand(args: readonly string[]): Promise<number> {
  const helpCode = printHelp(args, USAGE, options);
  if (helpCode !== undefined) return helpCode;
  const { values, positionals } = parseCommand(args, options);
  const [action, ...names] = positionals;
  const dataPath = existingDataPathOf(values);
  withStoppedGateway(dataPath, () => {
    // The restored databases are sealed with the present keys.
    if (finishRestoration(dataPath)) console.log("Finished an interrupted restoration first.");
    if (action === "rotate") rotate(dataPath, parseKeys(names));
    else if (action === "create-missing" && names.length === 0) createMissing(dataPath);
    else throw new StartupError(`"${action}" is not an action of keys; it is one of rotate, create-missing.`);
  });
  return 0;
}
