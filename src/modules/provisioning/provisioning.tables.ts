import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { DeviceId, ProfileId } from "../../lib/core/ids.ts";
import { devices } from "../devices/devices.tables.ts";
import { deviceProfiles } from "../profiles/profiles.tables.ts";

/** Provisioning settings of profiles, by which devices register themselves; profiles without a row do not allow it. */
export const profileProvisioning = sqliteTable(
  "profile_provisioning",
  {
    profileId: text("profile_id")
      .$type<ProfileId>()
      .primaryKey()
      .references(() => deviceProfiles.profileId, { onDelete: "cascade" }),
    mode: text("mode", { enum: ["DISABLED", "ALLOW_NEW", "CHECK_PRE_PROVISIONED"] }).notNull(),
    key: text("key").notNull(),
    /** Sealed secret, readable for users who may connect devices, because it goes into the firmware of each batch. */
    secretSealed: text("secret_sealed").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [uniqueIndex("profile_provisioning_key").on(table.key)],
);

/** Devices that have registered themselves; each may do so once. */
export const deviceClaims = sqliteTable("device_claims", {
  deviceId: text("device_id")
    .$type<DeviceId>()
    .primaryKey()
    .references(() => devices.deviceId, { onDelete: "cascade" }),
  claimedAt: integer("claimed_at").notNull(),
  address: text("address").notNull(),
});

/** Devices that users may claim with a secret key, or have claimed. */
export const claimableDevices = sqliteTable("claimable_devices", {
  deviceId: text("device_id")
    .$type<DeviceId>()
    .primaryKey()
    .references(() => devices.deviceId, { onDelete: "cascade" }),
  /** Keyed hash of the secret key. */
  secretHash: text("secret_hash").notNull(),
  openedAt: integer("opened_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  /** `null` until the device is claimed. */
  claimedAt: integer("claimed_at"),
  /** User or API key that claimed the device, and its name at that time. */
  ownerId: text("owner_id"),
  ownerName: text("owner_name"),
});
