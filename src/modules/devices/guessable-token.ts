const DISTINCT_MIN = 8;
/** Characters in a row that are equal or follow each other, such as 000000, 123456 or fedcba. */
const SEQUENCE_MAX = 5;
/** Groups of digits that a serial number has, such as SN-2024-0000123. */
const SERIAL_GROUPS_MAX = 2;

function longestSequence(text: string): number {
  let longest = 0;
  for (const step of [0, 1, -1]) {
    let length = 1;
    for (let index = 1; index < text.length; index++) {
      length = text.charCodeAt(index) - text.charCodeAt(index - 1) === step ? length + 1 : 1;
      longest = Math.max(longest, length);
    }
  }
  return longest;
}

/** Returns whether a text begins again at its half or before. */
function isRepeated(text: string): boolean {
  const half = Math.floor(text.length / 2);
  for (let period = 1; period <= half; period++)
    if (text.slice(period) === text.slice(0, -period)) return true;
  return false;
}

/** Returns whether at least half of a text are digits, in one or two groups. */
function isSerialNumber(text: string): boolean {
  const groups = text.match(/\d+/g) ?? [];
  const digits = groups.reduce((sum, group) => sum + group.length, 0);
  return groups.length <= SERIAL_GROUPS_MAX && digits * 2 >= text.length;
}

/**
 * Returns whether a chosen access token is easy to guess: it has fewer than 8 distinct characters, a sequence of more than 5, is a repeated
 * part, or a serial number, which is at least half digits in one or two groups.
 */
export const isGuessableToken = (token: string): boolean =>
  new Set(token).size < DISTINCT_MIN ||
  longestSequence(token) > SEQUENCE_MAX ||
  isRepeated(token) ||
  isSerialNumber(token);
