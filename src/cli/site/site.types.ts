/** Fields of an object of a site file or of the API in JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** Field names and list indices that lead to a value. */
export type FieldPath = readonly (string | number)[];

/** An object of a site file. */
export interface SiteObject {
  /** Name or email address; empty for settings. */
  readonly key: string;
  readonly fields: Fields;
  /** Returns the position of a value for users: file, line and path. */
  where(path: FieldPath): string;
}

/** One or several site files, by section name. */
export type Site = ReadonlyMap<string, readonly SiteObject[]>;

/** Formats a path: `profiles.Oven.alarmRules[0].alarmType`. */
export const formatPath = (path: FieldPath): string =>
  path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${part}`))
    .join("");

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
