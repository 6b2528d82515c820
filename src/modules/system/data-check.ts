import { detail, inEnglish } from "../../lib/core/domain-error.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Problem } from "../../platform/core/health.ts";
import { type Logger, watchErrors } from "../../platform/core/log.ts";
import { type DatabaseReport, isUnreadable } from "../../platform/database/database-check.ts";
import type { InventoryKeeper } from "../../platform/files/inventory-keeper.ts";
import { makeIdle } from "../../platform/process/idle-priority.ts";
import { ownProgram } from "../../platform/process/own-program.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { createPeriodic } from "../../platform/time/periodic.ts";
import type { TelemetryStore } from "../telemetry/store/store.types.ts";

const DAMAGE_POLL_MS = 60_000;
/** Min. interval in ms between checks started by read errors. */
const UNREADABLE_CHECK_MS = 10 * 60_000;
/** Delay of a due check after startup, in ms. */
const FIRST_CHECK_MS = 3_000;
/** Exit codes of a completed check: intact files, or damaged files. */
const FINISHED: ReadonlySet<number> = new Set([0, 1]);

/** Check of all databases; without `databases` it is running, or did not finish. */
export interface CheckRun {
  readonly startedAt: number;
  readonly finishedAt?: number;
  readonly databases?: readonly DatabaseReport[];
  /** Reason why the check did not finish, in English. */
  readonly failure?: string;
}

export interface DataCheckDeps {
  readonly store: Pick<TelemetryStore, "stats" | "onDamaged">;
  readonly inventory: Pick<InventoryKeeper, "note" | "noteCheck" | "isCheckDue">;
  readonly dataPath: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Command that prints the reports as JSON; the program's own `check` by default, replaced in tests. */
  readonly command?: readonly string[];
}

/**
 * Damaged files found by the running store and by the last check. A check runs in a separate process, so that it neither blocks the event loop nor
 * drops the locks on the databases. It starts automatically when due, at idle priority.
 */
export class DataCheck {
  readonly name = "data check";
  readonly #deps: DataCheckDeps;
  readonly #timer: { start(): void; stop(): void };
  #met: readonly string[] = [];
  #run: CheckRun | undefined;
  #child: Bun.Subprocess | undefined;
  #isStopped = false;
  /** True if a module could not read a database since the last check without findings. */
  #isUnreadable = false;
  #nextCheckMs = Number.NEGATIVE_INFINITY;
  #endWatch: () => void = () => undefined;
  #cancelFirst: () => void = () => undefined;

  constructor(deps: DataCheckDeps) {
    this.#deps = deps;
    const { clock, log } = deps;
    this.#timer = createPeriodic({
      clock,
      log,
      intervalMs: DAMAGE_POLL_MS,
      work: () => {
        void this.#askStore();
        this.#beginIfDue();
      },
    });
  }

  start(): void {
    this.#endWatch = watchErrors((error) => {
      if (isUnreadable(error)) this.#noteUnreadable();
    });
    this.#deps.store.onDamaged(() => void this.#askStore());
    void this.#askStore();
    this.#timer.start();
    this.#cancelFirst = this.#deps.clock.schedule(FIRST_CHECK_MS, () => this.#beginIfDue());
  }

  stop(): void {
    this.#cancelFirst();
    this.#timer.stop();
    this.#endWatch();
    this.#isStopped = true;
    this.#child?.kill();
  }

  /** Running check, or the last one since startup. */
  get run(): CheckRun | undefined {
    return this.#run;
  }

  /** Known damage, one line each in English. */
  get damage(): readonly string[] {
    return [...new Set(this.#damage.map(inEnglish))];
  }

  get #damage(): readonly Text[] {
    const met = { name: "telemetry.db", problems: this.#met };
    return [met, ...(this.#run?.databases ?? [])].flatMap(({ name, problems }) =>
      problems.map((problem) => detail("loss.damage", { file: name, problem })),
    );
  }

  problem(): Problem | undefined {
    const { length } = this.damage;
    if (length > 0) return { severity: "WARNING", code: "storage.damaged", params: { count: length } };
    if (this.#isUnreadable) return { severity: "WARNING", ...detail("storage.unreadable") };
    if (this.#run?.failure !== undefined) return { severity: "WARNING", ...detail("storage.check_failed") };
    return undefined;
  }

  /** Records a read error; the check that is then started determines whether the files are damaged. */
  #noteUnreadable(): void {
    this.#isUnreadable = true;
    const now = this.#deps.clock.monotonic();
    if (now < this.#nextCheckMs || this.#isStopped) return;
    this.#nextCheckMs = now + UNREADABLE_CHECK_MS;
    this.begin();
  }

  /** Starts a check, unless one is already running. */
  begin(): CheckRun {
    if (this.#run !== undefined && this.#run.finishedAt === undefined) return this.#run;
    const run = { startedAt: this.#deps.clock.now() };
    this.#run = run;
    void this.#check(run);
    return run;
  }

  #beginIfDue(): void {
    if (this.#deps.inventory.isCheckDue) this.begin();
  }

  async #check(run: CheckRun): Promise<void> {
    const { clock, inventory, log } = this.#deps;
    let outcome: Pick<CheckRun, "databases" | "failure">;
    try {
      outcome = { databases: await this.#ask() };
    } catch (error) {
      if (this.#isStopped) return;
      log.warn("checking the data files failed", { error });
      outcome = { failure: error instanceof Error ? error.message : String(error) };
    }
    this.#run = { ...run, ...outcome, finishedAt: clock.now() };
    if (outcome.databases === undefined) return;
    this.#isUnreadable = false;
    void inventory.note(this.#damage);
    void inventory.noteCheck();
    const { startedAt, finishedAt = startedAt } = this.#run;
    log.info("data files checked", {
      problems: this.damage.length,
      seconds: (finishedAt - startedAt) / 1_000,
    });
  }

  async #ask(): Promise<DatabaseReport[]> {
    const { dataPath, command = [...ownProgram(), "check", "--json", "--data", dataPath] } = this.#deps;
    const child = Bun.spawn([...command], { stdout: "pipe", stderr: "pipe" });
    this.#child = child;
    makeIdle(child.pid);
    const [output, errors, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    this.#child = undefined;
    const reports: unknown = FINISHED.has(code) && output !== "" ? JSON.parse(output) : undefined;
    if (!Array.isArray(reports) || !reports.every(isReport))
      throw new Error(errors.trim() || `the check ended with exit code ${code}`);
    return reports;
  }

  async #askStore(): Promise<void> {
    try {
      this.#met = (await this.#deps.store.stats()).corruptBlocks;
      void this.#deps.inventory.note(this.#damage);
    } catch {
      // A stopped or failed store reports its own problem.
    }
  }
}

const isReport = (value: unknown): value is DatabaseReport =>
  isJsonObject(value) && typeof value.name === "string" && Array.isArray(value.problems);
