import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { inEnglish } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Logger } from "../core/log.ts";
import { readGatewayPid } from "../network/gateway-address.ts";
import { StartupError } from "../process/startup-error.ts";
import { describeSystemError } from "../process/system-errors.ts";
import { finishKeyRotation } from "../secrets/key-rotation.ts";
import { replaceSecret } from "../secrets/secret-files.ts";
import { hasDatabases, isKeyName, KEY_BYTES, KEY_NAMES, keyMissing } from "../secrets/secret-keys.ts";
import { releaseBallastIfShort } from "./disk-guard.ts";
import type { FileLock } from "./file-lock.ts";
import { createPrivateFolder } from "./file-owner.ts";
import { takeGatewayLock } from "./gateway-lock.ts";
import { beginInventory, hasTraces, recordLosses } from "./inventory.ts";
import { verifyInventory } from "./inventory-check.ts";
import { type InventoryRecord, keyChecksOf } from "./inventory-record.ts";
import { ensureNoMisplacedFile } from "./misplaced-files.ts";
import { finishRestoration, isRestorationCutOff } from "./restoration.ts";
import { SET_ASIDE_FOLDER } from "./set-aside.ts";
import { ensureMounted } from "./unmounted-disk.ts";

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS = 0o077;
/** Names of files of the gateway. A data directory may contain other files. */
const OWN_FILE =
  /^(?:(?:lineside|identity|telemetry|mqtt|backup)\.(?:db|lock)(?:-[a-z]+\d*|\.before-\d+)?|ballast|clock|inventory\.json)$/;
const OWN_DIRECTORIES: ReadonlySet<string> = new Set(["secrets", "update", SET_ASIDE_FOLDER]);

function restrict(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & OTHERS) === 0) return;
  if (stats.isDirectory()) chmodSync(path, DIRECTORY_MODE);
  else if (stats.isFile()) chmodSync(path, FILE_MODE); // somebody else may decide where a link leads
}

/**
 * Removes access of other users that an older version, a copy or a restored backup left. Returns the paths that it could not change, which belong to
 * another user.
 */
function restrictAccess(directory: string): string[] {
  const entries = readdirSync(directory, { withFileTypes: true });
  const below = entries.flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory() && OWN_DIRECTORIES.has(entry.name))
      return [path, ...readdirSync(path).map((name) => join(path, name))];
    return OWN_FILE.test(entry.name) ? [path] : [];
  });
  return [directory, ...below].filter((path) => {
    try {
      restrict(path);
      return false;
    } catch {
      return true;
    }
  });
}

/** Restricts new files and folders to the user of the gateway. */
const PRIVATE_UMASK = 0o077;

/** Directory with all data of the gateway, owned by one process at a time. */
export interface DataDirectory {
  readonly path: string;
  file(name: string): string;
  /** Returns a secret of `bytes` random bytes in `secrets/` (0600), created when first used. */
  secret(name: string, bytes: number): Uint8Array;
  /** Returns the secret that `writeSecret` stored under the name. */
  readSecret(name: string): Buffer | undefined;
  /** Replaces a secret in `secrets/` (0600) as a whole. */
  writeSecret(name: string, bytes: Uint8Array): void;
  /** Expected content of the directory, and files that were missing at this start without loss of data. */
  readonly inventory: { readonly record: InventoryRecord; readonly warnings: readonly Text[] };
  release(): void;
}

