import { join, resolve } from "node:path";
import { renderIn } from "../../lib/texts/catalogues.ts";
import { runBackup } from "../../modules/backups/backup-job.ts";
import { settingsInForce } from "../../modules/backups/backup-settings.ts";
import type { BackupSettings } from "../../modules/backups/backups.types.ts";
import { openTarget } from "../../modules/backups/snapshot-repository.ts";
import { createSettingsRepository } from "../../modules/settings/settings.repository.ts";
import { localBackupPlace } from "../../modules/updates/update-backup.ts";
import { verifyExecutable } from "../../modules/updates/update-file.ts";
import {
  ensureReplaceable,
  ensureUpdatable,
  inspectUpdate,
  PROBATION_MS,
  type RunningProgram,
  stageUpdate,
  type UpdateChecks,
} from "../../modules/updates/update-stage.ts";
import { replaceProgram } from "../../modules/updates/update-start.ts";
import {
  previousProgram,
  readResult,
  readState,
  type UpdateResult,
} from "../../modules/updates/update-state.ts";
import { buildTarget, updateKey } from "../../platform/config/build.ts";
import { type Config, loadConfig, processEnv } from "../../platform/config/config.ts";
import { createLogger } from "../../platform/core/log.ts";
import { openMainDatabase } from "../../platform/database/database.ts";
import { takeGatewayLock } from "../../platform/files/gateway-lock.ts";
import { readGatewayPid } from "../../platform/network/gateway-address.ts";
import { isCompiled } from "../../platform/process/assets.ts";
import { machineIdOf } from "../../platform/process/machine-id.ts";
import { RESTART_SIGNAL } from "../../platform/process/restart-signal.ts";
import { StartupError } from "../../platform/process/startup-error.ts";
import { getCommit, version } from "../../version.ts";
import { type CommandOption, numberOf, type ParsedArguments, parseCommand, printHelp } from "../arguments.ts";
import { terminalLanguage } from "../terminal-language.ts";
import { accountName } from "../user-store.ts";
import { dataOptions, existingDataPathOf, settingFlagsOf } from "./backup.ts";

const options = {
  ...dataOptions,
  "allow-older": { type: "boolean", help: "install even an older version, if it understands the data" },
  "no-backup": { type: "boolean", help: "make no backup first" },
  "ready-within": { type: "string", default: "60", help: "seconds that the new version has to become ready" },
  probation: {
    type: "string",
    default: String(PROBATION_MS / 1_000),
    help: "seconds that the new version must run before it is kept",
  },
  check: { type: "boolean", help: "read and check the whole file without installing it" },
} as const satisfies Record<string, CommandOption>;

const USAGE = `lineside update <file>

Check the signature of an update file, back up the gateway, and install the new version. A running gateway restarts with the new version. It returns
to the current version, with its data, if the new version is not ready in time, crashes three times or hangs on probation. The command waits for the end of
the probation. The current executable is kept as lineside.previous.`;

const READY_SECONDS_MAX = 24 * 3_600;
const PROBATION_SECONDS_MAX = 24 * 3_600;
const BACKUP_BYTES_PER_SECOND = 100_000_000;
const POLL_INTERVAL_MS = 200;
/** Additional time beyond that of the new version, in which the old one stops, copies databases and takes over again. */
const SPARE_MS = 120_000;
/** Max. probations of a version that crashes: each crash restarts the probation. */
const STARTS_MAX = 3;

const running = (): RunningProgram => ({
  version,
  path: isCompiled() ? process.execPath : undefined,
  target: buildTarget,
  key: updateKey,
});

/** Backs up to the configured place of the gateway, otherwise into the data directory. */
async function backUp(dataPath: string, config: Config): Promise<void> {
  const database = openMainDatabase(join(dataPath, "lineside.db"), "lineside", createLogger("database"));
  let settings: BackupSettings;
  try {
    settings = settingsInForce(createSettingsRepository(database).read<BackupSettings>("backup"), config);
  } finally {
    database.close();
  }
  const place = settings.place ?? localBackupPlace(dataPath);
  await runBackup(openTarget(place), {
    dataPath,
    lineside: `${version} (${getCommit()})`,
    now: () => Date.now(),
    bytesPerSecond: BACKUP_BYTES_PER_SECOND,
    opensAll: false,
    passphrase: settings.place ? (settings.passphrase ?? undefined) : undefined,
    machine: settings.place ? machineIdOf() : undefined,
    retention: undefined,
    verifyDays: settings.verifyDays,
  });
  const location = place.kind === "folder" ? place.path : `s3://${place.bucket}/${place.prefix}`;
  console.log(`Backed up to ${location}.`);
}

