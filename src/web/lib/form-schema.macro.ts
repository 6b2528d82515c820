import type { FieldSchema, ObjectSchema } from "./form-schema.ts";

/** The parts of JSON Schema that the schemas of the API use. */
interface JsonSchema {
  readonly type?: string;
  readonly const?: string | number | boolean;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Schema in the OpenAPI document of a value that a service checks itself (`documentedAs`). */
  readonly "x-schema"?: JsonSchema;
}

/**
 * Returns a pattern for the `pattern` attribute of an input, which browsers compile with the flag `v`: within a class, the characters of
 * ClassSetSyntaxCharacter (ECMA-262, 22.2.1) are escaped.
 */
export function inputPattern(pattern: string): string {
  let isInClass = false;
  return pattern.replace(/\\.|\^|[[\](){}/|-]/gs, (token, index: number) => {
    if (token === "[" && !isInClass) {
      isInClass = true;
      return token;
    }
    if (!isInClass || token.length > 1 || token === "^") return token;
    if (token === "]") {
      isInClass = false;
      return token;
    }
    const isRange = token === "-" && !/\[\^?$/.test(pattern.slice(0, index)) && pattern[index + 1] !== "]";
    return isRange ? token : `\\${token}`;
  });
}

const LIMITS = ["default", "minLength", "maxLength", "minimum", "maximum"] as const;

const limitsOf = ({ pattern, ...schema }: JsonSchema) => ({
  ...Object.fromEntries(LIMITS.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]]))),
  ...(pattern !== undefined && { pattern: inputPattern(pattern) }),
});

const optionsOf = (schemas: readonly JsonSchema[]) =>
  schemas.flatMap(({ const: value }) =>
    typeof value === "string" || typeof value === "number" ? [value] : [],
  );

/** Elysia also accepts numbers and booleans as strings in queries; a form sends them unchanged. */
const isStringForm = ({ type, format }: JsonSchema) =>
  type === "string" && format !== undefined && ["integer", "numeric", "boolean"].includes(format);

/** `{ kept: true }`, which stands for a stored secret. */
const isKept = ({ properties }: JsonSchema) => properties?.kept?.const === true;

function kindOf(schema: JsonSchema): Partial<FieldSchema> & Pick<FieldSchema, "kind"> {
  switch (schema.type) {
    case "string":
      return schema.enum === undefined ? { kind: "text" } : { kind: "choice", options: schema.enum };
    case "integer":
      return { kind: "number", isWhole: true };
    case "number":
    case "boolean":
      return { kind: schema.type };
    case "array": {
      const options = schema.items?.enum ?? optionsOf(schema.items?.anyOf ?? []);
      if (options.length > 0) return { kind: "set", options };
      return schema.items?.type === "string" ? { kind: "list" } : { kind: "json" };
    }
    case "object":
      return schema.properties === undefined
        ? { kind: "json" }
        : { kind: "object", object: objectOf([schema]) };
    default:
      return { kind: "json" };
  }
}

const membersOf = (schema: JsonSchema): JsonSchema[] => schema.anyOf?.flatMap(membersOf) ?? [schema];

function fieldOf(input: JsonSchema): FieldSchema {
  const schema = input["x-schema"] ?? input;
  const all = membersOf(schema);
  const items = all.filter((item) => item.type !== "null" && !isKept(item) && !isStringForm(item));
  const flags = {
    ...(all.some(({ type }) => type === "null") && { isNullable: true as const }),
    ...(all.some(isKept) && { isSecret: true as const }),
  };
  const options = optionsOf(items);
  if (options.length > 0 && options.length === items.length)
    return { kind: "choice", options, ...flags, ...limitsOf(schema) };
  if (items.length > 1 && discriminatorOf(items) !== undefined)
    return { kind: "object", object: objectOf(items), ...flags };
  const [only = {}] = items;
  return items.length > 1
    ? { kind: "json", ...flags }
    : { ...kindOf(only), ...flags, ...limitsOf(only), ...limitsOf(schema) };
}

