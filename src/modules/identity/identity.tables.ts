import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { UserId } from "../../lib/core/ids.ts";
import { users } from "../users/users.tables.ts";

/** Sessions of browsers and scripts; the session, not the token's claims, is authoritative. */
export const sessions = sqliteTable(
  "sessions",
  {
    sessionId: text("session_id").primaryKey(),
    userId: text("user_id")
      .$type<UserId>()
      .notNull()
      .references(() => users.userId, { onDelete: "cascade" }),
    impersonatorId: text("impersonator_id"),
    /** Session of the impersonating user, with which this session ends. */
    impersonatorSessionId: text("impersonator_session_id"),
    /** Address from which the session was started, for the user's list of sessions. */
    address: text("address").notNull().default(""),
    userAgent: text("user_agent").notNull().default(""),
    createdAt: integer("created_at").notNull(),
    /** Time of the last use, with a precision of some minutes. */
    lastUsedAt: integer("last_used_at").notNull().default(0),
    expiresAt: integer("expires_at").notNull(),
    /** Number of renewals, which an access token contains. */
    generation: integer("generation").notNull().default(0),
    renewedAt: integer("renewed_at").notNull().default(0),
  },
  (table) => [
    index("sessions_user").on(table.userId),
    index("sessions_impersonator").on(table.impersonatorSessionId),
  ],
);

/** Single-use links to the setup page; only the hash of the secret is stored. */
export const setupLinks = sqliteTable("setup_links", {
  secretHash: text("secret_hash").primaryKey(),
  expiresAt: integer("expires_at").notNull(),
});

/** Sign-ups by address; a confirmed one is kept until its user has a tenant. Contains no passwords. */
export const signUps = sqliteTable("sign_ups", {
  email: text("email").primaryKey(),
  fullName: text("full_name").notNull(),
  planId: text("plan_id").notNull(),
  codeHash: text("code_hash").notNull(),
  codeExpiresAt: integer("code_expires_at").notNull(),
  triesLeft: integer("tries_left").notNull(),
  confirmedAt: integer("confirmed_at"),
});