/** Returns the process of the gateway on the data directory; undefined if none runs. */
function findGateway(dataPath: string): number | undefined {
  const lock = takeGatewayLock(dataPath);
  if (lock === undefined) return readGatewayPid(dataPath);
  lock.release();
  return undefined;
}

interface Patience {
  readonly readyWithinMs: number;
  readonly probationMs: number;
}

/** Waits for the result of the update, and replaces the executable if the gateway may not do so. */
async function untilUpdated(dataPath: string, { readyWithinMs, probationMs }: Patience): Promise<number> {
  const deadline = performance.now() + readyWithinMs + STARTS_MAX * probationMs + SPARE_MS;
  let isAnnounced = probationMs === 0;
  for (;;) {
    const result = readResult(dataPath);
    const phase = readState(dataPath)?.phase;
    if (phase === "PROBATION" && !isAnnounced) {
      isAnnounced = true;
      console.log(`The new version is ready. It is kept if it runs for ${probationMs / 1_000} s.`);
    }
    const isSettled = result?.outcome === "UPDATED" ? replaceProgram(dataPath) : phase === undefined;
    if (result !== undefined && isSettled) return reportResult(result);
    if (performance.now() > deadline)
      throw new StartupError(
        "The gateway has not said in time whether it runs the new version; read its log.",
      );
    await Bun.sleep(POLL_INTERVAL_MS);
  }
}

/** Prints the result. Returns the exit code. */
function reportResult({ outcome, from, to, reason }: UpdateResult): number {
  const why = reason && ` ${renderIn(terminalLanguage(), reason)}`;
  if (outcome === "UPDATED") console.log(`The gateway runs ${to}.`);
  else console.error(`The update failed. The gateway runs ${from} again.${why ?? ""}`);
  return outcome === "UPDATED" ? 0 : 1;
}

async function install(
  file: string,
  checks: UpdateChecks,
  { values, flags }: ParsedArguments,
): Promise<number> {
  const { dataPath } = checks;
  const config = loadConfig(settingFlagsOf(values), processEnv());
  const seconds = numberOf(values, "ready-within", { min: 1, max: READY_SECONDS_MAX });
  const readyWithinMs = seconds * 1_000;
  const probationMs = numberOf(values, "probation", { min: 0, max: PROBATION_SECONDS_MAX }) * 1_000;
  const manifest = await stageUpdate({
    ...checks,
    file,
    readyWithinMs,
    probationMs,
    actor: { type: "COMMAND_LINE", id: null, name: accountName() },
    backUp: () => (flags.has("no-backup") ? Promise.resolve() : backUp(dataPath, config)),
  });
  const pid = findGateway(dataPath);
  if (pid === undefined) {
    console.log(`The gateway is not running. Version ${manifest.version} takes effect at its next start.`);
    return 0;
  }
  console.log(`The gateway restarts with version ${manifest.version} …`);
  process.kill(pid, RESTART_SIGNAL);
  return untilUpdated(dataPath, { readyWithinMs, probationMs });
}

/** `lineside update`: installs an update file. */
export async function updateCommand(args: readonly string[]): Promise<number> {
  const helpCode = printHelp(args, USAGE, options);
  if (helpCode !== undefined) return helpCode;
  process.umask(0o077); // as the gateway does
  const parsed = parseCommand(args, options);
  const [named, ...others] = parsed.positionals;
  if (named === undefined || others.length > 0) throw new StartupError("Name one update file.");
  const { path } = ensureUpdatable(running());
  const [file, dataPath] = [resolve(named), existingDataPathOf(parsed.values)];
  const checks = { dataPath, running: running(), allowsOlder: parsed.flags.has("allow-older") };
  const head = await inspectUpdate(file, checks);
  const { manifest } = head;
  if (parsed.flags.has("check")) await verifyExecutable(file, head);
  console.log(
    `${file}: Lineside ${manifest.version} (${manifest.commit}) for ${manifest.target}, ${parsed.flags.has("check") ? "complete, " : ""}signature valid.`,
  );
  if (parsed.flags.has("check")) return 0;
  ensureReplaceable(path, dataPath, file);
  const code = await install(file, checks, parsed);
  if (code === 0)
    console.log(`The executable before it is ${previousProgram(path)} once the new one is ready.`);
  return code;
}
