import { gunzipSync } from "node:zlib";
import { invariant } from "../../lib/core/invariant.ts";
import { readAsset } from "../process/assets.ts";

/** The 10,000 most common passwords; static/passwords/README.md names their source. */
const LIST = "static/passwords/common-passwords.txt.gz";
/** Words of this product, its trade and keyboards that the list lacks. */
const OWN_WORDS =
  "passwort qwertyuiop qwertzuiop administrator 1q2w3e4r5t lineside factory machine changeme abcdefghij";
/** Max. characters around a common password that do not make another password of it. */
const ADDED_MAX = 3;

let words: ReadonlySet<string> | undefined;

function load(): ReadonlySet<string> {
  const packed = readAsset(LIST);
  invariant(packed !== undefined, `${LIST} is missing`);
  const text = gunzipSync(packed).toString("utf8");
  return new Set([...text.split("\n"), ...OWN_WORDS.split(" ")].filter((word) => word !== ""));
}

/** Max. characters around a word of the owner that do not make another password of it. */
const ADDED_TO_OWN_MAX = 3;
/** Min. length of a word of the owner, such as a name. Shorter words may be part of a good password. */
const OWN_LENGTH_MIN = 4;
const DISTINCT_MIN = 4;

/** Returns a text in lower case, reduced to letters and digits. */
export const bareOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** Returns whether a lower-case text is a common password with at most three characters before and after it in total. */
function isCommonPassword(text: string): boolean {
  words ??= load();
  for (let head = 0; head <= ADDED_MAX; head++)
    for (let tail = 0; head + tail <= ADDED_MAX; tail++)
      if (words.has(text.slice(head, text.length - tail))) return true;
  return false;
}

/** Returns whether a password is common, has few distinct characters, or contains little more than a word of its owner. */
export function isGuessablePassword(password: string, ownWords: readonly string[] = []): boolean {
  const bare = bareOf(password);
  const isOwn = ownWords
    .map(bareOf)
    .some(
      (word) =>
        (word !== "" && bare === word) ||
        (word.length >= OWN_LENGTH_MIN &&
          bare.includes(word) &&
          bare.replace(word, "").length <= ADDED_TO_OWN_MAX),
    );
  return (
    isOwn ||
    isCommonPassword(bare) ||
    isCommonPassword(password.toLowerCase()) ||
    new Set(bare).size < DISTINCT_MIN
  );
}
