import { roundBy, roundingFactor } from "../../lib/expressions/expression-functions.ts";
import type { NumberForm } from "../../lib/expressions/expression-nodes.ts";

/*
 * List of operations that has the effect of steps on a message of numbers. One loop over all operations takes half the time of one closure per step,
 * which has to check each value's type.
 */

const MOVE = 0;
const KEEP = 1;
const REQUIRE = 2;
const ROUND = 3;
const CHANGE = 4;
const DERIVE = 5;

/** Numbers per operation in `#codes`: its code, its input slot and its output slot. */
const CODES = 3;

// Comparisons take a fraction of the time of `Number.isNaN` and `Number.isFinite`.
const isAbsent = (value: number): boolean => !(value >= Number.NEGATIVE_INFINITY);
const isOrdinary = (value: number): boolean => Math.abs(value) < Number.POSITIVE_INFINITY;

/** Program on numbers in slots; NaN marks keys missing from the message. */
export class NumberProgram {
  readonly #codes: number[] = [];
  /** Two bounds per operation. */
  readonly #bounds: number[] = [];
  /** One formula per operation. */
  readonly #forms: NumberForm[] = [];

  /** Moves a number to another slot. */
  move(from: number, to: number): void {
    this.#add([MOVE, from, to]);
  }

  /** Removes a number outside the bounds; with `isRequired`, the general code decides about the message. */
  keep(from: number, { min, max, isRequired }: { min: number; max: number; isRequired: boolean }): void {
    this.#add([isRequired ? REQUIRE : KEEP, from, from], [min, max]);
  }

  round(from: number, decimals: number): void {
    this.#add([ROUND, from, from], [roundingFactor(decimals), 0]);
  }

  /** Replaces the number in a slot. */
  change(from: number, change: (value: number) => number): void {
    this.#add([CHANGE, from, from], [0, 0], (numbers) => change(numbers[from] as number));
  }

  /** Sets the result of a formula if all of its inputs (`first` and others) are present. */
  derive(to: number, [first, ...others]: readonly [number, ...number[]], form: NumberForm): void {
    const isThere = (numbers: Float64Array) => others.every((slot) => !isAbsent(numbers[slot] as number));
    const whole: NumberForm =
      others.length === 0 ? form : (numbers) => (isThere(numbers) ? form(numbers) : Number.NaN);
    this.#add([DERIVE, first, to], [0, 0], whole);
  }

  #add(codes: number[], bounds: number[] = [0, 0], form: NumberForm = () => 0): void {
    this.#codes.push(...codes);
    this.#bounds.push(...bounds);
    this.#forms.push(form);
  }

  /** Runs the program on the numbers. Returns false if the general code must decide; the changes are then discarded. */
  run(numbers: Float64Array): boolean {
    const codes = this.#codes;
    for (let index = 0; index * CODES < codes.length; index++) {
      const from = codes[index * CODES + 1] as number;
      const value = numbers[from] as number;
      if (isAbsent(value)) continue;
      switch (codes[index * CODES]) {
        case MOVE:
          numbers[from] = Number.NaN;
          numbers[codes[index * CODES + 2] as number] = value;
          break;
        case KEEP:
          if (!this.#isWithin(index, value)) numbers[from] = Number.NaN;
          break;
        case REQUIRE:
          if (!this.#isWithin(index, value)) return false;
          break;
        case ROUND:
          numbers[from] = roundBy(value, this.#bounds[index * 2]!);
          break;
        default: {
          const result = this.#forms[index]!(numbers);
          if (!isOrdinary(result)) return false;
          numbers[codes[index * CODES + 2] as number] = result;
        }
      }
    }
    return true;
  }

  #isWithin(index: number, value: number): boolean {
    return value >= this.#bounds[index * 2]! && value <= this.#bounds[index * 2 + 1]!;
  }
}
