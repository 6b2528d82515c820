import type { TSchema } from "@sinclair/typebox";
import type { ApiClient } from "../api-client.ts";
import type { ReferenceKind } from "./references.ts";
import type { Fields } from "./site.types.ts";

/** Schema of the fields of an object in a site file. */
export interface SectionSchema {
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[] | undefined;
}

/** Part of a site file: objects or settings of one kind. */
export interface Section {
  readonly name: string;
  /** Identifying field of an object; undefined for settings, which are one object. */
  readonly key?: string;
  /** Kind of references to these objects. */
  readonly kind?: ReferenceKind;
  /** Id field of API objects. */
  readonly id: string;
  readonly path: string;
  readonly schema: SectionSchema;
  /** Fields that cannot be changed after creation. */
  readonly createOnly?: readonly string[];
  /** Fields with defaults of the gateway. Omitted parts in the file are not a difference. */
  readonly defaulted?: readonly string[];
  /** Lists without a meaningful order. */
  readonly unordered?: readonly string[];
  /** Times in ISO 8601, which allows several spellings. */
  readonly times?: readonly string[];
  /** Fields that are `true` for at most one object; `false` is ignored. */
  readonly exclusive?: readonly string[];
  /** False for objects with data, which no file deletes. */
  readonly prunes: boolean;
  /** Permission to read the section, in addition to that for site files. */
  readonly permission?: string;
  /** Returns all objects if `path` is not their list. */
  list?(api: ApiClient): Promise<Fields[]>;
  /** Returns the path of one object if the list omits fields. */
  detailPath?(id: string): string;
  /** Returns the object with the fields of the file; false if it is not part of a site. */
  toFields?(object: Fields): Fields | false;
  /** Returns whether another gateway can accept an API object. Others are compared, but not exported. */
  isExported?(object: Fields): boolean;
  /** Returns the fields, with expressions instead of ids, without parts that another gateway would refuse. */
  withoutLost?(fields: Fields): Fields;
  /** Returns path and body for the creation of an object, if they differ from `path` and all fields. */
  creation?(fields: Fields): { readonly path: string; readonly body: Fields };
  /** Sends changed fields if a PATCH with them is not sufficient. */
  update?(api: ApiClient, object: { id: string; changes: Fields; current: Fields }): Promise<void>;
  /** Replaces an object that cannot be changed. Returns the new API object. */
  replace?(api: ApiClient, object: { id: string; body: Fields; current: Fields }): Promise<Fields>;
  /** Returns the line with the secret of a new object for programs. The gateway shows it only once. */
  secretLine?(created: Fields): string;
}
