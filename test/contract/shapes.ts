/** Required shape of a value: a value itself, the required fields of an object, the exact items of a list. */
export type Shape =
  | Check
  | RegExp
  | string
  | number
  | boolean
  | null
  | readonly Shape[]
  | { readonly [field: string]: Shape };

/** Returns the error of a value; undefined if there is none. */
type Check = (value: unknown) => string | undefined;

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};

const check =
  (name: string, accepts: (value: unknown) => boolean): Check =>
  (value) =>
    accepts(value) ? undefined : `${show(value)} is not ${name}`;

const matches = (pattern: RegExp) => (value: unknown) => typeof value === "string" && pattern.test(value);

/** No value: the field is left out. */
export const absent: Check = (value) => (value === undefined ? undefined : `${show(value)} is there`);
export const string = check("a string", (value) => typeof value === "string");
export const text = check("a text with content", (value) => typeof value === "string" && value !== "");
export const number = check("a number", (value) => typeof value === "number");
export const count = check("a whole number", (value) => Number.isInteger(value) && (value as number) >= 0);
export const boolean = check("a boolean", (value) => typeof value === "boolean");
export const object = check(
  "an object",
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);
export const iso = check("a UTC ISO 8601 time", matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/));
export const epochMs = check(
  "epoch milliseconds",
  (value) => Number.isInteger(value) && (value as number) > 1e11,
);
export const uuid = check(
  "a UUIDv7",
  matches(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
);
export const jwt = check("a JWT", matches(/^[\w-]+\.[\w-]+\.[\w-]+$/));

export const oneOf = (...values: readonly unknown[]): Check =>
  check(`one of ${show(values)}`, (value) => values.includes(value));

export const nullable =
  (shape: Shape): Check =>
  (value) =>
    value === null ? undefined : problemWith(value, shape);

/** A list whose every item has the shape, with at least one item: an empty list would prove nothing. */
export const listOf =
  (shape: Shape): Check =>
  (value) => {
    if (!Array.isArray(value) || value.length === 0) return `${show(value)} is not a list with items`;
    return firstProblem(value.map((item, index) => [`[${index}]`, problemWith(item, shape)]));
  };

export const emptyList = check("an empty list", (value) => Array.isArray(value) && value.length === 0);

/** A list that holds an item of the shape. */
export const including =
  (shape: Shape): Check =>
  (value) =>
    Array.isArray(value) && value.some((item) => problemWith(item, shape) === undefined)
      ? undefined
      : `${show(value)} holds no ${show(shape)}`;

export const without =
  (shape: Shape): Check =>
  (value) =>
    Array.isArray(value) && value.every((item) => problemWith(item, shape) !== undefined)
      ? undefined
      : `${show(value)} holds ${show(shape)}`;

const firstProblem = (found: ReadonlyArray<readonly [string, string | undefined]>): string | undefined => {
  const first = found.find(([, problem]) => problem !== undefined);
  return first && `${first[0]}: ${first[1]}`;
};

export function problemWith(value: unknown, shape: Shape): string | undefined {
  if (typeof shape === "function") return shape(value);
  if (shape instanceof RegExp)
    return matches(shape)(value) ? undefined : `${show(value)} does not match ${shape}`;
  if (typeof shape !== "object" || shape === null)
    return Object.is(value, shape) ? undefined : `${show(value)} is not ${show(shape)}`;
  if (Array.isArray(shape)) {
    if (!Array.isArray(value) || value.length !== shape.length)
      return `${show(value)} is not a list of ${shape.length}`;
    return firstProblem(shape.map((item, index) => [`[${index}]`, problemWith(value[index], item)]));
  }
  const problem = object(value);
  if (problem !== undefined) return problem;
  return firstProblem(
    Object.entries(shape).map(([field, part]) => [
      field,
      problemWith((value as Record<string, unknown>)[field], part as Shape),
    ]),
  );
}
