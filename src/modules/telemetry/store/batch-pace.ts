/** Time for which one pace is tried before the other one. */
const SLOT_MS = 20;
/** Number of slots in a trial. The paces alternate, so that one burst does not decide. */
const SLOTS = 10;
/** A slot counts as no longer than this, so that a pause of the whole gateway does not decide either. */
const SLOT_MS_MAX = 5 * SLOT_MS;
/**
 * Time after which the paces are tried again: longer each time that a trial ends like the one before. While groups wait, a trial costs bytes on
 * the disk; while they do not, it costs throughput.
 */
const PHASE_MS_MIN = 2_000;
const PHASE_MS_MAX = 10_000;
/** So few messages a commit come from few senders, or slowly: nobody waits for them. */
const MESSAGES_MIN = 3;
/** Such commits in a row that end the waiting; a burst may end with one. */
const SMALL_IN_A_ROW_MAX = 4;
/** Part of the rate that must remain when groups wait. */
const RATE_SHARE_MIN = 0.85;

/** What came in while groups waited, or while they did not. */
class Tally {
  messages = 0;
  commits = 0;
  ms = 0;

  get rate(): number {
    return this.messages / this.ms;
  }
}

/**
 * Decides whether groups wait for more messages. A commit writes at least a page of the disk, however little it carries, so that small ones
 * wear it out when many follow each other. Devices that send by themselves do not mind a few milliseconds. Clients that wait for
 * their acknowledgements send less the longer they wait: so both paces are tried, and groups wait only where `RATE_SHARE_MIN` of the rate remains.
 */
export class BatchPace {
  #phase: "trial" | "apart" | "together" = "trial";
  /** Slot of the trial; groups wait in the odd ones. */
  #slot = 0;
  /** Monotonic ms; the first commit begins the slot or the phase. */
  #beganAtMs: number | null = null;
  #apart = new Tally();
  #together = new Tally();
  #decided: "apart" | "together" | null = null;
  #phaseMs = PHASE_MS_MIN;
  #smallInARow = 0;
  /** Trials in a row in which waiting lowered the rate. */
  #slowerInARow = 0;

  get waits(): boolean {
    return this.#phase === "together" || (this.#phase === "trial" && this.#slot % 2 === 1);
  }

  /** Takes note of a commit of so many messages. */
  note(messages: number, nowMs: number): void {
    this.#beganAtMs ??= nowMs;
    this.#smallInARow = messages < MESSAGES_MIN ? this.#smallInARow + 1 : 0;
    if (this.waits && this.#smallInARow >= SMALL_IN_A_ROW_MAX) {
      this.#decided = null;
      this.#begin("trial", nowMs);
      return;
    }
    const tally = this.waits ? this.#together : this.#apart;
    tally.messages += messages;
    tally.commits++;
    const ms = nowMs - this.#beganAtMs;
    if (this.#phase === "trial") {
      if (ms >= SLOT_MS) this.#endSlot(tally, ms, nowMs);
    } else if (ms >= this.#phaseMs) this.#begin("trial", nowMs);
  }

  #endSlot(tally: Tally, ms: number, nowMs: number): void {
    tally.ms += Math.min(ms, SLOT_MS_MAX);
    this.#beganAtMs = nowMs;
    const isSmall = this.#apart.messages < this.#apart.commits * MESSAGES_MIN;
    if (isSmall) this.#begin("trial", nowMs);
    else if (++this.#slot === SLOTS) this.#decide(nowMs);
  }

  #decide(nowMs: number): void {
    const isAsFast = this.#together.rate >= this.#apart.rate * RATE_SHARE_MIN;
    this.#slowerInARow = isAsFast ? 0 : this.#slowerInARow + 1;
    // Clients that connect distort a trial, so a second one has to confirm that waiting is slower.
    if (this.#slowerInARow === 1) {
      this.#begin("trial", nowMs);
      return;
    }
    const decided = isAsFast ? "together" : "apart";
    this.#phaseMs = decided === this.#decided ? Math.min(PHASE_MS_MAX, 2 * this.#phaseMs) : PHASE_MS_MIN;
    this.#decided = decided;
    this.#begin(decided, nowMs);
  }

  #begin(phase: "trial" | "apart" | "together", nowMs: number): void {
    this.#phase = phase;
    this.#slot = 0;
    this.#beganAtMs = nowMs;
    this.#apart = new Tally();
    this.#together = new Tally();
  }
}
