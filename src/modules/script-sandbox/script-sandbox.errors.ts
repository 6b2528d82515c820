import { DomainError, type ErrorKind } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { ConsoleLine } from "./script-sandbox.types.ts";

export type ScriptFailureCode =
  | "script.syntax"
  | "script.error"
  | "script.overrun"
  | "script.memory"
  | "script.output"
  | "script.breaker"
  | "script.busy"
  | "script.unavailable";

const kinds: Partial<Record<ScriptFailureCode, ErrorKind>> = {
  "script.busy": "limited",
  "script.unavailable": "unavailable",
};

/**
 * Error of a script, or the reason why it was not run; `busy` and `unavailable` are not the script's fault. The reason quotes the message thrown by
 * the script.
 */
export class ScriptFailure extends DomainError {
  override readonly code: ScriptFailureCode;
  /** Line of the source, from 1. */
  readonly line: number | undefined;
  readonly console: readonly ConsoleLine[];
  readonly usedMs: number;

  constructor(
    code: ScriptFailureCode,
    reason: Text,
    details: { line?: number | undefined; console?: readonly ConsoleLine[]; usedMs?: number } = {},
  ) {
    const kind = kinds[code] ?? "invalid";
    super(kind, { code, params: { reason } }, kind === "invalid" ? {} : { retryAfterSeconds: 2 });
    this.name = "ScriptFailure";
    this.code = code;
    this.line = details.line;
    this.console = details.console ?? [];
    this.usedMs = details.usedMs ?? 0;
  }
}
