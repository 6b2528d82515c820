import { DomainError } from "../../lib/core/domain-error.ts";
import { renderIn } from "../../lib/texts/catalogues.ts";
import { ConfigError } from "../../platform/config/config.ts";
import { StartupError } from "../../platform/process/startup-error.ts";
import { describeSystemError } from "../../platform/process/system-errors.ts";
import { terminalLanguage } from "../terminal-language.ts";

/** Describes an error in a sentence for the operator; undefined for a bug. */
function describe(error: unknown): string | undefined {
  if (error instanceof DomainError) return renderIn(terminalLanguage(), error);
  if (error instanceof StartupError) return error.message;
  return describeSystemError(error);
}

/** Prints one sentence for errors that the user can resolve, and the stack only for bugs. Returns the exit code. */
export function explain(error: unknown, prefix = "Lineside cannot start:"): number {
  if (error instanceof ConfigError) {
    console.error([prefix, ...error.mistakes.map((mistake) => `  - ${mistake}`)].join("\n"));
    return 1;
  }
  const sentence = describe(error);
  if (sentence === undefined) console.error(prefix, error);
  else console.error(`${prefix} ${sentence}`);
  return 1;
}
