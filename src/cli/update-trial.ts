import { resolve } from "node:path";
import { DomainError, detail, toText } from "../lib/core/domain-error.ts";
import {
  beginProbation,
  noteStop,
  proveUpdate,
  type StartContext,
  settleUpdate,
} from "../modules/updates/update-start.ts";
import {
  isOnTrial,
  readState,
  type UpdateState,
  writeHeartbeat,
  writeReason,
} from "../modules/updates/update-state.ts";
import { type Config, processEnv } from "../platform/config/config.ts";
import { createLogger } from "../platform/core/log.ts";
import { isCompiled } from "../platform/process/assets.ts";
import { execProgram } from "../platform/process/exec-program.ts";
import { ownProgram } from "../platform/process/own-program.ts";
import type { Clock } from "../platform/time/clock.ts";

/*
 * What an update requires of the gateway's process: becoming the new version, reporting that it is ready, and becoming the old version again if its
 * start fails. The state machine is in `modules/updates/update-start.ts`.
 */

const HEARTBEAT_INTERVAL_MS = 5_000;

/** Variable with the location of the update state, for a version on trial that may not be able to read its settings. */
const TRIAL = "UPDATE_TRIAL_DATA";

/** Variable that marks the second process of the watcher, which does the watching. */
export const WATCH_DETACHED = "UPDATE_WATCH_DETACHED";

/** Returns the final path of this program, which runs under another name until the start after its update. */
const properProgram = (): string => process.execPath.replace(/\.next$/, "");

const environmentOf = (trialData?: string) => ({
  ...processEnv(),
  [TRIAL]: trialData,
  [WATCH_DETACHED]: undefined,
});

/** Replaces this process with another executable and the same arguments. */
export function becomeProgram(program: string, args: readonly string[], trialData?: string): never {
  return execProgram(program, ["serve", ...args], environmentOf(trialData));
}

/** Starts the gateway again in place of this process, which must be stopped. The start continues a pending update or restoration. */
export function restartProgram(args: readonly string[]): never {
  const [program = properProgram(), ...own] = ownProgram(properProgram());
  return execProgram(program, [...own, "serve", ...args], environmentOf());
}

const contextOf = (dataPath: string): StartContext => ({
  dataPath,
  program: isCompiled() ? process.execPath : undefined,
  now: () => Date.now(),
  log: createLogger("update"),
});

/** Continues an update in the data directory at the start. Does not return if another executable must run. */
export function continueUpdate({ data }: Config, args: readonly string[]): void {
  const dataPath = resolve(data);
  const step = settleUpdate(contextOf(dataPath));
  if (step.kind !== "exec") return;
  const { program, watched } = step;
  if (watched !== undefined) startWatcher(dataPath, watched, args);
  becomeProgram(program, args, watched && dataPath);
}

/** Max. time for the watcher to detach itself, in ms. */
const WATCHER_MS_MAX = 15_000;
const WATCHER_ATTEMPTS = 2;

/**
 * Starts the watcher from the old executable. It detaches itself from this process, which is about to become the new version and would not reap it.
 * A watcher that hangs must not keep the gateway from starting: it is killed and started once more.
 */
export function startWatcher(
  dataPath: string,
  { program }: Pick<UpdateState, "program">,
  args: readonly string[],
  limitMs = WATCHER_MS_MAX,
): void {
  const log = createLogger("update");
  for (let attempt = 1; attempt <= WATCHER_ATTEMPTS; attempt++) {
    const { exitCode, signalCode } = Bun.spawnSync(
      [program, "update-watch", dataPath, String(process.pid), ...args],
      {
        stdio: ["inherit", "inherit", "inherit"],
        env: { ...processEnv(), [TRIAL]: undefined },
        timeout: limitMs,
        killSignal: "SIGKILL",
      },
    );
    if (exitCode === 0) return;
    log.warn("watcher of the update did not start", { attempt, exitCode, signalCode });
  }
  log.error("new version starts unwatched, only a supervisor rolls it back");
}

/** Returns the state of the trial of this process. */
function ownTrial(dataPath: string | undefined): UpdateState | undefined {
  if (dataPath === undefined || !isCompiled()) return undefined;
  const state = readState(dataPath);
  return state !== undefined && isOnTrial(state.phase) && state.next === process.execPath ? state : undefined;
}

/** Begins the probation of a ready version on trial, and ends it after its duration. Returns a function that cancels it. */
export function proveTrial({ data }: Config, clock: Clock): () => void {
  const dataPath = resolve(data);
  const state = ownTrial(dataPath);
  if (state === undefined) return () => undefined;
  const context = contextOf(dataPath);
  const probationMs = beginProbation(context, state);
  if (probationMs > 0) {
    keepBeating(dataPath);
    return clock.schedule(probationMs, () => proveUpdate(context, state));
  }
  proveUpdate(context, state);
  return () => undefined;
}

/** Writes heartbeats until the end of the probation, even while the gateway stops. */
function keepBeating(dataPath: string): void {
  const timer = setInterval(() => {
    if (isOnTrial(readState(dataPath)?.phase)) writeHeartbeat(dataPath);
    else clearInterval(timer);
  }, HEARTBEAT_INTERVAL_MS);
  timer.unref();
}

/** Records an orderly stop of this version on probation, as opposed to a crash. */
export const noteOrderlyStop = ({ data }: Config): void => noteStop(resolve(data), process.execPath);

/** Returns to the old version if this process is on trial and cannot start. */
export function returnFromTrial(error: unknown, args: readonly string[]): void {
  const dataPath = processEnv()[TRIAL];
  const state = ownTrial(dataPath);
  if (dataPath === undefined || state === undefined) return;
  const message = error instanceof Error ? error.message : String(error);
  const reason =
    error instanceof DomainError ? toText(error) : detail("update.start_failed", { reason: message });
  writeReason(dataPath, reason);
  becomeProgram(state.program, args);
}
