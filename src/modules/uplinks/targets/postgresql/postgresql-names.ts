import { createHash } from "node:crypto";
import { withoutNul } from "./copy-writer.ts";

/** Max. bytes of a name; the server would truncate longer names, possibly two to the same one. */
const NAME_BYTES_MAX = 63;
const HASH_CHARACTERS = 16;

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Returns a valid name for the server: a long name is truncated and ends with a hash of the whole. */
export function identifier(name: string): string {
  const text = withoutNul(name);
  if (Buffer.byteLength(text) <= NAME_BYTES_MAX) return text;
  const hash = createHash("sha256").update(text).digest("hex").slice(0, HASH_CHARACTERS);
  let head = "";
  for (const character of text) {
    if (Buffer.byteLength(head + character) > NAME_BYTES_MAX - HASH_CHARACTERS - 1) break;
    head += character;
  }
  return `${head}_${hash}`;
}
