import { STEP_WORK_MAX, WorkBudget } from "../../lib/work-budget.ts";

/**
 * Work of the steps on the message at hand: messages run through their steps one after the other, without a pause. Whoever begins with a
 * message restarts it.
 */
export const stepWork = new WorkBudget(STEP_WORK_MAX);
