import { isJsonObject } from "../../lib/json.ts";
import type { Command } from "./commands.types.ts";

/** Returns whether the command has reached its end. */
export const isFinal = ({ status }: Command): boolean =>
  status === "SUCCESSFUL" || status === "FAILED" || status === "TIMEOUT" || status === "EXPIRED";

/**
 * Returns how long the device may take once it has been sent (ms); where something keeps it for the device, as long as it lives.
 */
export const longestWait = ({ timeoutMs, expiresAt, createdAt }: Command, isKept: boolean): number =>
  isKept ? Math.max(timeoutMs, expiresAt - createdAt) : timeoutMs;

/** An answer that says itself that the device could not do it. */
export function failureIn(answer: unknown): string | undefined {
  if (!isJsonObject(answer)) return undefined;
  const { error, success, message } = answer;
  if (error !== undefined && error !== null && error !== false)
    return typeof error === "string" ? error : JSON.stringify(error);
  if (success !== false) return undefined;
  return typeof message === "string" ? message : "the device reports a failure";
}
