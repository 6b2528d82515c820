import { type AnyColumn, type Placeholder, type SQL, sql } from "drizzle-orm";
import { codesContaining } from "../../lib/texts/catalogues.ts";

/**
 * Builds the condition that a column contains the text literally, ignoring the case of Latin letters. `LIKE` would take a hundred times as long for
 * texts that repeat one letter.
 */
export const contains = (column: AnyColumn | SQL, text: string | Placeholder): SQL =>
  sql`instr(lower(${column}), lower(${text})) > 0`;

/** Builds the condition that a stored text contains the search in its template, in any language, or in a parameter. */
export const containsText = (column: AnyColumn | SQL, search: string): SQL =>
  sql`EXISTS (SELECT 1 FROM json_tree(${column}) AS part WHERE CASE part.key WHEN 'code' THEN part.atom IN (SELECT value FROM json_each(${JSON.stringify(codesContaining(search))})) ELSE part.atom IS NOT NULL AND instr(lower(part.atom), lower(${search})) > 0 END)`;
