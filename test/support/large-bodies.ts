import type { TSchema } from "@sinclair/typebox";

/** For each field of a schema that can grow, bodies in which it is as large as a request may be. */

type Schema = Record<string, unknown>;
type Path = ReadonlyArray<string | number>;

const MAX_DEPTH = 6;

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

/** Values that fill about `bytes` of JSON where anything may stand. */
const anything = (bytes: number): unknown[] => [
  Object.fromEntries(Array.from({ length: Math.floor(bytes / 12) }, (_, index) => [`k${index}`, 1])),
  Array.from({ length: Math.floor(bytes / 2) }, () => 1),
  Array.from({ length: Math.floor(bytes / 3) }, () => []),
  Array.from({ length: Math.floor(bytes / 130) }, () => JSON.parse(`${"[".repeat(60)}1${"]".repeat(60)}`)),
  "a".repeat(bytes),
];

const texts = (bytes: number): string[] => [
  "a".repeat(bytes),
  "(".repeat(bytes),
  `$${"{a}".repeat(bytes / 3)}`,
  "1+".repeat(bytes / 2),
  "\\u0000".repeat(bytes / 6),
  "a@".repeat(bytes / 2),
  "* ".repeat(bytes / 2),
];

interface Growth {
  readonly path: Path;
  readonly values: readonly unknown[];
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
      const full = (length: number, itemAt: (index: number) => unknown) =>
        Array.from({ length }, (_, index) => itemAt(index));
      const same = full(count, () => JSON.parse(item));
      const different =
        items.type === "string"
          ? [full(Math.min(count, Math.floor(bytes / 40)), (index) => `${"0".repeat(28)}${index}`)]
          : [];
      const tooMany = fitting > count ? [full(fitting, () => JSON.parse(item))] : [];
      return [{ path, values: [same, ...different, ...tooMany] }, ...growths(items, [...path, 0], bytes)];
    }
    case "string": {
      const longest = Math.min(bytes, Number(schema.maxLength ?? bytes));
      return [{ path, values: [...texts(longest), ...(longest < bytes ? ["a".repeat(bytes)] : [])] }];
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
  for (const { path, values } of growths(schema as Schema, [], bytes - JSON.stringify(base).length - 200))
    for (const [index, value] of values.entries()) {
      const body = JSON.stringify(set(base, path, value));
      if (body.length <= bytes) yield { body, field: `${path.join(".")} (${index})` };
    }
}
