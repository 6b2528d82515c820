import { preferredLanguage } from "../lib/strings/preferred-language.ts";
import type { TextLanguage } from "../lib/texts/catalogues.ts";
import { processEnv } from "../platform/config/config.ts";

interface Environment {
  readonly [name: string]: string | undefined;
}

/** The language of the person at the terminal by POSIX's variables, such as `de_DE.UTF-8`; English unless we have theirs. */
export function terminalLanguage({ LC_ALL, LC_MESSAGES, LANG }: Environment = processEnv()): TextLanguage {
  const locale = LC_ALL || LC_MESSAGES || LANG || "";
  return preferredLanguage(locale.split(/[_.@]/)[0], null);
}
