const EXCERPT_CHARACTERS_MAX = 40;
const REASON_CHARACTERS_MAX = 200;
const FIELD_NAMES_MAX = 16;

/** Control and formatting characters (including bidirectional ones), lone surrogates, private use, line and paragraph separators. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

export const isPrintable = (character: string): boolean => character.search(UNPRINTABLE) < 0;

/**
 * Returns the beginning of a text of a request that is safe in a message: printable, on one line, at most `charactersMax` characters and an
 * ellipsis.
 */
export function excerpt(text: string, charactersMax = EXCERPT_CHARACTERS_MAX): string {
  // A character has at most two units: cutting first bounds the work on texts of megabytes.
  const characters = [...text.slice(0, 2 * charactersMax + 2).replace(/[\t\r\n]+/g, " ")];
  const kept = characters.slice(0, charactersMax).join("").replace(UNPRINTABLE, "\uFFFD");
  return characters.length > charactersMax || text.length > 2 * charactersMax + 2 ? `${kept}…` : kept;
}

/** Returns the reason of a parser, which may quote its input, with every long word shortened. */
export function reasonExcerpt(reason: string): string {
  const words = reason.slice(0, REASON_CHARACTERS_MAX).split(/\s+/);
  return excerpt(words.map((word) => excerpt(word)).join(" "), REASON_CHARACTERS_MAX);
}

/** Returns the path of a JSON pointer (RFC 6901, `/steps/0/type`) in `root`: `root.steps.0.type`, with every long name shortened. */
export function pathExcerpt(pointer: string, root = ""): string {
  const names = pointer
    .split("/", FIELD_NAMES_MAX + 1)
    .slice(1)
    .map((name) => excerpt(name.replaceAll("~1", "/").replaceAll("~0", "~")));
  return [...(root === "" ? [] : [root]), ...names].join(".");
}
