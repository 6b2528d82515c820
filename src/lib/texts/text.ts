/**
 * Texts as data. A sentence is a code and its parameters wherever it is stored or sent; it is rendered where somebody reads it, in the
 * reader's language. A catalogue maps codes to templates such as `The password must have {min} characters or more.`
 */

/** A sentence, or a part of one, that is not rendered yet. */
export interface Text {
  readonly code: string;
  readonly params: Params;
}

/** A list is rendered with commas between its values; sentences follow each other without. */
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

/** Whether a rendered text is complete, unlike a rule that continues the sentence of a field. */
export const isSentence = (text: string): boolean => /[.!?]$/.test(text);

const isText = (value: ParamValue): value is Text =>
  typeof value === "object" && !Array.isArray(value) && "code" in value;

function renderValue(catalogue: Catalogue, value: ParamValue): string {
  if (isText(value)) return renderText(catalogue, value);
  if (!Array.isArray(value)) return String(value);
  const parts = value.map((part: ParamValue) => renderValue(catalogue, part));
  return parts.join(parts.every(isSentence) ? " " : ", ");
}

/** Fills a template in. A place without a parameter stays empty. A sentence at the end of another one brings the full stop of both. */
export function fillTemplate(catalogue: Catalogue, template: string, params: Params): string {
  return template.replace(/\{(\w+)\}(\.?)/g, (_, name: string, stop: string) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    const rendered = value === undefined ? "" : renderValue(catalogue, value);
    return isSentence(rendered) ? rendered : rendered + stop;
  });
}

/** Renders a text in the catalogue's language. A code that the catalogue lacks stands for itself. */
export function renderText(catalogue: Catalogue, { code, params }: Text): string {
  const template = Object.hasOwn(catalogue, code) ? catalogue[code] : undefined;
  return template === undefined ? code : fillTemplate(catalogue, template, params);
}
