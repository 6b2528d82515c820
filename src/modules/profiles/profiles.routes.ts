import { Elysia, t } from "elysia";
import { withoutNulls } from "../../lib/defined.ts";
import { iso } from "../../lib/iso-time.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { wholeList } from "../lists.ts";
import { successBody } from "../wire.schemas.ts";
import { createProfileBody, profileBody, updateProfileBody } from "./profiles.schemas.ts";
import type { ProfilesService } from "./profiles.service.ts";
import type { DeviceProfile, ProfileWithKeys } from "./profiles.types.ts";

const profileList = wholeList({
  sort: ["name", "isDefault", "createdAt", "updatedAt"],
  search: ["name", "description"],
});

const toWire = ({
  tenantId: _,
  keyMetadata,
  inactivityTimeoutMs,
  retentionDays,
  telemetryTopic,
  messagesPerSecond,
  messagesBurst,
  ...profile
}: DeviceProfile & Partial<ProfileWithKeys>) => ({
  ...profile,
  ...(keyMetadata !== undefined && { keyMetadata: [...keyMetadata] }),
  alarmRules: [...profile.alarmRules],
  deviceRequests: [...profile.deviceRequests],
  ...withoutNulls({
    inactivityTimeoutMs,
    retentionDays,
    telemetryTopic,
    messagesPerSecond,
    messagesBurst,
  }),
  createdAt: iso(profile.createdAt),
  updatedAt: iso(profile.updatedAt),
});

const listDetail = {
  summary: "List device profiles",
  description: "The list leaves out the metadata of keys. Read a single profile to get it.",
};

const readFrom =
  (profiles: ProfilesService) =>
  ({ principal }: AuditContext, id: string) =>
    profiles.get(principal, id);

export const profilesRoutes = (deps: { profiles: ProfilesService; auth: AuthPlugin }) =>
  new Elysia({ prefix: "/api/device-profiles", tags: ["device profiles"] })
    .use(deps.auth)
    .get(
      "",
      ({ principal, query, request, set }) =>
        profileList.page({ query, request, set }, deps.profiles.list(principal).map(toWire)),
      {
        auth: "profiles:read",
        query: t.Object(profileList.fields),
        response: { 200: t.Array(profileBody) },
        detail: listDetail,
      },
    )
    .post(
      "",
      ({ principal, body, set }) => {
        set.status = 201;
        return toWire(deps.profiles.create(principal, body));
      },
      {
        auth: "profiles:write",
        audit: {
          action: "profile.create",
          target: "profile",
          created: "profileId",
          read: readFrom(deps.profiles),
        },
        body: createProfileBody,
        response: { 201: profileBody },
        detail: {
          summary: "Create a device profile",
          description: "409 when the name is taken; 403 without access to all devices.",
        },
      },
    )
    .get("/:profileId", ({ principal, params }) => toWire(deps.profiles.get(principal, params.profileId)), {
      auth: "profiles:read",
      response: { 200: profileBody },
      detail: { summary: "Read a device profile" },
    })
    .patch(
      "/:profileId",
      ({ principal, params, body }) => toWire(deps.profiles.update(principal, params.profileId, body)),
      {
        auth: "profiles:write",
        audit: { action: "profile.update", target: "profile", read: readFrom(deps.profiles) },
        body: updateProfileBody,
        response: { 200: profileBody },
        detail: {
          summary: "Change a device profile",
          description: "403 without access to all devices; 409 when the name is taken.",
        },
      },
    )
    .delete(
      "/:profileId",
      ({ principal, params }) => {
        deps.profiles.delete(principal, params.profileId);
        return { success: true };
      },
      {
        auth: "profiles:write",
        audit: { action: "profile.delete", target: "profile", read: readFrom(deps.profiles) },
        response: { 200: successBody },
        detail: {
          summary: "Delete a device profile",
          description:
            "409 for the default one and for one that devices use; 403 without access to all devices.",
        },
      },
    );
