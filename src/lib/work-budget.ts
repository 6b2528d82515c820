import { invalid } from "./domain-error.ts";

/** Work that the templates of one message may do: characters of texts and steps of calculation. About 10 ms. */
export const TEMPLATE_WORK_MAX = 1_000_000;
/** Work that the steps of pipelines may do on one message. Some 30 ms. */
export const STEP_WORK_MAX = 4_000_000;
/** Characters that the alarm rules of a device may look through for one message. Some 10 ms: a search is fast. */
export const RULE_WORK_MAX = 100_000_000;

/** Counts work in units that take about the same time: a character of a text, or one step of a calculation. */
export class WorkBudget {
  readonly max: number;
  #left: number;

  constructor(max: number) {
    this.max = max;
    this.#left = max;
  }

  get spent(): number {
    return this.max - this.#left;
  }

  /** Starts anew, for the next message. */
  restart(): void {
    this.#left = this.max;
  }

  /** @throws DomainError `message.too_much_work`, for every further unit too */
  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw invalid("message.too_much_work", { max: this.max });
  }
}
