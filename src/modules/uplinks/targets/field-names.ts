/** Type of the values of a field or column. */
export type FieldType = "num" | "bool" | "str" | "json";

/** Conflict reported by a server: the field of the measurement has another type there. */
export interface FieldConflict {
  readonly measurement: string;
  readonly field: string;
  readonly type: FieldType;
}

const SEPARATED_MAX = 10_000;
/** The time of a row, and names reserved by InfluxDB. */
const RESERVED: ReadonlySet<string> = new Set(["time", "_time", "_field", "_measurement"]);
const SUFFIX = /_(num|bool|str|json)$/;
export const suffixed = (key: string, type: FieldType): string => `${key}_${type}`;

/**
 * Returns the unique name of a key's values of a type, derived only from these: numbers have no suffix, unless the key is reserved or ends with a
 * suffix itself; all other values have the suffix of their type.
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
/** Texts around the parts of a conflict, in the servers' wordings. */
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

/** Returns the texts between the given ones, in order; undefined if one is missing. */
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

/** Returns the conflict reported by a response; undefined if there is none. */
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
 * Names the fields of a key's values. A field has one type at the server, but a key may have values of several types, and a value of another type
 * must not block the rest. Suffixes separate them: `_num` for numbers, `_bool` for booleans, `_str` for strings and JSON, which are strings in the
 * line protocol. Typed names only depend on key and type, so a repeated batch uses the same fields. Plain names have a suffix only if necessary: for
 * a reserved key such as `time`, or one that ends with a suffix. If another program or an earlier version has written a field with another type, the
 * server reports it, and these values have their suffix from then on. This is remembered until the uplink stops, after which the server reports it
 * again.
 */
export class FieldNames {
  readonly #isTyped: boolean;
  /** Combinations of measurement, field and type. */
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

  /** Assigns values of this type a separate field. Returns false if they already have one, so that nothing more can be done. */
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
