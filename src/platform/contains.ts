import { type AnyColumn, type SQL, sql } from "drizzle-orm";

/** Whether a column contains the text as it stands; letters of the Latin alphabet match in either case. */
export const contains = (column: AnyColumn | SQL, text: string): SQL =>
  sql`instr(lower(${column}), lower(${text})) > 0`;
