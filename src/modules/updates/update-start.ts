import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { detail } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Logger } from "../../platform/core/log.ts";
import { storedSchema } from "../../platform/database/data-schemas.ts";
import { listHotLogs } from "../../platform/database/hot-log-names.ts";
import { syncPath } from "../../platform/files/durable-file.ts";
import type { FileLock } from "../../platform/files/file-lock.ts";
import { takeGatewayLock } from "../../platform/files/gateway-lock.ts";
import { acceptRestored } from "../../platform/files/inventory.ts";
import { setAside } from "../../platform/files/set-aside.ts";
import {
  clearState,
  copiesFolder,
  isStateDamaged,
  previousProgram,
  readReason,
  readState,
  rolledBackFolder,
  type UpdatePhase,
  type UpdateResult,
  type UpdateState,
  writeHeartbeat,
  writeReason,
  writeResult,
  writeState,
} from "./update-state.ts";

/*
 * An update is a state machine in `update/state.json` of the data directory, which every start of the gateway reads first. The new executable
 * is next to the old one (`lineside.next`) and runs from there until it has proved itself; if it is killed, a supervisor starts the old one.
 *
 *   STAGED     Files are checked and in place, the backup is made. A start of the old version copies the databases that the new version
 *              migrates, goes to TRIAL and becomes the new version (execve keeps the process id).
 *              Until then another update may replace it, or a user discard it.
 *   TRIAL      The new version starts. When it is ready, it goes to PROBATION. When its start fails, it becomes the old version again. When it dies or
 *              hangs, the watcher (`update-watch`) or a supervisor starts the old version. A start of the old version in this phase
 *              rolls back: it puts back the copies of databases that were migrated, and removes the new executable. So does a power cut.
 *   PROBATION  The new version is ready, and must run for some minutes before it is kept. If it crashes, it is started again; after the third crash,
 *              a start of the old version rolls back as in TRIAL. An orderly stop does not count as a crash. If its heartbeat stops, the watcher ends it,
 *              and the next start rolls back.
 *   PROVED     The decision: from here on, the new version is the right one. A process with write access replaces the executable:
 *              the old one becomes `lineside.previous` (phase REPLACING: that is done), the new one takes its name.
 *              A process without (the program belongs to root) leaves it to the command that staged the update, and
 *              every start of the old executable becomes the new one.
 *   REPLACED   The next start under the proper name removes `lineside.next`. Until then the running process uses that name.
 *
 * Each phase is one atomic, synced write. All that is done in a phase can be repeated, so a start continues where a kill interrupted.
 */

/** Next step of a start once its update is settled. */
export type StartStep =
  | { readonly kind: "serve" }
  /** This process is the version on trial and reports whether it is ready. */
  | { readonly kind: "prove"; readonly state: UpdateState }
  /** Another executable replaces this process. */
  | { readonly kind: "exec"; readonly program: string; readonly watched: UpdateState | undefined };

export interface StartContext {
  readonly dataPath: string;
  /** Path of the running executable; undefined in a checkout. */
  readonly program: string | undefined;
  readonly now: () => number;
  readonly log: Logger;
}

const SERVE: StartStep = { kind: "serve" };
const LOCK_ATTEMPTS = 10;
const LOCK_RETRY_MS = 50;
const TELEMETRY_FILE = "telemetry.db";
/** Max. crashes of a version on probation; another crash rolls it back. */
const CRASHES_MAX = 2;
/** Max. time in seconds for which the event loop of a version on probation may hang before it is rolled back. */
export const HUNG_SECONDS = 60;
/** Files of an interrupted update: `lineside.4711.new`, with the id of the writing process. */
const LEFTOVER = /\.(\d+)\.new$/;
/** Max. duration of an update in ms; older leftovers without a process id are removed. */
const STAGING_MS_MAX = 3_600_000;

