import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Devices of running imports. After a crash, the next start deletes them, so that an import creates all devices or none. */
export const unfinishedImports = sqliteTable(
  "unfinished_imports",
  {
    importId: text("import_id").notNull(),
    /** Number of the transaction that created the devices. */
    piece: integer("piece").notNull(),
    deviceIds: text("device_ids", { mode: "json" }).notNull().$type<readonly string[]>(),
  },
  (table) => [primaryKey({ columns: [table.importId, table.piece] })],
);
