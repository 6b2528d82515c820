import { readFileSync } from "node:fs";
import { join } from "node:path";
import { detail } from "../lib/domain-error.ts";
import { isOnTrial, readState, writeReason } from "../modules/updates/update-state.ts";
import { processEnv } from "../platform/config.ts";
import { takeFileLock } from "../platform/file-lock.ts";
import { becomeProgram, WATCH_DETACHED } from "./update-trial.ts";

const INTERVAL_MS = 200;
const LOCK_INTERVAL_MS = 1_000;
/** Time that a supervisor has to start the old version, before the watcher becomes it. */
const SUPERVISOR_MS = 10_000;

/** Returns the time at which a process was started, which tells it from a later one with the same id; undefined when it has ended. */
function startOf(pid: number): string | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** Waits for the end of the trial and the probation, or of the process. Ends the process when it is not ready in time. */
async function untilTrialEnds(dataPath: string, pid: number, readyWithinMs: number): Promise<boolean> {
  const deadline = performance.now() + readyWithinMs;
  const start = startOf(pid);
  let isEnded = false;
  while (start !== undefined && startOf(pid) === start) {
    const phase = readState(dataPath)?.phase;
    if (!isOnTrial(phase)) return false;
    if (phase === "TRIAL" && performance.now() > deadline && !isEnded) {
      isEnded = true;
      writeReason(dataPath, detail("update.not_ready", { seconds: Math.round(readyWithinMs / 1_000) }));
      process.kill(pid, "SIGKILL");
    }
    await Bun.sleep(INTERVAL_MS);
  }
  return true;
}

/** Returns true when no supervisor has started the gateway in time. */
async function isAbandoned(dataPath: string): Promise<boolean> {
  const deadline = performance.now() + SUPERVISOR_MS;
  while (performance.now() < deadline) {
    if (!isOnTrial(readState(dataPath)?.phase)) return false;
    const lock = takeFileLock(join(dataPath, "lineside.lock"));
    if (lock === undefined) return false;
    lock.release();
    await Bun.sleep(LOCK_INTERVAL_MS);
  }
  return true;
}

/**
 * `lineside update-watch <data> <pid> [settings…]`: watches a version on trial from the old executable. Ends it when it is not ready in time, and starts
 * the old version where no supervisor does.
 */
export async function updateWatchCommand([dataPath = "", pid = "", ...args]: readonly string[]) {
  const state = readState(dataPath);
  if (state === undefined || !isOnTrial(state.phase)) return 0;
  if (processEnv()[WATCH_DETACHED] === undefined) {
    Bun.spawn([process.execPath, "update-watch", dataPath, pid, ...args], {
      stdio: ["inherit", "inherit", "inherit"],
      env: { ...processEnv(), [WATCH_DETACHED]: "1" },
      detached: true,
    }).unref();
    return 0;
  }
  if (!(await untilTrialEnds(dataPath, Number(pid), state.readyWithinMs))) return 0;
  if (await isAbandoned(dataPath)) becomeProgram(state.program, args);
  return 0;
}
