/**
 * Texts as data. A sentence is a code and its parameters wherever it is stored or sent; it is rendered where somebody reads it, in the
 * reader's language. A catalogue maps codes to templates such as `password must have {min} characters or more`.
 */

/** A sentence, or a part of one, that is not rendered yet. */
export interface Text {
  readonly code: string;
  readonly params: Params;
}

/** A list is rendered with commas between its values. */
export type ParamValue = string | number | boolean | Text | readonly (string | number | Text)[];

export interface Params {
  readonly [name: string]: ParamValue;
}

export type Catalogue = Readonly<Record<string, string>>;

/** Names of the places of a text, or `never`. `Places` has an entry for each key whose text has places. */
type PlacesOf<Places, Key> = Key extends keyof Places ? Places[Key] : never;

/** The arguments that follow the key of a text: its parameters, or nothing where its template has no places. */
export type TextArgs<Places, Key, Value = ParamValue> = [PlacesOf<Places, Key>] extends [never]
  ? []
  : [params: Readonly<Record<PlacesOf<Places, Key> & string, Value>>];

const isText = (value: ParamValue): value is Text =>
  typeof value === "object" && !Array.isArray(value) && "code" in value;

function renderValue(catalogue: Catalogue, value: ParamValue): string {
  if (isText(value)) return renderText(catalogue, value);
  return Array.isArray(value)
    ? value.map((part: ParamValue) => renderValue(catalogue, part)).join(", ")
    : String(value);
}

/** Fills a template in. A place without a parameter stays empty. */
export function fillTemplate(catalogue: Catalogue, template: string, params: Params): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    return value === undefined ? "" : renderValue(catalogue, value);
  });
}

/** Renders a text in the catalogue's language. A code that the catalogue lacks stands for itself. */
export function renderText(catalogue: Catalogue, { code, params }: Text): string {
  const template = Object.hasOwn(catalogue, code) ? catalogue[code] : undefined;
  return template === undefined ? code : fillTemplate(catalogue, template, params);
}