/** Continues an update found at startup. Call it before anything opens the databases. */
export function settleUpdate(context: StartContext): StartStep {
  const { dataPath, program } = context;
  const state = readState(dataPath);
  if (isStateDamaged(dataPath))
    context.log.warn("state of an update cannot be read and is ignored", { file: "update/state.json" });
  if (program === undefined) return SERVE;
  removeLeftovers(context, program);
  if (state === undefined) return SERVE;
  const lock = takeDataLock(dataPath);
  if (lock === undefined) return SERVE; // another gateway runs there, and this start will fail
  try {
    return settle(context, program, state);
  } finally {
    lock.release();
  }
}

/** Takes the lock of the data directory, which the watcher of a trial briefly takes from time to time. */
function takeDataLock(dataPath: string): FileLock | undefined {
  for (let attempt = 1; attempt <= LOCK_ATTEMPTS; attempt++) {
    const lock = takeGatewayLock(dataPath);
    if (lock !== undefined) return lock;
    Bun.sleepSync(LOCK_RETRY_MS);
  }
  return undefined;
}

function settle(context: StartContext, program: string, state: UpdateState): StartStep {
  const { dataPath } = context;
  const isNext = program === state.next;
  if (state.phase === "STAGED") return beginTrial(context, program, state);
  if (state.phase === "TRIAL") {
    if (isNext) return { kind: "prove", state };
    rollBack(context, state);
    return SERVE;
  }
  if (state.phase === "PROBATION") return continueProbation(context, state, isNext);
  if (state.phase === "REPLACED" || !existsSync(state.next)) {
    if (!isNext) endUpdate(dataPath, state);
    return SERVE;
  }
  const isReplaced = replaceProgram(dataPath);
  if (isNext) return SERVE;
  return { kind: "exec", program: isReplaced ? state.program : state.next, watched: undefined };
}

/** Restarts a version on probation, unless it has crashed too often. */
function continueProbation(context: StartContext, state: UpdateState, isNext: boolean): StartStep {
  const { dataPath, log } = context;
  if (isNext) return { kind: "prove", state };
  const crashes = (state.crashes ?? 0) + (state.isStopped ? 0 : 1);
  if (crashes > CRASHES_MAX || !existsSync(state.next)) {
    if (readReason(dataPath) === undefined)
      writeReason(dataPath, detail("update.crashed", { count: crashes }));
    rollBack(context, state);
    return SERVE;
  }
  try {
    copyUnmigrated(dataPath, state);
  } catch (error) {
    // The version can run without: a rollback then puts back what was copied before the update.
    log.error("databases cannot be copied before the new version migrates them", { error });
  }
  const next = { ...state, crashes, restarts: (state.restarts ?? 0) + 1, isStopped: false };
  writeState(dataPath, next);
  if (!state.isStopped) log.warn("new version crashed, restarting", { to: state.to, crashes });
  return { kind: "exec", program: state.next, watched: next };
}

/** Removes large files that an interrupted update left next to the program. */
function removeLeftovers({ log, now }: StartContext, program: string): void {
  const folder = dirname(program);
  const name = basename(program).replace(/\.next$/, "");
  for (const file of readdirSync(folder)) {
    const pid = LEFTOVER.exec(file)?.[1];
    const path = join(folder, file);
    const isLeft =
      pid !== undefined
        ? !existsSync(`/proc/${pid}`)
        : file === `${name}.next.part` &&
          now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > STAGING_MS_MAX;
    if (!file.startsWith(`${name}.`) || !isLeft) continue;
    try {
      rmSync(path, { force: true });
      log.info("file of an interrupted update removed", { path });
    } catch {
      // The folder belongs to another user, whose next update removes it.
    }
  }
}

function beginTrial(context: StartContext, program: string, state: UpdateState): StartStep {
  const { dataPath, log } = context;
  const problem =
    program === state.program
      ? existsSync(state.next)
        ? undefined
        : detail("update.file_missing", { path: state.next })
      : detail("update.other_program", { program, expected: state.program });
  if (problem !== undefined) {
    failUpdate(context, state, problem);
    return SERVE;
  }
  try {
    copyDatabases(dataPath, state);
  } catch (error) {
    log.error("update given up, databases cannot be copied", { error });
    const reason = error instanceof Error ? error.message : String(error);
    failUpdate(context, state, detail("update.copy_failed", { reason }));
    return SERVE;
  }
  const trial = setPhase(dataPath, state, "TRIAL");
  log.info("starting the new version", { from: state.from, to: state.to });
  return { kind: "exec", program: state.next, watched: trial };
}

