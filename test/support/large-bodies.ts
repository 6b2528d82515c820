import type { TSchema } from "@sinclair/typebox";

/** For each field of a schema that can grow, bodies in which it is as large as a request may be. */

type Schema = Record<string, unknown>;
type Path = ReadonlyArray<string | number>;

const MAX_DEPTH = 6;
/** Stands in a body for the JSON of the large value. */
const PLACE = "the large value";

/** The smallest value that the schema accepts, as far as its keywords tell. */
export function smallest(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  const members = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(members)) return smallest(members[0]);
  if (Array.isArray(schema.enum)) return schema.enum[0];
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        Object.entries((schema.properties ?? {}) as Record<string, Schema>)
          .filter(([name]) => ((schema.required ?? []) as string[]).includes(name))
          .map(([name, inner]) => [name, smallest(inner)]),
      );
    case "array":
      return Array.from({ length: Number(schema.minItems ?? 0) }, () =>
        smallest((schema.items ?? {}) as Schema),
      );
    case "string":
      return "a".repeat(Number(schema.minLength ?? 1));
    case "integer":
    case "number":
      return Number(schema.minimum ?? 1);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return {};
  }
}

function set(body: unknown, path: Path, value: unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  if (typeof head === "number") return [set(Array.isArray(body) ? body[0] : undefined, rest, value)];
  const object = typeof body === "object" && body !== null && !Array.isArray(body) ? body : {};
  return { ...object, [head]: set(Reflect.get(object, head), rest, value) };
}

/** A JSON array of `count` equal items. */
const arrayOf = (count: number, item: string): string =>
  count === 0 ? "[]" : `[${`${item},`.repeat(count - 1)}${item}]`;
const textOf = (unit: string, length: number): string => `"${unit.repeat(length)}"`;

const anythingBySize = new Map<number, readonly string[]>();

/** JSON that fills about `bytes` where anything may stand. */
function anything(bytes: number): readonly string[] {
  const size = bytes - (bytes % 4_096);
  const texts = anythingBySize.get(size) ?? [
    `{${Array.from({ length: Math.floor(size / 12) }, (_, index) => `"k${index}":1`).join(",")}}`,
    arrayOf(Math.floor(size / 2), "1"),
    arrayOf(Math.floor(size / 3), "[]"),
    arrayOf(Math.floor(size / 130), `${"[".repeat(60)}1${"]".repeat(60)}`),
    textOf("a", size),
  ];
  anythingBySize.set(size, texts);
  return texts;
}

const longTexts = (length: number): readonly string[] => [
  textOf("a", length),
  textOf("(", length),
  `"$${"{a}".repeat(Math.floor(length / 3))}"`,
  textOf("1+", Math.floor(length / 2)),
  textOf("\\u0000", Math.floor(length / 6)),
  textOf("a@", Math.floor(length / 2)),
  textOf("* ", Math.floor(length / 2)),
];

interface Growth {
  readonly path: Path;
  /** JSON of each. */
  readonly values: readonly string[];
}

function growths(schema: Schema, path: Path, bytes: number): Growth[] {
  if (path.length > MAX_DEPTH) return [];
  const members = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(members)) return members.flatMap((member) => growths(member, path, bytes));
  if (schema.const !== undefined) return [];
  switch (schema.type) {
    case "object": {
      const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
      const inner = properties.flatMap(([name, field]) => growths(field, [...path, name], bytes));
      return properties.length === 0 ? [{ path, values: anything(bytes) }] : inner;
    }
    case "array": {
      const items = (schema.items ?? {}) as Schema;
      const item = JSON.stringify(smallest(items));
      const fitting = Math.floor(bytes / (item.length + 1));
      const count = Math.min(fitting, Number(schema.maxItems ?? fitting));
      const same = arrayOf(count, item);
      const different =
        items.type === "string"
          ? [
              `[${Array.from({ length: Math.min(count, Math.floor(bytes / 40)) }, (_, index) => `"${"0".repeat(28)}${index}"`).join(",")}]`,
            ]
          : [];
      const tooMany = fitting > count ? [arrayOf(fitting, item)] : [];
      return [{ path, values: [same, ...different, ...tooMany] }, ...growths(items, [...path, 0], bytes)];
    }
    case "string": {
      const longest = Math.min(bytes, Number(schema.maxLength ?? bytes));
      return [{ path, values: [...longTexts(longest), ...(longest < bytes ? [textOf("a", bytes)] : [])] }];
    }
    case undefined:
      return [{ path, values: anything(bytes) }];
    default:
      return [];
  }
}

/** Bodies of at most about `bytes`, each with one field as large as it may be, and where it is. */
export function* largeBodies(schema: TSchema, bytes: number): Generator<{ body: string; field: string }> {
  const base = smallest(schema as Schema);
  for (const { path, values } of growths(schema as Schema, [], bytes - JSON.stringify(base).length - 200)) {
    const [before = "", after = ""] = JSON.stringify(set(base, path, PLACE)).split(JSON.stringify(PLACE));
    for (const [index, value] of values.entries()) {
      const body = before + value + after;
      if (body.length <= bytes) yield { body, field: `${path.join(".")} (${index})` };
    }
  }
}
