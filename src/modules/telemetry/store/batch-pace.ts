/** Time for which a pace is tried, so long that a burst more or less does not matter. */
const TRIAL_MS = 100;
/** Time after which the paces are tried again … */
const TOGETHER_MS = 2_000;
/** … which costs throughput where it turns out again that waiting does not help. */
const APART_MS = 10_000;
/** So few messages a commit come from few senders, or slowly: nobody waits for them. */
const MESSAGES_MIN = 3;
/** Such commits in a row that end the waiting; a burst may end with one. */
const SMALL_IN_A_ROW_MAX = 4;
/** Part of the rate that must remain when groups wait. */
const RATE_SHARE_MIN = 0.85;

type Phase = "apart-trial" | "together-trial" | "apart" | "together";

const phaseMs: Record<Phase, number> = {
  "apart-trial": TRIAL_MS,
  "together-trial": TRIAL_MS,
  apart: APART_MS,
  together: TOGETHER_MS,
};

/**
 * Decides whether groups wait for more messages. A commit writes at least a page of the disk, however little it carries, so that small ones
 * wear it out when many follow each other. Devices that send by themselves do not mind a few milliseconds. Clients that wait for
 * their acknowledgements send less the longer they wait: so both paces are tried, and groups wait only where that does not slow anyone down.
 */
export class BatchPace {
  #phase: Phase = "apart-trial";
  /** Monotonic ms; the first commit begins the phase. */
  #beganAtMs: number | null = null;
  #messages = 0;
  #commits = 0;
  #rateApart = 0;
  #smallInARow = 0;

  get waits(): boolean {
    return this.#phase === "together" || this.#phase === "together-trial";
  }

  /** Takes note of a commit of so many messages. */
  note(messages: number, nowMs: number): void {
    this.#beganAtMs ??= nowMs;
    this.#smallInARow = messages < MESSAGES_MIN ? this.#smallInARow + 1 : 0;
    if (this.waits && this.#smallInARow >= SMALL_IN_A_ROW_MAX) {
      this.#begin("apart-trial", nowMs);
      return;
    }
    this.#messages += messages;
    this.#commits++;
    const ms = nowMs - this.#beganAtMs;
    if (ms >= phaseMs[this.#phase]) this.#begin(this.#next(this.#messages / ms), nowMs);
  }

  #next(rate: number): Phase {
    switch (this.#phase) {
      case "apart-trial":
        this.#rateApart = rate;
        return this.#messages < this.#commits * MESSAGES_MIN ? "apart-trial" : "together-trial";
      case "together-trial":
        return rate >= this.#rateApart * RATE_SHARE_MIN ? "together" : "apart";
      default:
        return "apart-trial";
    }
  }

  #begin(phase: Phase, nowMs: number): void {
    this.#phase = phase;
    this.#beganAtMs = nowMs;
    this.#messages = 0;
    this.#commits = 0;
  }
}
