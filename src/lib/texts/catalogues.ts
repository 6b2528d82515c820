import type { ServerPlaces } from "./places.ts";
import german from "./server.de.json";
import english from "./server.en.json";
import { type Catalogue, renderText, type Text, type TextArgs } from "./text.ts";

/** Codes of errors and events. All languages have texts for the same codes with the same placeholders. */
export type ErrorCode = keyof typeof english;

/** A code and the parameters of its placeholders. */
export type CodeArgs<Code extends ErrorCode> = TextArgs<ServerPlaces, Code>;

/** All texts of the server by language. The console loads one language at a time. */
export const catalogues = { en: english, de: german } satisfies Record<
  string,
  Readonly<Record<ErrorCode, string>>
>;

export type TextLanguage = keyof typeof catalogues;

export const hasText = (code: string): code is ErrorCode => Object.hasOwn(english, code);

export const renderIn = (language: TextLanguage, text: Text): string =>
  renderText(catalogues[language], text);

/** Returns the codes whose text contains the search in any language, for searches in stored texts. */
export function codesContaining(search: string): string[] {
  const wanted = search.toLowerCase();
  const found = Object.values(catalogues).flatMap((catalogue: Catalogue) =>
    Object.entries(catalogue).filter(([, template]) => template.toLowerCase().includes(wanted)),
  );
  return [...new Set(found.map(([code]) => code))];
}
