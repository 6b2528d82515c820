import { detail } from "../../lib/core/domain-error.ts";
import type { Problem } from "../../platform/core/health.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Part } from "../../platform/process/lifecycle.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { createPeriodic } from "../../platform/time/periodic.ts";
import { readOpenFiles, readOpenFilesMax } from "./host-readings.ts";

const INTERVAL_MS = 5_000;
/** Share of the limit above which new connections may soon fail. */
const SHARE_MAX = 0.9;

interface OpenFilesWatchDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the number of open files and their limit, if the system reports them. */
  readonly read?: () => { readonly open: number | undefined; readonly max: number | undefined };
}

const readFromSystem = () => ({ open: readOpenFiles(), max: readOpenFilesMax() });

/** Warns before the process runs out of file descriptors: without them it cannot accept connections, and the runtime reports no error. */
export class OpenFilesWatch implements Part {
  readonly name = "open files watch";
  readonly #deps: OpenFilesWatchDeps;
  readonly #timer: { start(): void; stop(): void };
  #scarce: { readonly open: number; readonly max: number } | undefined;

  constructor(deps: OpenFilesWatchDeps) {
    this.#deps = deps;
    const { clock, log } = deps;
    this.#timer = createPeriodic({ clock, log, intervalMs: INTERVAL_MS, work: () => this.#check() });
  }

  start(): void {
    this.#timer.start();
  }

  stop(): void {
    this.#timer.stop();
  }

  problem(): Problem | undefined {
    if (this.#scarce === undefined) return undefined;
    return { severity: "WARNING", ...detail("system.open_files", this.#scarce) };
  }

  #check(): void {
    const { open, max } = (this.#deps.read ?? readFromSystem)();
    const isScarce = open !== undefined && max !== undefined && open > max * SHARE_MAX;
    if (isScarce && this.#scarce === undefined)
      this.#deps.log.error("file descriptors running out, new connections may fail", { open, max });
    this.#scarce = isScarce ? { open, max } : undefined;
  }
}
