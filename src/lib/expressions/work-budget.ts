import { invalid } from "../core/domain-error.ts";

/** Max. work of all templates on a message: characters read plus calculations. About 10 ms. */
export const TEMPLATE_WORK_MAX = 1_000_000;
/** Max. work of pipeline steps on a message. About 30 ms. */
export const STEP_WORK_MAX = 4_000_000;
/** Max. characters that alarm rules of a device may search per message. About 10 ms, because searching is fast. */
export const RULE_WORK_MAX = 100_000_000;

/** Counts work in units that take about the same time: a character, or a calculation. */
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

  /** True once more was counted than the budget has. */
  get isExceeded(): boolean {
    return this.#left < 0;
  }

  /** Counts work that has been done, without an error. */
  note(units: number): void {
    this.#left -= units;
  }

  /** Refills the budget for the next message. */
  restart(): void {
    this.#left = this.max;
  }

  /** @throws DomainError `message.too_much_work` once the budget is exceeded, and on every later call */
  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw invalid("message.too_much_work", { max: this.max });
  }
}
