import { excerpt } from "./excerpt.ts";

const NAME_CHARACTERS_MAX = 64;
const HINT_CHARACTERS = 4;
/** Min. length of a secret with visible first characters. They would reveal too much of a shorter secret. */
const HINTED_LENGTH_MIN = 12;

/** Returns the first four characters of a secret and its length, `abcd… (20)`; for a short secret, only its length. */
export function secretHint(secret: string): string {
  const start =
    secret.length < HINTED_LENGTH_MIN ? "" : excerpt(secret.slice(0, HINT_CHARACTERS), 2 * HINT_CHARACTERS);
  return `${start}… (${secret.length})`;
}

/** Returns a short and printable form of a name from a stranger. */
export const shownName = (name: string): string => excerpt(name, NAME_CHARACTERS_MAX);
