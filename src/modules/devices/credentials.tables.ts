import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { devices } from "./devices.tables.ts";

/** Credentials that a device uses instead of its access token. A device without a row here signs in with the token. */
export const deviceCredentials = sqliteTable(
  "device_credentials",
  {
    deviceId: text("device_id")
      .primaryKey()
      .references(() => devices.deviceId, { onDelete: "cascade" }),
    type: text("type", { enum: ["MQTT_BASIC", "X509"] }).notNull(),
    clientId: text("client_id"),
    username: text("username"),
    /** Client id and user name as one text, by which a sign-in finds its device. */
    identity: text("identity"),
    /** `sha256:…` of a generated password, argon2id of one that a person chose. */
    passwordHash: text("password_hash"),
    /** SHA-256 of the client certificate, 64 hexadecimal digits. */
    fingerprint: text("fingerprint"),
    /** End of the certificate's validity, if the certificate itself was set. */
    validTo: integer("valid_to"),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    uniqueIndex("device_credentials_identity").on(table.identity),
    uniqueIndex("device_credentials_fingerprint").on(table.fingerprint),
  ],
);
