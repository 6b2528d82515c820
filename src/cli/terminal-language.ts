import { preferredLanguage } from "../lib/strings/preferred-language.ts";
import type { TextLanguage } from "../lib/texts/catalogues.ts";
import { processEnv } from "../platform/config/config.ts";

interface Environment {
  readonly [name: string]: string | undefined;
}

/** Returns the language of the terminal by the POSIX variables, such as `de_DE.UTF-8`; English if it is not supported. */
export function terminalLanguage({ LC_ALL, LC_MESSAGES, LANG }: Environment = processEnv()): TextLanguage {
  const locale = LC_ALL || LC_MESSAGES || LANG || "";
  return preferredLanguage(locale.split(/[_.@]/)[0], null);
}
