/** Type of the values of a field or column. */
export type FieldType = "num" | "bool" | "str" | "json";

/** A conflict that a server reports: the field of the measurement has another type there. */
export interface FieldConflict {
  readonly measurement: string;
  readonly field: string;
  readonly type: FieldType;
}

const SEPARATED_MAX = 10_000;
/** The time of a row, and names that InfluxDB keeps for itself. */
const RESERVED: ReadonlySet<string> = new Set(["time", "_time", "_field", "_measurement"]);
const SUFFIX = /_(num|bool|str|json)$/;
export const suffixed = (key: string, type: FieldType): string => `${key}_${type}`;

/**
 * Returns the name of the values of a key that have the type. It depends on nothing else, and no other key and type have it: a number has no
 * suffix, unless its key is reserved or ends with a suffix itself; every other value has the suffix of its type.
 */
export const typedName = (key: string, type: FieldType, isReserved: boolean): string =>
  type === "num" && !isReserved && !SUFFIX.test(key) ? key : suffixed(key, type);

const types: Readonly<Record<string, FieldType>> = {
  float: "num",
  integer: "num",
  unsigned: "num",
  boolean: "bool",
  string: "str",
  FLOAT: "num",
  BOOLEAN: "bool",
  STRING: "str",
};
/** Texts around the parts of a conflict, as servers word it. */
const conflictWordings: ReadonlyArray<{
  readonly parts: readonly ("field" | "measurement" | "type")[];
  readonly around: readonly string[];
}> = [
  // InfluxDB 1 and 2
  {
    parts: ["field", "measurement", "type"],
    around: ['input field "', '" on measurement "', '" is type ', ", already exists as type"],
  },
  // QuestDB
  {
    parts: ["measurement", "field", "type"],
    around: ["table: ", ", column: ", "; cast error from protocol type: ", " to column type"],
  },
];

/** Returns the texts between the given ones, in order; undefined if one of these is missing. */
function textsBetween(text: string, around: readonly string[]): string[] | undefined {
  const found: string[] = [];
  let end: number | undefined;
  for (const mark of around) {
    const start = text.indexOf(mark, end);
    if (start < 0) return undefined;
    if (end !== undefined) found.push(text.slice(end, start));
    end = start + mark.length;
  }
  return found;
}

/** Returns the conflict that the text of an answer reports; undefined if it reports none. */
export function conflictIn(text: string): FieldConflict | undefined {
  for (const { parts, around } of conflictWordings) {
    const found = textsBetween(text, around);
    const partOf = (name: "field" | "measurement" | "type") => found?.[parts.indexOf(name)] ?? "";
    const type = types[partOf("type")];
    if (type !== undefined) return { measurement: partOf("measurement"), field: partOf("field"), type };
  }
  return undefined;
}

/**
 * Names the fields of the values of a key. A field has one type at the server, while the values of a key may have several, and one value of
 * another type must not hold up the rest. Suffixes keep them apart: `_num` for numbers, `_bool` for booleans, `_str` for strings and for JSON,
 * which the line protocol has as strings.
 *
 * Typed names depend on key and type alone, so a batch that is sent again goes to the same fields. Plain names have a suffix only where they
 * must: for a key that is reserved, such as `time`, or that ends with a suffix.
 *
 * A field that the server has with another type already, because another program or an earlier version wrote it, is told by the
 * server. From then on these values have their suffix. That is known until the uplink stops, and is told again after it.
 */
export class FieldNames {
  readonly #isTyped: boolean;
  /** Measurement, field and type in one text. */
  readonly #separated = new Set<string>();

  constructor(isTyped: boolean) {
    this.#isTyped = isTyped;
  }

  ofField(measurement: string, key: string, type: FieldType): string {
    if (this.#separated.has(separationOf({ measurement, field: key, type }))) return suffixed(key, type);
    const name = typedName(key, this.#isTyped ? type : "num", RESERVED.has(key));
    return name === key ? key : suffixed(key, type);
  }

  ofTag(name: string): string {
    return RESERVED.has(name) ? `${name}_tag` : name;
  }

  /** Gives values of this type a field of their own. Returns false if they have one already: nothing more can be done. */
  separate(conflict: FieldConflict): boolean {
    const separation = separationOf(conflict);
    if (SUFFIX.test(conflict.field) || RESERVED.has(conflict.field) || this.#separated.has(separation))
      return false;
    if (this.#separated.size >= SEPARATED_MAX) this.#separated.clear();
    this.#separated.add(separation);
    return true;
  }
}

const separationOf = ({ measurement, field, type }: FieldConflict): string =>
  JSON.stringify([measurement, field, type]);