/** Copies the databases that the new version migrates. None is open, so each file is consistent with its log. */
function copyDatabases(dataPath: string, state: UpdateState): void {
  rmSync(copiesFolder(dataPath), { recursive: true, force: true });
  copyUnmigrated(dataPath, state);
}

/** Copies the databases that the new version is still to migrate, over earlier copies: a backup may have been restored since. */
function copyUnmigrated(dataPath: string, { schemas }: UpdateState): void {
  const folder = copiesFolder(dataPath);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [file, schema] of Object.entries(schemas)) {
    const stored = storedSchema(dataPath, file);
    if (stored === undefined || stored === schema) continue;
    for (const name of [file, ...logsOf(folder, file)]) rmSync(join(folder, name), { force: true });
    // The database is last: a copy without it is not put back.
    for (const name of [...logsOf(dataPath, file), file]) {
      const path = join(dataPath, name);
      if (existsSync(path)) copyDurably(path, join(folder, name));
    }
  }
  syncPath(folder);
}

/** Returns the possible log paths of a database in a folder. */
const logsOf = (folder: string, file: string): string[] => [
  `${file}-wal`,
  ...(file === TELEMETRY_FILE ? listHotLogs(folder) : []),
];

function copyDurably(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  syncPath(to);
}

function setPhase(dataPath: string, state: UpdateState, phase: UpdatePhase): UpdateState {
  const next = { ...state, phase };
  writeState(dataPath, next);
  return next;
}

/** Restores the databases that the new version has migrated or made unreadable. The others contain newer data and are kept. */
function restoreCopies({ dataPath, log }: StartContext, { schemas }: UpdateState): void {
  const folder = copiesFolder(dataPath);
  for (const file of Object.keys(schemas)) {
    const copy = join(folder, file);
    if (!existsSync(copy)) continue;
    const schema = readSchema(folder, file);
    if (schema instanceof Error) {
      const path = setAside(copy, dataPath);
      log.error("copy of a database is damaged and was not put back", { path, reason: schema.message });
      continue;
    }
    if (readSchema(dataPath, file) === schema) continue;
    const path = join(dataPath, file);
    acceptRestored(dataPath, [file]);
    moveRolledBack(dataPath, file);
    for (const name of logsOf(folder, file))
      if (existsSync(join(folder, name))) copyDurably(join(folder, name), join(dataPath, name));
    copyDurably(copy, `${path}.copy`);
    renameSync(`${path}.copy`, path);
  }
  syncPath(dataPath);
}

/** Moves a database that the old version cannot read to another folder. Data stored on probation is kept. */
function moveRolledBack(dataPath: string, file: string): void {
  const folder = rolledBackFolder(dataPath);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // An interrupted start has moved everything, and the logs in place are copies.
  if (existsSync(join(folder, file)) && !existsSync(join(dataPath, file))) return;
  // In this order, so that a log is never next to a file that it does not belong to.
  for (const name of [...logsOf(dataPath, file), `${file}-position`, `${file}-synced`, `${file}-shm`, file])
    if (existsSync(join(dataPath, name))) renameSync(join(dataPath, name), join(folder, name));
  syncPath(folder);
  syncPath(dataPath);
}

