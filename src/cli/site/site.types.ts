/** Fields of an object of a site file or of the API, as JSON has them. */
export type Fields = Readonly<Record<string, unknown>>;

/** Names of fields and indices of lists that lead to a value. */
export type FieldPath = readonly (string | number)[];

/** An object of a site file. */
export interface SiteObject {
  /** Its name or email address; empty for settings. */
  readonly key: string;
  readonly fields: Fields;
  /** Returns the place of a value, for people: file, line and path. */
  where(path: FieldPath): string;
}

/** A site file, or several of them, by the names of the sections. */
export type Site = ReadonlyMap<string, readonly SiteObject[]>;

/** Formats a path: `profiles.Oven.alarmRules[0].alarmType`. */
export const formatPath = (path: FieldPath): string =>
  path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${part}`))
    .join("");

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
