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
    /** The session from which somebody acts as this user: it does not outlive that one. */
    impersonatorSessionId: text("impersonator_session_id"),
    /** Address from which the session was started, for the list of a user's own sessions. */
    address: text("address").notNull().default(""),
    userAgent: text("user_agent").notNull().default(""),
    createdAt: integer("created_at").notNull(),
    /** Time of the last use, to some minutes. */
    lastUsedAt: integer("last_used_at").notNull().default(0),
    expiresAt: integer("expires_at").notNull(),
    /** Counts the renewals: an access token says of which one it is. */
    generation: integer("generation").notNull().default(0),
    renewedAt: integer("renewed_at").notNull().default(0),
  },
  (table) => [
    index("sessions_user").on(table.userId),
    index("sessions_impersonator").on(table.impersonatorSessionId),
  ],
);

/** Single-use links to the setup page; only the hash of the secret is kept. */
export const setupLinks = sqliteTable("setup_links", {
  secretHash: text("secret_hash").primaryKey(),
  expiresAt: integer("expires_at").notNull(),
});

/** Sign-ups by address; one that is confirmed stays until its person has a tenant. No password is kept here. */
export const signUps = sqliteTable("sign_ups", {
  email: text("email").primaryKey(),
  fullName: text("full_name").notNull(),
  planId: text("plan_id").notNull(),
  codeHash: text("code_hash").notNull(),
  codeExpiresAt: integer("code_expires_at").notNull(),
  triesLeft: integer("tries_left").notNull(),
  confirmedAt: integer("confirmed_at"),
});
