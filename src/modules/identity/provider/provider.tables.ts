import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Accounts in the embedded identity provider's own file, which nothing else reads. */
export const accounts = sqliteTable("accounts", {
  accountId: text("account_id").primaryKey(),
  email: text("email").notNull().unique(),
  passwordHash: text("password_hash").notNull(),
  /** True for a temporary password, which only opens the page for changing it. */
  mustChangePassword: integer("must_change_password", { mode: "boolean" }).notNull().default(false),
  /** Confirmed secret shared with the authenticator app, sealed; null without a second factor. */
  totpSealed: text("totp_sealed"),
  /** Secret of a second factor that is not yet confirmed, sealed. */
  totpPendingSealed: text("totp_pending_sealed"),
  /** Time step of the last accepted code, so that each code works once. */
  totpLastStep: integer("totp_last_step").notNull().default(0),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

const accountId = () =>
  text("account_id")
    .notNull()
    .references(() => accounts.accountId, { onDelete: "cascade" });

/** Authorization codes: single use, 60 s; only the hash is stored. */
export const signInCodes = sqliteTable("sign_in_codes", {
  codeHash: text("code_hash").primaryKey(),
  /** Email address instead of an account: users of an external provider have no account here. */
  email: text("email").notNull(),
  redirectUri: text("redirect_uri"),
  codeChallenge: text("code_challenge"),
  expiresAt: integer("expires_at").notNull(),
});

/** Tokens of the step between password and code, and of links sent by mail. Only their hashes are stored. */
export const tickets = sqliteTable("tickets", {
  secretHash: text("secret_hash").primaryKey(),
  accountId: accountId(),
  purpose: text("purpose", { enum: ["second_factor", "new_password", "reset", "email"] }).notNull(),
  expiresAt: integer("expires_at").notNull(),
});

/** Unused recovery codes; only the hash is stored. */
export const recoveryCodes = sqliteTable(
  "recovery_codes",
  { accountId: accountId(), codeHash: text("code_hash").notNull() },
  (table) => [primaryKey({ columns: [table.accountId, table.codeHash] })],
);

/** Clients that have signed in to an account before: `device:<hash of the browser's cookie>` or `address:<network address>`. */
export const knownClients = sqliteTable(
  "known_clients",
  { accountId: accountId(), client: text("client").notNull(), lastUsedAt: integer("last_used_at").notNull() },
  (table) => [
    primaryKey({ columns: [table.accountId, table.client] }),
    index("known_clients_last_used").on(table.lastUsedAt),
  ],
);

/** Passwords given at sign-up, moved to accounts once the address is confirmed; only the hash is stored. */
export const signUpPasswords = sqliteTable(
  "sign_up_passwords",
  {
    email: text("email").primaryKey(),
    passwordHash: text("password_hash").notNull(),
    keptUntil: integer("kept_until").notNull(),
  },
  (table) => [index("sign_up_passwords_kept_until").on(table.keptUntil)],
);

/** Attempts by subject: time at which its budget is fully restored (epoch ms). */
export const throttles = sqliteTable(
  "throttles",
  { subject: text("subject").primaryKey(), recoversAt: integer("recovers_at").notNull() },
  (table) => [index("throttles_recovers").on(table.recoversAt)],
);

/** Times of actions with an exact limit per window. */
export const occurrences = sqliteTable(
  "occurrences",
  { subject: text("subject").notNull(), at: integer("at").notNull() },
  (table) => [index("occurrences_subject").on(table.subject, table.at), index("occurrences_at").on(table.at)],
);
