import { excerpt } from "./excerpt.ts";

const NAME_CHARACTERS_MAX = 64;
const HINT_CHARACTERS = 4;
/** Of a shorter secret the first characters would be too large a part. */
const HINTED_LENGTH_MIN = 12;

/** Returns the first four characters of a secret and its length, `abcd… (20)`; of a short one the length alone. */
export function secretHint(secret: string): string {
  const start =
    secret.length < HINTED_LENGTH_MIN ? "" : excerpt(secret.slice(0, HINT_CHARACTERS), 2 * HINT_CHARACTERS);
  return `${start}… (${secret.length})`;
}

/** Returns a name that a stranger sent, short and printable. */
export const shownName = (name: string): string => excerpt(name, NAME_CHARACTERS_MAX);