/** Returns the schema of a database, or the error of an unreadable one. */
function readSchema(folder: string, file: string): number | undefined | Error {
  try {
    return storedSchema(folder, file);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function rollBack(context: StartContext, state: UpdateState): void {
  const { dataPath, log } = context;
  const reason = readReason(dataPath) ?? detail("update.ended");
  restoreCopies(context, state);
  end(context, state, { outcome: "ROLLED_BACK", reason });
  log.error("update rolled back", { from: state.from, to: state.to, code: reason.code });
}

/** Aborts an update before its trial. */
export function failUpdate(context: StartContext, state: UpdateState, reason: Text): void {
  end(context, state, { outcome: "FAILED", reason });
  context.log.error("update given up", { from: state.from, to: state.to, code: reason.code });
}

function end(
  { dataPath, now }: StartContext,
  state: UpdateState,
  result: Pick<UpdateResult, "outcome" | "reason">,
): void {
  const { from, to, actor } = state;
  writeResult(dataPath, { ...result, from, to, at: now(), isNew: true, actor });
  endUpdate(dataPath, state);
}

/** Discards an update that waits for a restart. */
export function discardStaged(dataPath: string): void {
  const state = readState(dataPath);
  if (state?.phase === "STAGED") endUpdate(dataPath, state);
}

function endUpdate(dataPath: string, { next }: UpdateState): void {
  try {
    rmSync(next, { force: true });
  } catch {
    // The program belongs to another user. The file is overwritten by the next update.
  }
  clearState(dataPath);
}

/** Starts the probation of a version that is ready. Returns the run time after which it is proven, in ms. */
export function beginProbation({ dataPath, log }: StartContext, state: UpdateState): number {
  writeHeartbeat(dataPath);
  writeState(dataPath, { ...state, phase: "PROBATION", isStopped: false });
  if (state.probationMs > 0)
    log.info("new version on probation", { to: state.to, seconds: state.probationMs / 1_000 });
  return state.probationMs;
}

/** Records that the version on probation hangs, so the next start rolls back. */
export function noteHang(dataPath: string): void {
  const state = readState(dataPath);
  if (state?.phase !== "PROBATION") return;
  writeReason(dataPath, detail("update.hung", { seconds: HUNG_SECONDS }));
  writeState(dataPath, { ...state, crashes: CRASHES_MAX, isStopped: false });
}

/** Records that the version on probation stops normally. */
export function noteStop(dataPath: string, program: string): void {
  const state = readState(dataPath);
  if (state?.phase === "PROBATION" && state.next === program)
    writeState(dataPath, { ...state, isStopped: true });
}

/** Accepts the version on trial, and replaces the executable if possible. */
export function proveUpdate({ dataPath, now, log }: StartContext, state: UpdateState): void {
  const { from, to, actor } = state;
  writeResult(dataPath, { outcome: "UPDATED", from, to, at: now(), isNew: true, actor });
  setPhase(dataPath, state, "PROVED");
  log.info("updated", { from, to });
  replaceProgram(dataPath);
}

/**
 * Replaces the old executable, which becomes `lineside.previous`, by the new one once the update is proven. Idempotent. Returns `false` if this user
 * may not write there, and for an unproven update.
 */
export function replaceProgram(dataPath: string): boolean {
  const state = readState(dataPath);
  if (state?.phase === "REPLACED") return true;
  if (state?.phase !== "PROVED" && state?.phase !== "REPLACING") return false;
  const { program, next } = state;
  const folder = dirname(program);
  if (!isWritable(folder)) return false;
  if (state.phase === "PROVED") {
    // The gateway and `lineside update` may both do this. The old version must not be replaced by a copy of the new version.
    if (!isSameFile(program, next)) replaceByLink(program, previousProgram(program));
    syncPath(folder);
    setPhase(dataPath, state, "REPLACING");
  }
  replaceByLink(next, program);
  syncPath(folder);
  setPhase(dataPath, state, "REPLACED");
  return true;
}

/** Returns whether files of a folder may be replaced; false on a read-only file system. */
export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns whether two names refer to the same file. */
function isSameFile(path: string, other: string): boolean {
  const [first, second] = [statSync(path), statSync(other)];
  return first.ino === second.ino && first.dev === second.dev;
}

/** Links the file to another name, replacing an existing file; copies it if the file system has no links. */
function replaceByLink(file: string, name: string): void {
  const temporary = `${name}.${process.pid}.new`;
  rmSync(temporary, { force: true });
  try {
    linkSync(file, temporary);
  } catch {
    copyDurably(file, temporary);
  }
  renameSync(temporary, name);
}
