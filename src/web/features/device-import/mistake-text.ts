import { serverPhrase } from "../../platform/i18n/error-texts.ts";
import type { RowError } from "./bulk-api.ts";

/** Returns the error of a row, in the reader's language. */
export function mistakeText({ field, code, params, message }: Omit<RowError, "row">): string {
  const text = serverPhrase({ code, params }, message);
  return field === "" || text.startsWith(`${field}: `) ? text : `${field}: ${text}`;
}
