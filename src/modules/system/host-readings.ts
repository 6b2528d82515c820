import { readdirSync, readFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { createHistogram } from "node:perf_hooks";
import { systemClock } from "../../platform/time/clock.ts";
import { untilSharedWake } from "../../platform/time/periodic.ts";

const THERMAL = "/sys/class/thermal";
/**
 * Interval between measurements of the event loop, in ms: while the main thread works, and while it is idle, when frequent measurements would be
 * most of its work.
 */
const LOOK_MS_WORKING = 20;
const LOOK_MS_RESTING = 500;
/** Share of a processor from which the main thread counts as working. */
const WORKING_SHARE = 0.05;
const NS_PER_MS = 1_000_000;

const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // not on this system, or not for this user
  }
};

/** Returns the number after a label in a file such as /proc/meminfo. */
function numberIn(path: string, label: string): number | undefined {
  const line = readText(path)
    ?.split("\n")
    .find((text) => text.startsWith(`${label}:`));
  return line === undefined ? undefined : Number.parseInt(line.slice(label.length + 1), 10);
}

/** Returns the highest temperature of all thermal zones in °C; undefined if there is none. */
export function readTemperature(): number | undefined {
  let zones: string[];
  try {
    zones = readdirSync(THERMAL).filter((name) => name.startsWith("thermal_zone"));
  } catch {
    return undefined;
  }
  const values = zones.flatMap((zone) => {
    const milli = Number(readText(`${THERMAL}/${zone}/temp`));
    return Number.isFinite(milli) && milli > 0 ? [milli / 1_000] : [];
  });
  return values.length === 0 ? undefined : Math.max(...values);
}

/** Returns the share of the machine's memory in use, 0 to 1. */
export function readMemoryShare(): number | undefined {
  const availableKb = numberIn("/proc/meminfo", "MemAvailable");
  return availableKb === undefined ? undefined : 1 - (availableKb * 1_024) / totalmem();
}

/** Returns the bytes that the kernel has written to disks for this process. */
export const readBytesWritten = (): number | undefined => numberIn("/proc/self/io", "write_bytes");

/** Returns the number of open file descriptors. */
export function readOpenFiles(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}

/** Returns this process's limit of open files; undefined if the system does not report it. */
export function readOpenFilesMax(): number | undefined {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const max = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1]);
    return Number.isNaN(max) ? undefined : max;
  } catch {
    return undefined;
  }
}

/** Busy share of all processors since the last call, 0 to 1. */
export class ProcessorLoad {
  #busy = 0;
  #total = 0;

  read(): number {
    let [busy, total] = [0, 0];
    for (const { times } of cpus()) {
      const sum = times.user + times.nice + times.sys + times.idle + times.irq;
      total += sum;
      busy += sum - times.idle;
    }
    const share = total === this.#total ? 0 : (busy - this.#busy) / (total - this.#total);
    [this.#busy, this.#total] = [busy, total];
    return Math.min(1, Math.max(0, share));
  }
}

/** Delay of the event loop: percentiles since the last `reset`, in ms. */
export class EventLoopDelay {
  readonly #histogram = createHistogram();
  #timer: NodeJS.Timeout | undefined;

  start(): void {
    this.#look(false);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  percentile(percent: number): number {
    return this.#histogram.count === 0 ? 0 : this.#histogram.percentile(percent) / NS_PER_MS;
  }

  reset(): void {
    this.#histogram.reset();
  }

  #look(isResting: boolean): void {
    const ms = isResting ? untilSharedWake(systemClock, LOOK_MS_RESTING) : LOOK_MS_WORKING;
    const before = performance.now();
    const usage = process.threadCpuUsage();
    this.#timer = setTimeout(() => {
      const tookMs = performance.now() - before;
      const { user, system } = process.threadCpuUsage(usage);
      const workedMs = (user + system) / 1_000;
      const isWorking = workedMs / tookMs >= WORKING_SHARE;
      // Between two idle samples, work may have started and ended; all of it counts as one delay.
      const delayMs = Math.max(tookMs - ms, isResting && isWorking ? workedMs : 0);
      this.#histogram.record(Math.max(1, Math.round(delayMs * NS_PER_MS)));
      this.#look(!isWorking);
    }, ms);
    this.#timer.unref();
  }
}
