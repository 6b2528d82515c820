import type { TSchema } from "@sinclair/typebox";

type Random = () => number;

/** Bodies for a schema: mostly valid ones with a few places replaced by what no client should send. */

type Schema = Record<string, unknown>;
const MAX_DEPTH = 5;

/** Stands in what is sent; an error that contains it repeats what was sent. */
export const MARK = "zq-marker-7351";

const strange: readonly unknown[] = [
  { toString: 1 },
  { toString: 1, valueOf: 1 },
  [{ toString: 1 }],
  null,
  true,
  [],
  {},
  [[[[[]]]]],
  -1,
  0.5,
  1e308,
  -9007199254740992,
  "",
  "5",
  MARK.repeat(200),
  `\u0000\ud800${MARK}\u202e`,
  "__proto__",
  JSON.parse(`{"__proto__":{"role":"TENANT_OWNER"},"constructor":{"prototype":{"${MARK}":1}}}`),
  `=1+1${MARK}`,
  "2026-99-99T99:99:99Z",
  `(${"a+".repeat(50)})+$${MARK}`,
];

const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item;

function text(random: Random, schema: Schema): string {
  if (typeof schema.pattern === "string") return pick(random, ["a", "0102030405060708", MARK, "2026-01-01"]);
  return pick(random, ["a", "temperature", MARK, "a@b.example", "2026-01-01T00:00:00Z", "x".repeat(300)]);
}

/** A value that the schema may accept. */
function generate(random: Random, schema: Schema, depth: number): unknown {
  if (depth > MAX_DEPTH) return pick(random, strange);
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return pick(random, schema.enum);
  const members = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(members)) return generate(random, pick(random, members), depth + 1);
  switch (schema.type) {
    case "object":
      return generateObject(random, schema, depth);
    case "array":
      return Array.from({ length: Math.floor(random() * 3) }, () =>
        generate(random, (schema.items ?? {}) as Schema, depth + 1),
      );
    case "string":
      return text(random, schema);
    case "integer":
    case "number":
      return Math.max(Number(schema.minimum ?? 0), Math.floor(random() * 1_000));
    case "boolean":
      return random() < 0.5;
    case "null":
      return null;
    default:
      return pick(random, strange);
  }
}

function generateObject(random: Random, schema: Schema, depth: number): object {
  const required = (schema.required ?? []) as string[];
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
    .filter(([name]) => (required.includes(name) ? random() < 0.97 : random() < 0.4))
    .map(([name, inner]) => [
      name,
      random() < 0.08 ? pick(random, strange) : generate(random, inner, depth + 1),
    ]);
  const more =
    random() < 0.15 ? [[pick(random, [MARK, "__proto__", "toString", "a.b"]), pick(random, strange)]] : [];
  return Object.fromEntries([...fields, ...more]);
}

export const bodyFor = (random: Random, schema: TSchema): unknown =>
  random() < 0.03 ? pick(random, strange) : generate(random, schema as Schema, 0);
