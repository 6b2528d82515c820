import { entryMapReader, isYes } from "../field/entry-map.ts";
import { ITEMS_MAX, itemProblem } from "./item-checks.ts";
import { opcuaErrors } from "./opcua.errors.ts";
import { itemBody } from "./opcua.schemas.ts";
import type { OpcUaItem } from "./opcua.types.ts";

function fieldOf(name: string, text: string): unknown {
  if (["length", "intervalMs", "deadband"].includes(name)) return Number(text);
  if (name === "fields") return text.split(/\s+/);
  return name === "writable" ? isYes(text) : text;
}

/** Reads a map of items. @throws DomainError `invalid` if the text is not a table */
export const readItemMap = entryMapReader<OpcUaItem>({
  errors: opcuaErrors,
  schema: itemBody,
  entriesMax: ITEMS_MAX,
  fieldOf,
  problemOf: itemProblem,
});
