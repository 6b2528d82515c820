import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Devices of imports that are under way. What a crash leaves of one is deleted at the next start: an import is all or none. */
export const unfinishedImports = sqliteTable(
  "unfinished_imports",
  {
    importId: text("import_id").notNull(),
    /** Number of the transaction that has created the devices. */
    piece: integer("piece").notNull(),
    deviceIds: text("device_ids", { mode: "json" }).notNull().$type<readonly string[]>(),
  },
  (table) => [primaryKey({ columns: [table.importId, table.piece] })],
);
