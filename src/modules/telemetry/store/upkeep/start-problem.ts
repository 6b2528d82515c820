import { SQLiteError } from "bun:sqlite";
import { isDamage } from "../../../../platform/database/database-check.ts";
import { describeSystemError } from "../../../../platform/process/system-errors.ts";

/** Describes in English why the store cannot be opened. Ends with a full stop if the disk or the system is the reason, not the file. */
export function startProblem(error: unknown): string {
  const advice = error instanceof SQLiteError && isDamage(error) ? undefined : describeSystemError(error);
  return advice === undefined
    ? error instanceof Error
      ? error.message
      : String(error)
    : `${advice.replace(/\.?$/, "")}.`;
}
