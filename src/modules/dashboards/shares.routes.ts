import { Elysia, t } from "elysia";
import { omit } from "../../lib/core/omit.ts";
import { iso, parseIsoTime } from "../../lib/time/iso-time.ts";
import { Lanes } from "../../platform/load/lanes.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { wholeList } from "../api/lists.ts";
import { asResponse, readResponse } from "../api/responses.ts";
import { successBody } from "../api/wire.schemas.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { executedToWire } from "./dashboard-wire.ts";
import { shareEndInvalid } from "./dashboards.errors.ts";
import { LIMITS } from "./dashboards.routes.ts";
import { newShareBody, shareBody, sharedBody, sharedRequest } from "./dashboards.schemas.ts";
import { SHARE_REQUESTS_MAX, type SharedContent, type SharesService } from "./shares.service.ts";
import type { DashboardShare, ShareRotation } from "./shares.types.ts";

const shareList = wholeList({ sort: ["name", "createdAt", "expiresAt"], search: ["name"] });

const BEARER = /^Bearer ([^\s]+)$/i;
const WHO =
  "For users with write access who see all devices, but not for API keys. Everybody with the link sees its dashboards without signing in.";

const rotationToWire = ({ dashboardIds, seconds }: ShareRotation) => ({
  dashboardIds: [...dashboardIds],
  seconds,
});

const toWire = ({ token, createdAt, expiresAt, rotation, ...share }: DashboardShare) => ({
  ...omit(share, "tenantId"),
  ...(rotation !== null && { rotation: rotationToWire(rotation) }),
  token,
  path: `/shared#${token}`,
  createdAt: iso(createdAt),
  expiresAt: iso(expiresAt),
});

/** Creates the routes for read-only links to dashboards. */
export const sharesRoutes = ({ shares, auth }: { shares: SharesService; auth: AuthPlugin }) => {
  const read = ({ principal, params }: AuditContext, id: string) => {
    const share = shares.list(principal, params.dashboardId ?? "").find(({ shareId }) => shareId === id);
    if (share === undefined) return undefined;
    const rest = omit(share, "token");
    return rest;
  };
  return new Elysia({ tags: ["dashboards"] })
    .use(auth)
    .get(
      "/api/dashboards/:dashboardId/shares",
      ({ principal, params, query, request, set }) =>
        shareList.page({ query, request, set }, shares.list(principal, params.dashboardId).map(toWire)),
      {
        auth: "dashboards:share",
        query: t.Object(shareList.fields),
        response: { 200: t.Array(shareBody) },
        detail: {
          operationId: "listDashboardShares",
          summary: "List the links to a dashboard",
          description: `The oldest comes first. Links that show the dashboard in turn with others are among them. ${WHO}`,
        },
      },
    )
    .post(
      "/api/dashboards/:dashboardId/shares",
      ({ principal, params, body, set }) => {
        const end = body?.expiresAt ?? null;
        const expiresAt = end === null ? null : parseIsoTime(end);
        if (expiresAt === undefined) throw shareEndInvalid();
        const share = shares.create(principal, params.dashboardId, { ...body, expiresAt });
        set.status = 201;
        return toWire(share);
      },
      {
        auth: "dashboards:share",
        audit: { action: "dashboard.share", target: "dashboardShare", created: "shareId", read },
        body: newShareBody,
        response: { 201: shareBody },
        detail: {
          operationId: "createDashboardShare",
          summary: "Share a dashboard",
          description: `Creates a read-only link. ${WHO}`,
          errors: {
            400: "`expiresAt` is not a valid time or is in the past, or the rotation is invalid.",
            404: "The dashboard, or one of the rotation, does not exist.",
            409: "One of the dashboards has 50 links.",
          },
          example: { name: "Screen in hall 2", expiresAt: "2027-12-31T00:00:00Z" },
        },
      },
    )
    .delete(
      "/api/dashboards/:dashboardId/shares/:shareId",
      ({ principal, params }) => {
        shares.delete(principal, params.dashboardId, params.shareId);
        return { success: true };
      },
      {
        auth: "dashboards:share",
        audit: {
          action: "dashboard.unshare",
          target: "dashboardShare",
          id: ({ params }: AuditContext) => params.shareId ?? "",
          read,
        },
        response: { 200: successBody },
        detail: {
          operationId: "deleteDashboardShare",
          summary: "Delete a link",
          description: `Connections with this link are closed. A link that belongs to another dashboard, and shows this one in turn with it, only loses this dashboard. ${WHO}`,
        },
      },
    );
};

function sharedToWire({ executed, keyMetadata, rotation }: SharedContent) {
  const {
    tenantId: _t,
    aliases: _a,
    configuration: _c,
    settings: _s,
    updatedBy: _u,
    tags: _g,
    ...shown
  } = executedToWire(executed);
  const { timeWindow: ownWindow } = executed.dashboard;
  return {
    ...shown,
    keyMetadata,
    ...(ownWindow !== null && { ownWindow }),
    ...(rotation !== null && { rotation: rotationToWire(rotation) }),
  };
}

/** Max. simultaneous requests for all links of a tenant, until their responses are written: anybody with a link may send many. */
const REQUESTS_PARALLEL_MAX = 2;

/** Creates the routes that return a link's content. */
export const sharedDashboardRoutes = ({
  shares,
  responses,
}: {
  shares: SharesService;
  responses: ResponseSpace;
}) => {
  const lanes = new Lanes(REQUESTS_PARALLEL_MAX);
  return new Elysia({ tags: ["dashboards"] }).post(
    "/api/shared/dashboard",
    async ({ request, body }) => {
      const token = BEARER.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
      const { tenantId, atEnd, read } = shares.execute(token, body ?? {});
      // All visitors together are one reader: what they leave unread must not take the space of the tenant's users.
      const held = responses.openFor({ tenantId, userId: `links of ${tenantId}` });
      held.atEnd(atEnd);
      const response = await lanes.run(tenantId, () =>
        readResponse(held, request, async () => sharedToWire(await read(held))),
      );
      return asResponse<ReturnType<typeof sharedToWire>>(response);
    },
    {
      body: sharedRequest,
      response: { 200: sharedBody },
      detail: {
        operationId: "getSharedDashboard",
        summary: "Get a shared dashboard with its data",
        description:
          "The bearer credential is the token of a link. Works like execute, without the data for editing.",
        errors: {
          ...LIMITS,
          401: "The link was deleted or has expired.",
          404: "The link does not show this dashboard.",
          429: `The link has ${SHARE_REQUESTS_MAX} unfinished requests.`,
        },
        example: { timeRange: { mode: "relative", durationMs: 3_600_000 } },
      },
    },
  );
};
