/** Type of a field as the line protocol has them. */
export type FieldType = "num" | "bool" | "str";

/** A conflict that a server reports: the field of the measurement has another type there. */
export interface FieldConflict {
  readonly measurement: string;
  readonly field: string;
  readonly type: FieldType;
}

const SEPARATED_MAX = 10_000;
/** The time of a row, and names that InfluxDB keeps for itself. */
const reserved: ReadonlySet<string> = new Set(["time", "_time", "_field", "_measurement"]);
const SUFFIX = /_(num|bool|str)$/;
const suffixed = (name: string, type: FieldType): string => `${name}_${type}`;

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
const conflictTexts = [
  // InfluxDB 1 and 2
  /input field "(?<field>.+?)" on measurement "(?<measurement>.+?)" is type (?<type>\w+), already exists as type/s,
  // QuestDB
  /table: (?<measurement>.+?), column: (?<field>.+?); cast error from protocol type: (?<type>\w+) to column type/s,
];

/** Returns the conflict that the text of an answer reports; undefined if it reports none. */
export function conflictIn(text: string): FieldConflict | undefined {
  for (const pattern of conflictTexts) {
    const { measurement, field, type = "" } = pattern.exec(text)?.groups ?? {};
    const fieldType = types[type];
    if (measurement !== undefined && field !== undefined && fieldType !== undefined)
      return { measurement, field, type: fieldType };
  }
  return undefined;
}

/**
 * Names the fields of the values of a key. A field has one type at the server, while the values of a key may have several, and one value of
 * another type must not hold up the rest. Suffixes keep them apart: `_num` for numbers, `_bool` for booleans, `_str` for strings and JSON.
 *
 * Typed names depend on the key and the type alone: a number has no suffix, unless its key is `time` or ends with a suffix itself, every other
 * value has one. So two values share a field exactly if they share key and type, and a batch that is sent again goes to the same fields.
 * Plain names have a suffix only where they must.
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
    const hasSuffix = reserved.has(key) || SUFFIX.test(key) || (this.#isTyped && type !== "num");
    if (hasSuffix || this.#separated.has(separationOf({ measurement, field: key, type })))
      return suffixed(key, type);
    return key;
  }

  ofTag(name: string): string {
    return reserved.has(name) ? `${name}_tag` : name;
  }

  /** Gives values of this type a field of their own. Returns false if they have one already: nothing more can be done. */
  separate(conflict: FieldConflict): boolean {
    const separation = separationOf(conflict);
    if (SUFFIX.test(conflict.field) || reserved.has(conflict.field) || this.#separated.has(separation))
      return false;
    if (this.#separated.size >= SEPARATED_MAX) this.#separated.clear();
    this.#separated.add(separation);
    return true;
  }
}

const separationOf = ({ measurement, field, type }: FieldConflict): string =>
  JSON.stringify([measurement, field, type]);
