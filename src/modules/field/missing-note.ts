import { detail } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { EntryRead } from "./field.protocol.ts";
import type { FieldValue } from "./field.types.ts";

/** Returns the note of an entry with values that cannot be stored; undefined if all values can. */
export function missingNote(values: readonly (FieldValue | undefined)[]): Text | undefined {
  const count = values.filter((value) => value === undefined).length;
  return count === 0 ? undefined : detail("field.no_value", { count, total: values.length });
}

/** Returns the notes of all entries with values that cannot be stored. */
export function missingNotes<Entry>(read: readonly EntryRead<Entry>[]): Map<Entry, Text> {
  const noted = read.map(([entry, values]) => [entry, missingNote(values)] as const);
  return new Map(noted.filter((each): each is [Entry, Text] => each[1] !== undefined));
}
