import { expressionOf } from "./references.ts";
import { type FieldPath, type Fields, formatPath, isFields } from "./site.types.ts";

/** Sections that have `{kept: …}` in place of a secret, and take that back to keep it. */
const SECTIONS_WITH_MARKS = ["integrations", "messengers", "pipelines", "uplinks", "mail", "backup"];

/** The API of notifications shows null for a header with a secret. */
const isMark = (section: string, path: FieldPath, value: unknown): boolean =>
  section === "notifications"
    ? value === null && path[0] === "messaging" && path[1] === "headers"
    : SECTIONS_WITH_MARKS.includes(section) && isFields(value) && Object.hasOwn(value, "kept");

/** Returns a function that names each secret of a site differently, in the form of environment variables. */
export function createSecretNames() {
  const used = new Set<string>();
  return (section: string, key: string, path: FieldPath): string => {
    // Without places in lists: a step keeps the name of its secret when another one comes before it.
    const fields = path.filter((part) => typeof part === "string" && part !== "settings_json");
    const parts = [section, key, ...fields];
    const base = parts
      .join("_")
      .replace(/[^A-Za-z0-9]+/g, "_")
      .toUpperCase();
    let name = base;
    for (let number = 2; used.has(name); number++) name = `${base}_${number}`;
    used.add(name);
    return name;
  };
}

/** Returns the fields with a placeholder for each secret, and the marks that keep the secrets. */
export function maskSecrets(
  fields: Fields,
  of: { section: string; key: string; secretNames: ReturnType<typeof createSecretNames> },
): { fields: Fields; marks: ReadonlyMap<string, unknown> } {
  const marks = new Map<string, unknown>();
  function mask(value: unknown, path: FieldPath): unknown {
    if (isMark(of.section, path, value)) {
      const name = of.secretNames(of.section, of.key, path);
      marks.set(name, value);
      marks.set(formatPath(path), value);
      return expressionOf("secret", name);
    }
    if (Array.isArray(value)) return value.map((item, index) => mask(item, [...path, index]));
    if (!isFields(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, mask(inner, [...path, name])]),
    );
  }
  return { fields: mask(fields, []) as Fields, marks }; // an object stays an object
}
