import { isSentence } from "../../../lib/texts/text.ts";
import { serverPhrase } from "../../platform/i18n/error-texts.ts";
import type { RowError } from "./bulk-api.ts";

/** Returns the error of a row in the language of the reader. */
export function mistakeText({ field, code, params, message }: Omit<RowError, "row">): string {
  const text = serverPhrase({ code, params }, message);
  // As names within the text are quoted.
  const column = `"${field}"`;
  if (field === "" || text.includes(column)) return text;
  return isSentence(text) ? `${column}: ${text}` : `${column} ${text}.`;
}
