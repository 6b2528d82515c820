import { conflict, notFound } from "../../lib/core/domain-error.ts";
import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import { defineResource } from "../api/resource.ts";
import { alarmRuleExample } from "./alarm-rule.schemas.ts";
import { createProfileBody, profileBody, updateProfileBody } from "./profiles.schemas.ts";
import { deviceProfiles } from "./profiles.tables.ts";

const PROFILES_MAX = 500;
export const profileNotFound = () => notFound("profile.not_found");

export const profileResource = defineResource({
  name: "profile",
  table: deviceProfiles,
  key: "profileId",
  path: "/api/device-profiles",
  tag: "device profiles",
  permissions: { read: "profiles:read", write: "profiles:write" },
  order: { by: "name" },
  isVersioned: true,
  list: { sort: ["name", "isDefault", "createdAt", "updatedAt"], search: ["name", "description"] },
  notFound: profileNotFound,
  unique: [{ column: "name", taken: () => conflict("profile.name_taken") }],
  limit: { max: PROFILES_MAX, reached: (max) => conflict("profile.too_many", { max }) },
  schemas: { item: profileBody, create: createProfileBody, update: updateProfileBody },
  operations: {
    list: {
      summary: "List device profiles",
      description: "The list leaves out the metadata of keys. Read a single profile to get it.",
    },
    create: {
      summary: "Create a device profile",
      errors: {
        ...ALL_DEVICES_ONLY,
        409: `The name is taken, or there are already ${PROFILES_MAX} profiles.`,
      },
      example: {
        name: "Presses",
        retentionDays: 365,
        alarmRules: [alarmRuleExample],
      },
    },
    get: { summary: "Read a device profile" },
    update: {
      summary: "Change a device profile",
      errors: { ...ALL_DEVICES_ONLY, 409: "The name is taken." },
      example: { inactivityTimeoutMs: 120_000 },
    },
    delete: {
      summary: "Delete a device profile",
      errors: { ...ALL_DEVICES_ONLY, 409: "The profile is the default profile, or devices use it." },
    },
  },
});

export type DeviceProfile = typeof profileResource.$item;
/** Profile without its rules. */
export type ProfileSettings = Omit<DeviceProfile, "alarmRules" | "deviceRequests" | "commands">;
