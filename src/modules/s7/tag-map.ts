import { entryMapReader, isYes } from "../field/entry-map.ts";
import { s7Errors } from "./s7.errors.ts";
import { tagBody } from "./s7.schemas.ts";
import type { S7Tag } from "./s7.types.ts";
import { TAGS_MAX, tagProblem } from "./tag-checks.ts";

const NUMBER_FIELDS: ReadonlySet<string> = new Set(["scale", "offset", "intervalMs"]);

function fieldOf(name: string, text: string): unknown {
  if (NUMBER_FIELDS.has(name)) return Number(text.replace(",", "."));
  return name === "writable" ? isYes(text) : text;
}

/** Reads a map of tags. @throws DomainError `invalid` if the text is not a table */
export const readTagMap = entryMapReader<S7Tag>({
  errors: s7Errors,
  schema: tagBody,
  entriesMax: TAGS_MAX,
  fieldOf,
  problemOf: tagProblem,
});
