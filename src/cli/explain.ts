import { DomainError } from "../lib/domain-error.ts";
import { renderIn } from "../lib/texts/catalogues.ts";
import { ConfigError } from "../platform/config.ts";
import { StartupError } from "../platform/startup-error.ts";
import { terminalLanguage } from "./terminal-language.ts";

/** Prints one sentence for what a person can mend, the stack only for our own mistakes; gives the exit code. */
export function explain(error: unknown, prefix = "Lineside cannot start:"): number {
  if (error instanceof ConfigError)
    console.error([prefix, ...error.mistakes.map((mistake) => `  - ${mistake}`)].join("\n"));
  else if (error instanceof DomainError) console.error(`${prefix} ${renderIn(terminalLanguage(), error)}`);
  else if (error instanceof StartupError) console.error(`${prefix} ${error.message}`);
  else console.error(prefix, error);
  return 1;
}
