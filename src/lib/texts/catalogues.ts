import type { ServerPlaces } from "./places.ts";
import german from "./server.de.json";
import english from "./server.en.json";
import { type Catalogue, renderText, type Text, type TextArgs } from "./text.ts";

/** Texts of errors and events by code. Each language has the same codes with the same places. */
export type ErrorCode = keyof typeof english;

/** A code as an argument, and the parameters that its text has places for. */
export type CodeArgs<Code extends ErrorCode> = TextArgs<ServerPlaces, Code>;

/** All texts of the server by language; the console loads one at a time instead. */
export const catalogues = { en: english, de: german } satisfies Record<
  string,
  Readonly<Record<ErrorCode, string>>
>;

export type TextLanguage = keyof typeof catalogues;

export const hasText = (code: string): code is ErrorCode => Object.hasOwn(english, code);

export const renderIn = (language: TextLanguage, text: Text): string =>
  renderText(catalogues[language], text);

/** Codes whose text contains the search in a language, for lists of what is stored as data. */
export function codesContaining(search: string): string[] {
  const wanted = search.toLowerCase();
  const found = Object.values(catalogues).flatMap((catalogue: Catalogue) =>
    Object.entries(catalogue).filter(([, template]) => template.toLowerCase().includes(wanted)),
  );
  return [...new Set(found.map(([code]) => code))];
}
