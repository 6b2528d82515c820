import { Elysia, t } from "elysia";
import { inEnglish } from "../../lib/domain-error.ts";
import { iso } from "../../lib/iso-time.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { wholeList } from "../lists.ts";
import { successBody } from "../wire.schemas.ts";
import {
  createUplinkBody,
  resendBody,
  testUplinkBody,
  updateUplinkBody,
  uplinkBody,
} from "./uplinks.schemas.ts";
import type { UplinksService } from "./uplinks.service.ts";
import type { VisibleUplink } from "./uplinks.types.ts";

const uplinkList = wholeList({ sort: ["name", "createdAt", "updatedAt"], search: ["name"] });

function toWire({ report, options, tenantId: _, ...uplink }: VisibleUplink) {
  const { error, errorAt, lastSentAt, upToDateAt, ...counts } = report;
  return {
    ...uplink,
    ...options,
    selection: copyLists(options.selection),
    steps: options.steps as Record<string, unknown>[], // checked when they were stored
    window: options.window === null ? null : { ...options.window, days: [...options.window.days] },
    createdAt: iso(uplink.createdAt),
    updatedAt: iso(uplink.updatedAt),
    ...counts,
    lastSentAt: iso(lastSentAt),
    upToDateAt: iso(upToDateAt),
    error: error === null ? null : inEnglish(error),
    errorText: error,
    errorAt: iso(errorAt),
  };
}

const copyLists = ({ deviceIds, deviceTypes, deviceTags, keys }: VisibleUplink["options"]["selection"]) => ({
  deviceIds: [...deviceIds],
  deviceTypes: [...deviceTypes],
  deviceTags: [...deviceTags],
  keys: [...keys],
});

const access = "403 without access to all devices.";

interface RoutesDeps {
  readonly uplinks: UplinksService;
  readonly auth: AuthPlugin;
}

/** Reads what the audit log compares. */
const readerOf =
  (uplinks: UplinksService) =>
  ({ principal }: AuditContext, id: string) => {
    const { name, enabled, target, options } = uplinks.get(principal, id);
    return { name, enabled, target, ...options };
  };

/** Uplinks: engines to which the gateway sends what it stores. */
export const uplinksRoutes = ({ uplinks, auth }: RoutesDeps) => {
  const read = readerOf(uplinks);
  return new Elysia({ prefix: "/api/uplinks", tags: ["uplinks"] })
    .use(auth)
    .get(
      "",
      ({ principal, query, request, set }) =>
        uplinkList.page({ query, request, set }, uplinks.list(principal).map(toWire)),
      {
        auth: "uplinks:read",
        query: t.Object(uplinkList.fields),
        response: { 200: t.Array(uplinkBody) },
        detail: { summary: "List uplinks, by name", description: access },
      },
    )
    .post(
      "",
      async ({ principal, body: { start, ...fields }, set }) => {
        set.status = 201;
        return toWire(await uplinks.create(principal, fields, start === "BEGINNING" ? "beginning" : "now"));
      },
      {
        auth: "uplinks:write",
        audit: { action: "uplink.create", target: "uplink", created: "uplinkId", read },
        body: createUplinkBody,
        response: { 201: uplinkBody },
        detail: {
          summary: "Create an uplink",
          description: `The uplink sends at once unless \`enabled\` is false. 400 names the invalid setting; 409 if there are 20 uplinks already. ${access}`,
        },
      },
    )
    .get("/:uplinkId", ({ principal, params }) => toWire(uplinks.get(principal, params.uplinkId)), {
      auth: "uplinks:read",
      response: { 200: uplinkBody },
      detail: { summary: "Get an uplink", description: access },
    })
    .patch(
      "/:uplinkId",
      async ({ principal, params, body }) => toWire(await uplinks.update(principal, params.uplinkId, body)),
      {
        auth: "uplinks:write",
        audit: { action: "uplink.update", target: "uplink", read },
        body: updateUplinkBody,
        response: { 200: uplinkBody },
        detail: {
          summary: "Change an uplink",
          description: `The uplink continues where it stopped. While \`enabled\` is false it sends nothing; afterwards it sends what was stored meanwhile. ${access}`,
        },
      },
    )
    .delete(
      "/:uplinkId",
      async ({ principal, params }) => {
        await uplinks.delete(principal, params.uplinkId);
        return { success: true };
      },
      {
        auth: "uplinks:write",
        audit: { action: "uplink.delete", target: "uplink", read },
        response: { 200: successBody },
        detail: {
          summary: "Delete an uplink",
          description: `Data that was sent stays at the target. ${access}`,
        },
      },
    );
};

/** What is done to an uplink beside changing it. */
export const uplinkActionsRoutes = ({ uplinks, auth }: RoutesDeps) => {
  const read = readerOf(uplinks);
  return new Elysia({ prefix: "/api/uplinks", tags: ["uplinks"] })
    .use(auth)
    .post(
      "/test",
      async ({ principal, body }) => {
        await uplinks.test(principal, body.target, body.uplinkId);
        return { success: true };
      },
      {
        auth: "uplinks:write",
        audit: { none: "changes nothing" },
        body: testUplinkBody,
        response: { 200: successBody },
        detail: {
          summary: "Test the settings of a target",
          description: `Connects to the target and checks the credentials. Nothing is stored. 400 for settings that do not work, 503 for a target that cannot be reached. ${access}`,
        },
      },
    )
    .post(
      "/:uplinkId/resend",
      async ({ principal, params, body }) => toWire(await uplinks.resend(principal, params.uplinkId, body)),
      {
        auth: "uplinks:write",
        audit: { action: "uplink.resend", target: "uplink", read },
        body: resendBody,
        response: { 200: uplinkBody },
        detail: {
          summary: "Send stored telemetry again",
          description: `Sends all values of a range of time again, after new values. ${access}`,
        },
      },
    )
    .post(
      "/:uplinkId/skip",
      async ({ principal, params }) => toWire(await uplinks.skip(principal, params.uplinkId)),
      {
        auth: "uplinks:write",
        audit: { action: "uplink.skip", target: "uplink", read },
        response: { 200: uplinkBody },
        detail: {
          summary: "Skip the batch that the target refuses",
          description: `The batch is not sent again. 409 if the target refuses nothing. ${access}`,
        },
      },
    );
};
