import { STEP_WORK_MAX, WorkBudget } from "../../lib/expressions/work-budget.ts";
import { partsOf } from "../../lib/json/count-parts.ts";

/**
 * Work budget of the current message, which the caller resets for each message: messages run through their steps one after the other, without a
 * pause.
 */
export const stepWork = new WorkBudget(STEP_WORK_MAX);

/*
 * Costs in units of the budget; the whole budget is about 60 ms.
 */

/** A value in the fields of a step, or a character of an expression. */
export const PART_UNITS = 0.3;
/** A value or character in a step that runs on its own, because another step has unknown keys. */
export const PART_ALONE_UNITS = 1;
/** A comparison of a name with one that ends with `*`. */
export const WILDCARD_UNITS = 0.5;
/** A failed step, after which the steps start over. */
export const FAILURE_UNITS = 230;
/** Copying a value of a message. */
export const VALUE_UNITS = 3;
/** Copying a value of a message with many values, whose copies are slow tables. */
const WIDE_VALUE_UNITS = 50;
const WIDE_VALUES_MIN = 64;
/** An attribute that is read from the database. */
export const ATTRIBUTE_UNITS = 300;
/** An attribute that an earlier reading of the message has read. */
export const ATTRIBUTE_AGAIN_UNITS = 4;
/** A part of a list or an object that is compared. */
const COMPARED_UNITS = 4;

/** Counts the work of a comparison that may search the value. @throws DomainError once the budget is exceeded */
export function spendOn<Value>(value: Value): Value {
  if (typeof value === "string") stepWork.spend(value.length);
  else if (typeof value === "object" && value !== null) stepWork.spend(partsOf(value) * COMPARED_UNITS);
  return value;
}

/** Returns the units of copying the values of a message. */
export const copyUnits = (values: number): number =>
  values * (values < WIDE_VALUES_MIN ? VALUE_UNITS : WIDE_VALUE_UNITS);
