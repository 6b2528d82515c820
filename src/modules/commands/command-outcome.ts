import { detail } from "../../lib/domain-error.ts";
import { isJsonObject } from "../../lib/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import { type Command, type CommandAnswer, CommandFailure } from "./commands.types.ts";

/** Returns whether the command has reached its end. */
export const isFinal = ({ status }: Command): boolean =>
  status === "SUCCESSFUL" || status === "FAILED" || status === "TIMEOUT" || status === "EXPIRED";

/**
 * Returns the time that a device has for a sent command (ms); if something keeps it for the device, as long as it lives.
 */
export const longestWait = ({ timeoutMs, expiresAt, createdAt }: Command, isKept: boolean): number =>
  isKept ? Math.max(timeoutMs, expiresAt - createdAt) : timeoutMs;

const said = (message: string): Text => detail("command_error.device", { message });

/** Returns why the command failed; undefined if it succeeded. */
function failureIn(answer: CommandAnswer): Text | undefined {
  if (answer instanceof CommandFailure) return answer.reason;
  if (!isJsonObject(answer)) return undefined;
  const { error, success, message } = answer;
  if (error !== undefined && error !== null && error !== false)
    return said(typeof error === "string" ? error : JSON.stringify(error));
  if (success !== false) return undefined;
  return typeof message === "string" ? said(message) : detail("command_error.reported");
}

/** Returns the end of a command by its answer. */
export function outcomeOf(answer: CommandAnswer) {
  const error = failureIn(answer) ?? null;
  const status = error === null ? ("SUCCESSFUL" as const) : ("FAILED" as const);
  return { status, error, response: answer instanceof CommandFailure ? answer.response : answer };
}

/** Returns the end of a command for which nothing happened in time. */
export function overdueOutcome({ status, attempts, timeoutMs }: Command) {
  if (status !== "QUEUED")
    return { status: "TIMEOUT" as const, error: detail("command_error.no_answer_within", { ms: timeoutMs }) };
  if (attempts > 0) return { status: "TIMEOUT" as const, error: detail("command_error.no_answer") };
  return { status: "EXPIRED" as const, error: detail("command_error.absent") };
}
