import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { DeviceId } from "../../lib/core/ids.ts";
import { devices } from "./devices.tables.ts";

/**
 * Credentials that a device uses instead of its access token. A device without a row signs in with the token. Sign-ins look devices up in
 * `login_identities`.
 */
export const deviceCredentials = sqliteTable("device_credentials", {
  deviceId: text("device_id")
    .$type<DeviceId>()
    .primaryKey()
    .references(() => devices.deviceId, { onDelete: "cascade" }),
  type: text("type", { enum: ["MQTT_BASIC", "X509"] }).notNull(),
  clientId: text("client_id"),
  username: text("username"),
  /** `sha256:…` of a generated password, argon2id of a user-chosen password. */
  passwordHash: text("password_hash"),
  /** SHA-256 of the client certificate, 64 hexadecimal digits. */
  fingerprint: text("fingerprint"),
  /** End of the certificate's validity, if the certificate itself was set. */
  validTo: integer("valid_to"),
  updatedAt: integer("updated_at").notNull(),
});
