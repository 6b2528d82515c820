import { readFileSync } from "node:fs";
import type { EngineReply, EngineRequest } from "./engine.types.ts";
import { encodeFrame, FrameAssembler } from "./frames.ts";
import { scriptLimits } from "./script-limits.ts";

/** Max. start time of a process in ms; enough for a machine that is booting or swapping. */
const START_MS_MAX = 20_000;

/** Resolution of the kernel's processor time, in ms. */
const TICK_MS = 10;

/** Grace time in ms, so that a response that arrived while this thread was busy is read before the limit applies. */
const GRACE_MS = 10;

export class ProcessEnded extends Error {
  /** True if the process was killed for exceeding its time; false if it ended by itself. */
  readonly hasOverrun: boolean;

  constructor(hasOverrun: boolean) {
    super(hasOverrun ? "killed" : "ended");
    this.hasOverrun = hasOverrun;
  }
}

interface Waiter {
  resolve(frame: unknown): void;
  reject(error: ProcessEnded): void;
}

/** Script process, which runs one script at a time. */
export class ScriptProcess {
  readonly #child: Bun.Subprocess<"pipe", "pipe", "ignore">;
  readonly #frames = new FrameAssembler();
  #waiter: Waiter | undefined;
  #runs = 0;
  #hasEnded = false;
  #hasOverrun = false;
  /** Processor time used at its last response, in ms. */
  #usedBeforeMs = 0;

  private constructor(command: readonly string[]) {
    this.#child = Bun.spawn([...command], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
      // Without the gateway's environment, which may contain passwords. Codecs were written for servers in UTC.
      env: { TZ: "UTC" },
      cwd: "/",
    });
    // The gateway may end while it runs: its standard input ends then, and with it the process.
    this.#child.unref();
    void this.#read();
  }

  /** Resolves once the process accepts scripts. @throws ProcessEnded */
  static async start(command: readonly string[]): Promise<ScriptProcess> {
    const started = new ScriptProcess(command);
    const timer = setTimeout(() => started.kill(), START_MS_MAX);
    try {
      const ready = (await started.#next()) as { processorUs: number };
      started.#usedBeforeMs = ready.processorUs / 1000;
      return started;
    } finally {
      clearTimeout(timer);
    }
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Number of completed runs. */
  get runs(): number {
    return this.#runs;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** @throws ProcessEnded, after which the process is unusable */
  async execute(request: EngineRequest): Promise<EngineReply> {
    const response = this.#next();
    const stopWatching = this.#watch();
    try {
      await this.#write(encodeFrame(request));
      const reply = (await response) as EngineReply;
      this.#usedBeforeMs = reply.processorUs / 1000;
      this.#runs++;
      return reply;
    } finally {
      stopWatching();
    }
  }

  /** Writes a frame. A process that has just ended refuses the bytes before its end is noticed, which callers learn separately. */
  async #write(frame: Uint8Array): Promise<void> {
    try {
      this.#child.stdin.write(frame);
      await this.#child.stdin.flush();
    } catch {
      this.kill();
    }
  }

  kill(): void {
    this.#child.kill("SIGKILL");
    this.#end();
  }

  #next(): Promise<unknown> {
    if (this.#hasEnded) return Promise.reject(new ProcessEnded(this.#hasOverrun));
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
  }

  async #read(): Promise<void> {
    try {
      for await (const bytes of this.#child.stdout)
        for (const frame of this.#frames.add(bytes)) {
          const waiter = this.#waiter;
          this.#waiter = undefined;
          waiter?.resolve(frame);
        }
    } catch {
      // It sends something other than frames, so it is no longer trusted.
    }
    this.kill();
  }

  #end(): void {
    this.#hasEnded = true;
    const waiter = this.#waiter;
    this.#waiter = undefined;
    waiter?.reject(new ProcessEnded(this.#hasOverrun));
  }

  /** Kills the process once the run has used its processor or wall time. Returns a function that ends the watch. */
  #watch(): () => void {
    const began = performance.now();
    let timer: ReturnType<typeof setTimeout>;
    const poll = () => {
      const left = Math.min(
        scriptLimits.hardMs - (this.#processorMs() - this.#usedBeforeMs),
        scriptLimits.hardWallMs - (performance.now() - began),
      );
      timer =
        left > TICK_MS
          ? setTimeout(poll, left)
          : setTimeout(() => {
              this.#hasOverrun = true;
              this.kill();
            }, GRACE_MS);
    };
    timer = setTimeout(poll, scriptLimits.hardMs);
    return () => clearTimeout(timer);
  }

  /** Returns the processor time; infinite if the kernel does not report it, so that wall time alone decides. */
  #processorMs(): number {
    try {
      const stat = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8");
      // After the name, which may hold anything: state is field 3, user and system time are 14 and 15.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }
}
