import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { devices } from "../devices/devices.tables.ts";
import { deviceProfiles } from "../profiles/profiles.tables.ts";

/** Provisioning settings of profiles, by which devices register themselves; a profile without a row lets none. */
export const profileProvisioning = sqliteTable(
  "profile_provisioning",
  {
    profileId: text("profile_id")
      .primaryKey()
      .references(() => deviceProfiles.profileId, { onDelete: "cascade" }),
    mode: text("mode", { enum: ["DISABLED", "ALLOW_NEW", "CHECK_PRE_PROVISIONED"] }).notNull(),
    key: text("key").notNull(),
    /** Sealed, and read again by those who may connect devices: it goes into firmware, batch after batch. */
    secretSealed: text("secret_sealed").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [uniqueIndex("profile_provisioning_key").on(table.key)],
);

/** Devices that have made themselves known: each may once. */
export const deviceClaims = sqliteTable("device_claims", {
  deviceId: text("device_id")
    .primaryKey()
    .references(() => devices.deviceId, { onDelete: "cascade" }),
  claimedAt: integer("claimed_at").notNull(),
  address: text("address").notNull(),
});

/** Devices that a person may claim with a secret key, or has claimed. */
export const claimableDevices = sqliteTable("claimable_devices", {
  deviceId: text("device_id")
    .primaryKey()
    .references(() => devices.deviceId, { onDelete: "cascade" }),
  /** The secret key by its keyed hash. */
  secretHash: text("secret_hash").notNull(),
  openedAt: integer("opened_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  /** `null` until somebody has claimed the device. */
  claimedAt: integer("claimed_at"),
  /** User or API key that claimed it, and the name of both at that time. */
  ownerId: text("owner_id"),
  ownerName: text("owner_name"),
});
