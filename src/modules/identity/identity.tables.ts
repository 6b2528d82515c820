import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { users } from "../users/users.tables.ts";

/** A signed-in browser or script; the session, not the token's claims, is the authority. */
export const sessions = sqliteTable(
  "sessions",
  {
    sessionId: text("session_id").primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.userId, { onDelete: "cascade" }),
    impersonatorId: text("impersonator_id"),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("sessions_user").on(table.userId)],
);

/** Single-use links to the set-up page; only the hash of the secret is kept. */
export const setupLinks = sqliteTable("setup_links", {
  secretHash: text("secret_hash").primaryKey(),
  expiresAt: integer("expires_at").notNull(),
});
