import { STEP_WORK_MAX, WorkBudget } from "../../lib/expressions/work-budget.ts";

/**
 * Work budget of the current message, which the caller resets for each message: messages run through their steps one after the other, without a
 * pause.
 */
export const stepWork = new WorkBudget(STEP_WORK_MAX);
