import { germanErrors } from "./de/errors.ts";
import { englishErrors } from "./en/errors.ts";
import { type Catalogue, renderText, type Text } from "./text.ts";

/** All texts of the server by language; the console loads one at a time instead. */
const catalogues = { en: englishErrors, de: germanErrors } satisfies Record<string, Catalogue>;

export type TextLanguage = keyof typeof catalogues;

export const renderIn = (language: TextLanguage, text: Text): string =>
  renderText(catalogues[language], text);

/** Codes whose text contains the search in a language, for lists of what is stored as data. */
export function codesContaining(search: string): string[] {
  const wanted = search.toLowerCase();
  const found = Object.values(catalogues).flatMap((catalogue) =>
    Object.entries(catalogue).filter(([, template]) => template.toLowerCase().includes(wanted)),
  );
  return [...new Set(found.map(([code]) => code))];
}