/** @throws StartupError if the directory cannot be created or written, is damaged, or is in use by another process */
export function openDataDirectory(location: string, log?: Logger): DataDirectory {
  const path = resolve(location);
  process.umask(PRIVATE_UMASK); // also applies to files that databases create later
  try {
    mkdirSync(join(path, "secrets"), { recursive: true, mode: 0o700 });
    accessSync(path, constants.W_OK);
    releaseBallastIfShort(path);
  } catch (cause) {
    throw notWritable(path, cause);
  }
  const lock = takeLock(path);
  try {
    return prepareDirectory(path, lock, log);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Refuses a directory without data into which a restoration was interrupted: the gateway would start empty. @throws StartupError */
function ensureNotCutOff(path: string): void {
  if (!isRestorationCutOff(path)) return;
  throw new StartupError(
    `Restoring a backup into ${path} was interrupted, and there is no other data in it. Run lineside restore again. To start without the backup, delete the folder ${join(path, "restoring")}.`,
  );
}

function prepareDirectory(path: string, lock: FileLock, log: Logger | undefined): DataDirectory {
  if (!hasTraces(path)) {
    ensureMounted(path);
    ensureNotCutOff(path);
  }
  if (finishRestoration(path)) log?.info("a restored backup took the place of the data", { path });
  ensureNoMisplacedFile(path);
  beginInventory(path);
  const { record: found, warnings, losses } = verifyInventory(path); // before the first change
  for (const { text } of losses) log?.error("data damaged or missing", { problem: inEnglish(text) });
  const recorded = recordLosses(path, found, losses);
  finishKeyRotation(path, log);
  // All before the first database, because a missing key is an error once there are databases.
  for (const name of KEY_NAMES) ensureSecret(path, name, KEY_BYTES);
  const record = { ...recorded, keys: keyChecksOf(path) };
  const exposed = restrictAccess(path);
  if (exposed.length > 0)
    log?.warn("other users of this machine can read files of the data directory", { paths: exposed });
  return {
    path,
    file: (name) => join(path, name),
    secret: (name, bytes) => ensureSecret(path, name, bytes),
    readSecret(name) {
      const file = join(path, "secrets", name);
      return existsSync(file) ? readFileSync(file) : undefined;
    },
    writeSecret: (name, bytes) => replaceSecret(join(path, "secrets", name), bytes),
    inventory: { record, warnings },
    release: () => lock.release(),
  };
}

/**
 * Returns a secret of a data directory, created when first used. Commands can call it beside a running gateway.
 * @throws StartupError if a key is missing beside databases
 */
export function ensureSecret(dataPath: string, name: string, bytes: number): Uint8Array {
  const directory = join(dataPath, "secrets");
  const file = join(directory, name);
  const kept = existsSync(file) ? readFileSync(file) : undefined;
  // A shorter secret was cut off while it was written, and could be guessed.
  if (kept !== undefined && kept.length >= bytes) return kept;
  if (isKeyName(name) && hasDatabases(dataPath)) throw keyMissing(dataPath, name);
  createPrivateFolder(directory);
  const secret = crypto.getRandomValues(new Uint8Array(bytes));
  replaceSecret(file, secret);
  return secret;
}

const notWritable = (path: string, cause: unknown): StartupError =>
  new StartupError(
    `The data directory ${path} cannot be written. ${describeSystemError(cause) ?? "Check its owner, and whether the disk is read-only."}`,
    { cause },
  );

/** Returns whether the process of the newest gateway on the directory still runs, and is another one. */
function hasOtherGateway(path: string): boolean {
  const pid = readGatewayPid(path);
  return pid !== undefined && pid !== process.pid && existsSync(`/proc/${pid}`);
}

/** Max. wait for a command that looks whether a gateway runs, in ms: on a busy machine, it may be held up while it has the lock. */
const LOCK_WAIT_MS_MAX = 5_000;

/** Locks the directory for this process. Waits for the lock unless another gateway runs there. @throws StartupError */
function takeLock(path: string): FileLock {
  const deadline = performance.now() + LOCK_WAIT_MS_MAX;
  try {
    do {
      const lock = takeGatewayLock(path);
      if (lock !== undefined) return lock;
    } while (!hasOtherGateway(path) && performance.now() < deadline);
  } catch (cause) {
    throw cause instanceof StartupError ? cause : notWritable(path, cause);
  }
  throw new StartupError(
    `Another Lineside is running on the data directory ${path}; stop it first or choose another with --data.`,
  );
}
