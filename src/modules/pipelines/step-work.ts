import { STEP_WORK_MAX, WorkBudget } from "../../lib/expressions/work-budget.ts";

/**
 * Work budget of the current message: messages run through their steps one after the other, without a pause. The caller restarts the budget
 * for each message.
 */
export const stepWork = new WorkBudget(STEP_WORK_MAX);
