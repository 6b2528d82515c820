/**
 * Texts as data. A sentence is stored and sent as a code with parameters, and rendered in the language of its reader. A catalog maps codes to
 * templates such as `The password must have {min} characters or more.`
 */

/** Unrendered sentence, or part of one. */
export interface Text {
  readonly code: string;
  readonly params: Params;
}

/** A list is rendered with commas between its values, except between sentences. */
export type ParamValue = string | number | boolean | Text | readonly (string | number | Text)[];

export interface Params {
  readonly [name: string]: ParamValue;
}

export type Catalogue = Readonly<Record<string, string>>;

/** Names of the placeholders of a text, or `never`. `Places` has an entry for each key whose text has placeholders. */
type PlacesOf<Places, Key> = Key extends keyof Places ? Places[Key] : never;

/** Arguments after the key of a text: its parameters, or none without placeholders. */
export type TextArgs<Places, Key, Value = ParamValue> = [PlacesOf<Places, Key>] extends [never]
  ? []
  : [params: Readonly<Record<PlacesOf<Places, Key> & string, Value>>];

/** Returns whether a rendered text is a complete sentence, unlike a rule that continues the sentence of a field. */
export const isSentence = (text: string): boolean => /[.!?]$/.test(text);

const isText = (value: ParamValue): value is Text =>
  typeof value === "object" && !Array.isArray(value) && "code" in value;

function renderValue(catalogue: Catalogue, value: ParamValue): string {
  if (isText(value)) return renderText(catalogue, value);
  if (!Array.isArray(value)) return String(value);
  const parts = value.map((part: ParamValue) => renderValue(catalogue, part));
  return parts.join(parts.every(isSentence) ? " " : ", ");
}

/** Fills a template. Placeholders without a parameter become empty. Avoids a duplicate full stop after a nested sentence. */
export function fillTemplate(catalogue: Catalogue, template: string, params: Params): string {
  return template.replace(/\{(\w+)\}(\.?)/g, (_, name: string, stop: string) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    const rendered = value === undefined ? "" : renderValue(catalogue, value);
    return isSentence(rendered) ? rendered : rendered + stop;
  });
}

/** Renders a text in the language of the catalog. Unknown codes are rendered as themselves. */
export function renderText(catalogue: Catalogue, { code, params }: Text): string {
  const template = Object.hasOwn(catalogue, code) ? catalogue[code] : undefined;
  return template === undefined ? code : fillTemplate(catalogue, template, params);
}
