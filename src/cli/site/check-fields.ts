import { suggest } from "../../lib/suggest.ts";
import { DOCUMENTED_AS } from "../../modules/documented-as.ts";
import { secretNameOf } from "./references.ts";
import type { SectionSchema } from "./section.types.ts";
import { type FieldPath, type Fields, isFields } from "./site.types.ts";

/*
 * Checks an object of a site file against the schema of the API before anything is sent: unknown names, types and constants. The gateway
 * checks everything else when it gets the object.
 */

type Schema = Readonly<Record<string, unknown>>;

export interface FieldProblem {
  readonly path: FieldPath;
  readonly message: string;
  /** Whether the value belongs to another member of a union. */
  readonly isOtherMember?: true;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "an integer",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isFields(value);
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}

const list = (values: readonly unknown[]): string => values.map(String).join(", ");

function checkConstant(value: unknown, allowed: readonly unknown[], path: FieldPath): FieldProblem[] {
  if (allowed.includes(value)) return [];
  const near = suggest(
    String(value),
    allowed.map((constant) => String(constant)),
  );
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  return [{ path, message: `must be one of ${list(allowed)}.${hint}`, isOtherMember: true }];
}

function checkUnion(value: unknown, members: readonly Schema[], path: FieldPath): FieldProblem[] {
  const constants = members.flatMap((member) => ("const" in member ? [member.const] : []));
  if (constants.length === members.length) return checkConstant(value, constants, path);
  let best: FieldProblem[] | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const member of members) {
    const problems = check(value, member, path);
    if (problems.length === 0) return [];
    const others = problems.filter(({ isOtherMember }) => isOtherMember).length;
    const weight = problems.length + others * 1_000;
    if (weight < fewest) [best, fewest] = [problems, weight];
  }
  return best ?? [];
}

/** The API takes numbers of a query as texts; a file has them as numbers. */
const isNumberAsText = ({ type, format }: Schema): boolean =>
  type === "string" && ["integer", "numeric", "boolean"].includes(String(format));

function checkNames(value: Fields, properties: Schema, path: FieldPath): FieldProblem[] {
  const names = Object.keys(properties);
  return Object.keys(value)
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name) => {
      const near = suggest(name, names);
      const hint = near === undefined ? `Known fields: ${list(names)}.` : `Did you mean "${near}"?`;
      return { path: [...path, name], message: `is no known field. ${hint}` };
    });
}

function checkObject(value: Fields, schema: Schema, path: FieldPath): FieldProblem[] {
  const { properties, additionalProperties, required } = schema;
  if (!isFields(properties)) {
    if (!isFields(additionalProperties)) return [];
    return Object.entries(value).flatMap(([name, inner]) =>
      check(inner, additionalProperties, [...path, name]),
    );
  }
  const missing = (Array.isArray(required) ? required : []).filter(
    (name: string) => !Object.hasOwn(value, name),
  );
  return [
    ...(additionalProperties === undefined || additionalProperties === false
      ? checkNames(value, properties, path)
      : []),
    ...missing.map((name: string) => ({ path, message: `needs the field "${name}".` })),
    ...Object.entries(value).flatMap(([name, inner]) =>
      Object.hasOwn(properties, name) ? check(inner, properties[name] as Schema, [...path, name]) : [],
    ),
  ];
}

function check(value: unknown, declared: Schema, path: FieldPath): FieldProblem[] {
  const documented = declared[DOCUMENTED_AS];
  const schema = isFields(documented) ? documented : declared;
  if (secretNameOf(value) !== undefined) return [];
  const members = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(members))
    return checkUnion(
      value,
      members.filter((member: Schema) => !isNumberAsText(member)),
      path,
    );
  if ("const" in schema) return checkConstant(value, [schema.const], path);
  if (Array.isArray(schema.enum)) return checkConstant(value, schema.enum, path);
  const { type, items } = schema;
  if (typeof type !== "string") return [];
  if (!hasType(value, type))
    return [{ path, message: `must be ${typeNames[type] ?? type}.`, isOtherMember: true }];
  if (Array.isArray(value) && isFields(items))
    return value.flatMap((item: unknown, index) => check(item, items, [...path, index]));
  return isFields(value) ? checkObject(value, schema, path) : [];
}

/** Returns the mistakes in the fields of an object. `isNew`: whether required fields must be present. */
export function checkFields(
  fields: Fields,
  schema: SectionSchema,
  { isNew }: { isNew: boolean },
): FieldProblem[] {
  const present = Object.entries(fields).filter(([, value]) => value !== null);
  return [
    ...checkNames(fields, schema.properties, []),
    ...(isNew ? (schema.required ?? []) : [])
      .filter((name) => !Object.hasOwn(fields, name))
      .map((name) => ({ path: [], message: `needs the field "${name}".` })),
    ...present.flatMap(([name, value]) => {
      const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
      return property === undefined ? [] : check(value, property, [name]);
    }),
  ];
}