const fieldsOf = ({ properties = {}, required = [] }: JsonSchema) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      { ...fieldOf(schema), ...(required.includes(name) && { isRequired: true as const }) },
    ]),
  );

/** Returns the field whose constants tell the objects of a union apart. */
const discriminatorOf = (schemas: readonly JsonSchema[]): string | undefined =>
  Object.keys(schemas[0]?.properties ?? {}).find((name) =>
    schemas.every(({ properties }) => properties?.[name]?.const !== undefined),
  );

/** Reads an object, or a union of objects that a field with a constant distinguishes. */
function objectOf(schemas: readonly JsonSchema[]): ObjectSchema {
  const [first = {}, ...others] = schemas;
  if (others.length === 0) return { fields: fieldsOf(first) };
  const by = discriminatorOf(schemas);
  if (by === undefined) throw new Error("the objects of a union have no field that tells them apart");
  const of = Object.fromEntries(
    schemas.map((schema) => {
      const { [by]: name, ...fields } = fieldsOf(schema);
      return [String(name?.options?.[0]), fields];
    }),
  );
  return {
    fields: { [by]: { kind: "choice", options: Object.keys(of), isRequired: true } },
    variants: { by, of },
  };
}

/**
 * Reads a schema of the API. Import it as a macro (`with { type: "macro" }`), so that the bundle contains the result but not the schemas.
 * @param file path in `src/modules` @param name exported schema of an object or of a union of objects
 * @param only names of fields, if the form has few of them
 */
export function formSchema(file: string, name: string, only?: readonly string[]): ObjectSchema {
  const schema: JsonSchema | undefined = import.meta.require(`../../modules/${file}`)[name];
  if (schema === undefined) throw new Error(`${file} has no ${name}`);
  const read = objectOf(schema.anyOf ?? [schema]);
  if (only === undefined) return read;
  return {
    ...read,
    fields: Object.fromEntries(Object.entries(read.fields).filter(([field]) => only.includes(field))),
  };
}

const MEMBER = "[]";

/** Returns the schema at a path; `undefined` if the schema has no such field. */
function schemaAt(input: JsonSchema, [name, ...rest]: readonly string[]): JsonSchema | undefined {
  const members = membersOf(input["x-schema"] ?? input);
  if (name === undefined) return members.find(({ type }) => type !== "null");
  for (const { items, properties } of members) {
    const inner = name === MEMBER ? items : properties?.[name];
    const found = inner && schemaAt(inner, rest);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the limits of a field of the API as attributes of `input`. Import it as a macro, like `formSchema`.
 * @param file path in `src/modules` @param name exported schema
 * @param path names joined by dots; `[]` stands for the members of a list, and an empty path for the schema itself
 */
export function inputLimits(
  file: string,
  name: string,
  path: string,
): { minLength?: number; maxLength?: number; min?: number; max?: number } {
  const schema: JsonSchema | undefined = import.meta.require(`../../modules/${file}`)[name];
  const field = schema && schemaAt(schema, path === "" ? [] : path.split("."));
  if (field === undefined) throw new Error(`${file} has no ${name}.${path}`);
  const { minLength, maxLength, minimum, maximum } = field;
  return {
    ...(minLength !== undefined && minLength > 1 && { minLength }), // an empty input is a matter of `required`
    ...(maxLength !== undefined && { maxLength }),
    ...(minimum !== undefined && { min: minimum }),
    ...(maximum !== undefined && { max: maximum }),
  };
}

/** Returns the limit of a text field of the API; see `inputLimits`. */
export function maxLengthOf(file: string, name: string, path: string): number {
  const { maxLength } = inputLimits(file, name, path);
  if (maxLength === undefined) throw new Error(`${file}: ${name}.${path} has no limit`);
  return maxLength;
}
