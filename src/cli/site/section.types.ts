import type { TSchema } from "@sinclair/typebox";
import type { ApiClient } from "../api-client.ts";
import type { ReferenceKind } from "./references.ts";
import type { Fields } from "./site.types.ts";

/** Schema of an object's fields in a site file. */
export interface SectionSchema {
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[] | undefined;
}

/** A part of a site file: the objects of one kind, or the settings of one kind. */
export interface Section {
  readonly name: string;
  /** Field that identifies an object; undefined for a section of settings, which is one object. */
  readonly key?: string;
  /** How other objects refer to these. */
  readonly kind?: ReferenceKind;
  /** Field of the API's objects with their id. */
  readonly id: string;
  readonly path: string;
  readonly schema: SectionSchema;
  /** Fields that cannot be changed after the creation. */
  readonly createOnly?: readonly string[];
  /** Fields in which the gateway adds defaults: what the file leaves out there does not count as a difference. */
  readonly defaulted?: readonly string[];
  /** Lists whose order means nothing. */
  readonly unordered?: readonly string[];
  /** Points in time in ISO 8601, which allows several spellings. */
  readonly times?: readonly string[];
  /** Fields of which only `true` counts: another object that gets it takes it away. */
  readonly exclusive?: readonly string[];
  /** False for objects that carry data, which no file deletes. */
  readonly prunes: boolean;
  /** Permission that reading the section takes beyond that for site files. */
  readonly permission?: string;
  /** Returns all objects, where `path` is not their list. */
  list?(api: ApiClient): Promise<Fields[]>;
  /** Returns the path of one object, where the list leaves out fields. */
  detailPath?(id: string): string;
  /** Returns the object with the fields of the file; false for one that is not part of a site. */
  toFields?(object: Fields): Fields | false;
  /** Whether another gateway can take an object of the API; objects that it cannot take are compared, but not exported. */
  isExported?(object: Fields): boolean;
  /** Returns the fields, in which expressions stand in place of ids, without what another gateway would refuse. */
  withoutLost?(fields: Fields): Fields;
  /** Returns the path and the body that create an object, where these are not `path` and all fields. */
  creation?(fields: Fields): { readonly path: string; readonly body: Fields };
  /** Sends changed fields where PATCH with them is not enough. */
  update?(api: ApiClient, object: { id: string; changes: Fields; current: Fields }): Promise<void>;
  /** Replaces an object that cannot be changed. Returns the new object of the API. */
  replace?(api: ApiClient, object: { id: string; body: Fields; current: Fields }): Promise<Fields>;
  /** Returns the line in which a program finds the secret of a new object; the gateway shows it this once. */
  secretLine?(created: Fields): string;
}
