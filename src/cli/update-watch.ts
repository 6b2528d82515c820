import { readFileSync } from "node:fs";
import { detail } from "../lib/core/domain-error.ts";
import { HUNG_SECONDS, noteHang } from "../modules/updates/update-start.ts";
import {
  isOnTrial,
  readHeartbeat,
  readState,
  type UpdatePhase,
  writeReason,
} from "../modules/updates/update-state.ts";
import { processEnv } from "../platform/config/config.ts";
import { takeGatewayLock } from "../platform/files/gateway-lock.ts";
import { becomeProgram, WATCH_DETACHED } from "./update-trial.ts";

const INTERVAL_MS = 200;
const LOCK_INTERVAL_MS = 1_000;
/** Time for a supervisor to start the old version, before the watcher does. */
const SUPERVISOR_MS = 10_000;

/** Returns the start time of a process, which distinguishes it from a later one with the same id; undefined if it has ended. */
function startOf(pid: number): string | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** Clock of the watcher. */
interface WatchTime {
  monotonic(): number;
  sleep(ms: number): Promise<void>;
}

const systemTime: WatchTime = { monotonic: () => performance.now(), sleep: (ms) => Bun.sleep(ms) };

/** Detects when a version on trial must be ended. */
class TrialWatch {
  readonly #dataPath: string;
  readonly #readyBy: number;
  #heartbeat: string | undefined;
  #beatAt = 0;

  constructor(dataPath: string, readyBy: number) {
    this.#dataPath = dataPath;
    this.#readyBy = readyBy;
  }

  /** Returns true, and records the reason, if the version is not ready in time or hangs. */
  isOver(phase: UpdatePhase | undefined, now: number): boolean {
    if (phase === "TRIAL") return now > this.#readyBy && this.#noteLate();
    const heartbeat = readHeartbeat(this.#dataPath);
    if (heartbeat !== this.#heartbeat || heartbeat === undefined) {
      this.#heartbeat = heartbeat;
      this.#beatAt = now;
    }
    if (now - this.#beatAt <= HUNG_SECONDS * 1_000) return false;
    noteHang(this.#dataPath);
    return true;
  }

  #noteLate(): true {
    const seconds = Math.round((readState(this.#dataPath)?.readyWithinMs ?? 0) / 1_000);
    writeReason(this.#dataPath, detail("update.not_ready", { seconds }));
    return true;
  }
}

/**
 * Waits for the end of the trial and the probation, or of the process. Ends the process if it is not ready in time or hangs on probation. A restart
 * has a watcher of its own, so it ends this watch: several watchers would count one crash several times.
 * Resolves to true if the process has ended.
 */
export async function untilTrialEnds(
  dataPath: string,
  { pid, readyWithinMs }: { readonly pid: number; readonly readyWithinMs: number },
  time = systemTime,
): Promise<boolean> {
  const watch = new TrialWatch(dataPath, time.monotonic() + readyWithinMs);
  const start = startOf(pid);
  const restarts = readState(dataPath)?.restarts;
  let isEnded = false;
  while (start !== undefined && startOf(pid) === start) {
    const state = readState(dataPath);
    const phase = state?.phase;
    if (!isOnTrial(phase) || state?.restarts !== restarts) return false;
    if (!isEnded && watch.isOver(phase, time.monotonic())) {
      isEnded = true;
      process.kill(pid, "SIGKILL");
    }
    await time.sleep(INTERVAL_MS);
  }
  return true;
}

/** Returns true if the process has crashed, and no supervisor has started the gateway in time. */
export async function isAbandoned(dataPath: string, time = systemTime): Promise<boolean> {
  const state = readState(dataPath);
  if (state?.isStopped === true) return false;
  const found = JSON.stringify(state);
  let deadline = time.monotonic() + SUPERVISOR_MS;
  while (time.monotonic() < deadline) {
    // Every start changes the state.
    if (JSON.stringify(readState(dataPath)) !== found) return false;
    const lock = takeGatewayLock(dataPath);
    // A start, a command that looks whether a gateway runs, or a thread of the ended process that still waits for the disk.
    if (lock === undefined) deadline = time.monotonic() + SUPERVISOR_MS;
    else lock.release();
    await time.sleep(LOCK_INTERVAL_MS);
  }
  return true;
}

/**
 * `lineside update-watch <data> <pid> [settings…]`: watches a version on trial from the old executable. Ends it if it is not ready in time or
 * hangs on probation, and starts the old version if no supervisor does.
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
  if (!(await untilTrialEnds(dataPath, { pid: Number(pid), readyWithinMs: state.readyWithinMs }))) return 0;
  if (await isAbandoned(dataPath)) becomeProgram(state.program, args);
  return 0;
}
