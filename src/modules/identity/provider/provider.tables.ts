import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The embedded identity provider's own file: nothing else reads it. */
export const accounts = sqliteTable("accounts", {
  accountId: text("account_id").primaryKey(),
  email: text("email").notNull().unique(),
  passwordHash: text("password_hash").notNull(),
  /** A temporary password opens nothing but the page on which it is changed. */
  mustChangePassword: integer("must_change_password", { mode: "boolean" }).notNull().default(false),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

/** Authorization codes: single use, 60 s; only the hash is kept. */
export const authorizationCodes = sqliteTable("authorization_codes", {
  codeHash: text("code_hash").primaryKey(),
  accountId: text("account_id")
    .notNull()
    .references(() => accounts.accountId, { onDelete: "cascade" }),
  redirectUri: text("redirect_uri"),
  codeChallenge: text("code_challenge"),
  expiresAt: integer("expires_at").notNull(),
});

/** Failed sign-ins; `subject` is `pair:<e-mail>|<address>`, `address:…` or `account:…`. */
export const signInFailures = sqliteTable("sign_in_failures", {
  subject: text("subject").primaryKey(),
  count: integer("count").notNull(),
  windowStartedAt: integer("window_started_at").notNull(),
});
