/**
 * Markers of programs for a missing value. In a series of numbers they are not values; in a series of texts, `unknown` and `unavailable` are states
 * like others.
 */
const markers: ReadonlySet<string> = new Set([
  "",
  ...["nan", "na", "n/a", "#n/a", "#na", "<na>", "null", "(null)", "nil", "none", "nul", "\\n"],
  ...["?", "-", "--", "---", "–", "—", ".", "..", "*", "#wert!", "#value!", "#div/0!", "#nv", "#null!"],
  ...["unavailable", "unknown", "undefined", "missing", "empty", "no data", "nodata", "k.a."],
  ...["inf", "+inf", "-inf", "infinity", "+infinity", "-infinity", "1.#qnan", "-1.#ind", "1.#inf"],
]);
const LENGTH_MAX = 24;
/** NaN in the notation of C programs: `-nan`, `nan(0x7)`, `-nan(ind)`. */
const NAN = /^[+-]?nan(\(\w{0,20}\))?$/;

/** First character codes of markers, so that most other strings are rejected by one comparison. */
const beginnings: ReadonlySet<number> = new Set(
  [...markers, "nan", "+nan"].flatMap((word) => [word.charCodeAt(0), word.toUpperCase().charCodeAt(0), 32]),
);

/** Returns whether a text is a marker of a missing value. */
export function isMissingMarker(text: string): boolean {
  if (text === "") return true;
  if (text.length > LENGTH_MAX || !beginnings.has(text.charCodeAt(0))) return false;
  const word = text.trim().toLowerCase();
  return markers.has(word) || NAN.test(word);
}

const EMPTIED: ReadonlySet<string> = new Set(["nan", "null", "none", "nil", "na", "n/a"]);

/** Returns whether a text is a marker of a missing number, which is never a state: `nan`, `-inf`, `null`. */
export function isEmptiedNumber(text: string): boolean {
  const word = text.trim().toLowerCase();
  return EMPTIED.has(word) || (isMissingMarker(word) && /nan|inf|#/.test(word));
}
