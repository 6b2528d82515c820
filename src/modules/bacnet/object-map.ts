import { entryMapReader, isYes } from "../field/entry-map.ts";
import { bacnetErrors } from "./bacnet.errors.ts";
import { objectBody } from "./bacnet.schemas.ts";
import type { BacnetObject } from "./bacnet.types.ts";
import { OBJECTS_MAX, objectProblem } from "./object-checks.ts";

const NUMBER_FIELDS: ReadonlySet<string> = new Set(["priority", "intervalMs"]);

function fieldOf(name: string, text: string): unknown {
  if (NUMBER_FIELDS.has(name)) return Number(text.replace(",", "."));
  return name === "writable" || name === "cov" ? isYes(text) : text;
}

/** Header line of an EDE file (BIG-EU), which follows some lines about the project. */
const EDE_HEAD = /^#? ?"?keyname"?[;,\t]/im;

/** Returns the fields of an object from a line of an EDE file; undefined for an object without a value. */
function objectIn(row: Readonly<Record<string, string>>): Record<string, string> {
  const of = (name: string) => row[name] ?? "";
  return {
    key: of("object-name") || of("keyname"),
    address: `${of("object-type")}:${of("object-instance")}`,
    ...(isYes(of("settable").replace(/^y$/i, "yes")) && { writable: "yes" }),
  };
}

const readTable = entryMapReader<BacnetObject>({
  errors: bacnetErrors,
  schema: objectBody,
  entriesMax: OBJECTS_MAX,
  fieldOf,
  problemOf: objectProblem,
  rowOf: (row) => ("object-instance" in row ? objectIn(row) : row),
});

/** Reads a map of objects, or an EDE file. @throws DomainError `invalid` if the text is not a table */
export function readObjectMap(csv: string) {
  const head = EDE_HEAD.exec(csv);
  if (head === null) return readTable(csv);
  // Lines before the header become empty lines, so that problems name the right lines.
  const before = csv.slice(0, head.index).replace(/[^\r\n]+/g, "");
  return readTable(before + csv.slice(head.index).replace(/^# ?/, ""));
}
