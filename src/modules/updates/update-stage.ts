import { renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { conflict, invalid, unavailable } from "../../lib/core/domain-error.ts";
import { storedSchema } from "../../platform/database/data-schemas.ts";
import { syncPath } from "../../platform/files/durable-file.ts";
import type { AuditActor } from "../audit/audit.types.ts";
import { extractExecutable, openUpdate, type UpdateHead, type UpdateManifest } from "./update-file.ts";
import { isWritable } from "./update-start.ts";
import {
  clearState,
  ensureUpdateFolder,
  forgetResult,
  nextProgram,
  readState,
  writeState,
} from "./update-state.ts";

/** Properties of the running program that an update depends on. */
export interface RunningProgram {
  readonly version: string;
  /** Undefined in a checkout. */
  readonly path: string | undefined;
  readonly target: string | undefined;
  /** Public key for verifying update files. */
  readonly key: string | undefined;
}

/** Free bytes that an update leaves on a disk. */
const SPARE_BYTES = 32 * 1024 * 1024;
const TRIAL_RUN_MS = 30_000;
/** Run time in ms after which a new version is kept. */
export const PROBATION_MS = 300_000;

export interface UpdateChecks {
  readonly dataPath: string;
  readonly running: RunningProgram;
  readonly allowsOlder: boolean;
}

/** @throws DomainError `conflict` in a checkout and in a build without a key */
export function ensureUpdatable({ path, target, key }: RunningProgram): { path: string; key: string } {
  if (path === undefined || target === undefined) throw conflict("update.checkout");
  if (key === undefined) throw conflict("update.no_key");
  return { path: path.replace(/\.next$/, ""), key };
}

/** Checks the head of an update file. @throws DomainError for a file that cannot be installed here */
export function checkManifest(
  manifest: UpdateManifest,
  { dataPath, running, allowsOlder }: UpdateChecks,
): void {
  const { version, target, schemas } = manifest;
  if (target !== running.target)
    throw invalid("update.wrong_target", { target, expected: running.target ?? "" });
  const order = Bun.semver.order(version, running.version);
  if (order === 0) throw conflict("update.same_version", { version });
  if (order < 0 && !allowsOlder) throw conflict("update.older", { version, current: running.version });
  for (const [file, schema] of Object.entries(schemas))
    if ((storedSchema(dataPath, file) ?? 0) > schema) throw conflict("update.data_newer", { file, version });
}

/** Checks an update file by its head only. @throws DomainError */
export async function inspectUpdate(file: string, checks: UpdateChecks): Promise<UpdateHead> {
  const { key } = ensureUpdatable(checks.running);
  const head = await openUpdate(file, key);
  checkManifest(head.manifest, checks);
  return head;
}

/** @throws DomainError `conflict` with the command for a user with the right to replace the program */
export function ensureReplaceable(path: string, dataPath: string, file: string): void {
  if (!isWritable(dirname(path)))
    throw conflict("update.not_writable", {
      path,
      command: `sudo ${path} update ${file} --data ${dataPath}`,
    });
}

/** @throws DomainError `unavailable` */
export function ensureSpace(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const missing = bytes + SPARE_BYTES - bavail * bsize;
  if (missing > 0)
    throw unavailable("update.no_space", { folder, megabytes: Math.ceil(missing / (1024 * 1024)) });
}

/** Returns the bytes of the databases that the update migrates and the start copies. */
function copiedBytes(dataPath: string, { schemas }: UpdateManifest): number {
  return Object.entries(schemas)
    .filter(([file, schema]) => (storedSchema(dataPath, file) ?? schema) !== schema)
    .map(([file]) => statSync(join(dataPath, file)).size)
    .reduce((sum, bytes) => sum + bytes, 0);
}

/** Runs the new executable, to detect a wrong C library or a disk error. */
async function ensureRuns(program: string, { version }: UpdateManifest): Promise<void> {
  const child = Bun.spawn([program, "--version"], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    timeout: TRIAL_RUN_MS,
    killSignal: "SIGKILL",
  });
  const output = await new Response(child.stdout).text();
  await child.exited;
  if (!output.startsWith(`lineside ${version} `)) throw invalid("update.does_not_run", { version });
}

/** Allows to replace an update that waits for a restart, for example because its command was killed. @throws DomainError `conflict` */
function ensureNoneBegun(dataPath: string): void {
  const phase = readState(dataPath)?.phase;
  if (phase !== undefined && phase !== "STAGED" && phase !== "REPLACED") throw conflict("update.in_progress");
}

export interface StageJob extends UpdateChecks {
  readonly file: string;
  readonly readyWithinMs: number;
  readonly probationMs: number;
  readonly actor: AuditActor;
  /** Makes the backup; called after all checks. */
  readonly backUp: () => Promise<void>;
}

/**
 * Places the new executable of an update file next to the current one, and makes a backup. The next start of the gateway begins the trial.
 * @throws DomainError if the update cannot be installed; nothing has changed then
 */
export async function stageUpdate(job: StageJob): Promise<UpdateManifest> {
  const { file, dataPath, running, readyWithinMs, probationMs, actor } = job;
  const { path } = ensureUpdatable(running);
  const head = await inspectUpdate(file, job);
  const { manifest } = head;
  ensureNoneBegun(dataPath);
  ensureReplaceable(path, dataPath, file);
  ensureUpdateFolder(dataPath);
  ensureSpace(dirname(path), manifest.bytes);
  ensureSpace(dataPath, copiedBytes(dataPath, manifest));
  const next = nextProgram(path);
  const temporary = `${next}.part`;
  try {
    await extractExecutable(file, head, temporary);
    await ensureRuns(temporary, manifest);
    await job.backUp();
    ensureNoneBegun(dataPath);
    // The state of an update that is replaced does not fit the new file.
    if (readState(dataPath)?.phase === "STAGED") clearState(dataPath);
    renameSync(temporary, next);
  } finally {
    rmSync(temporary, { force: true });
  }
  syncPath(dirname(next));
  const { version: to, schemas } = manifest;
  forgetResult(dataPath);
  writeState(dataPath, {
    phase: "STAGED",
    from: running.version,
    to,
    program: path,
    next,
    schemas,
    readyWithinMs,
    probationMs,
    actor,
  });
  return manifest;
}
