import { t } from "elysia";
import { isJsonObject } from "../../lib/json/json.ts";
import { RESPONSES_MIB_MAX, type ResponseSpace } from "../../platform/load/response-space.ts";
import { documentedAs, withCommas } from "../api/documented-as.ts";
import { wholeList } from "../api/lists.ts";
import { auditReader, ensureUnchanged, resourceRoutes, withIfMatch } from "../api/resource.routes.ts";
import { asResponse, readResponse } from "../api/responses.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { DASHBOARD_POINTS_MAX, DASHBOARD_VALUES_MAX } from "./dashboard-data.ts";
import { entryToWire, executedToWire, toWire, versionToWire } from "./dashboard-wire.ts";
import { DASHBOARDS_MAX } from "./dashboards.errors.ts";
import { dashboardExample, dashboardResource, type Executed } from "./dashboards.resource.ts";
import {
  choiceBody,
  choicesBody,
  dashboardBody,
  executeBody,
  executedBody,
  exportedBody,
  forTypeBody,
  importBody,
  previewBody,
  resolveAliasBody,
  resolvedDevice,
  versionBody,
  versionEntryBody,
} from "./dashboards.schemas.ts";
import type { DashboardsService } from "./dashboards.service.ts";
import { type ResponseRoom, VERSIONS_BYTES_MAX, VERSIONS_MAX } from "./dashboards.types.ts";

export const LIMITS = {
  413: `The widgets together show more than ${withCommas(DASHBOARD_VALUES_MAX)} newest values or ${withCommas(DASHBOARD_POINTS_MAX)} points, or the response would be larger than ${RESPONSES_MIB_MAX.user} MiB.`,
  503: "Unread responses leave no memory for the response.",
};

const versionList = wholeList({ sort: ["version", "savedAt"], search: ["name", "savedBy"] });

const executedResponse =
  (responses: ResponseSpace) =>
  async (request: Request, execute: (room: ResponseRoom) => Promise<Executed>) => {
    const held = responses.open(request);
    const response = await readResponse(held, request, async () => executedToWire(await execute(held)));
    return asResponse<ReturnType<typeof executedToWire>>(response);
  };

interface DashboardsRoutesDeps {
  readonly dashboards: DashboardsService;
  readonly responses: ResponseSpace;
  readonly auth: AuthPlugin;
}

export const dashboardsRoutes = (deps: DashboardsRoutesDeps) => {
  const { dashboards, responses } = deps;
  const responseOf = executedResponse(responses);
  const read = auditReader(dashboards, ["name", "type", "states", "layout", "widgets", "aliases", "tags"]);
  const longList = { responses, read: dashboards.read };
  return resourceRoutes(dashboardResource, { service: dashboards, longList, toWire, read, auth: deps.auth })
    .post("/import", async ({ principal, body }) => toWire(await dashboards.import(principal, body)), {
      auth: "dashboards:write",
      audit: { action: "dashboard.import", target: "dashboard", created: "id", read },
      body: importBody,
      response: { 200: dashboardBody },
      detail: {
        operationId: "importDashboard",
        summary: "Import a dashboard",
        description:
          "Creates a dashboard. `idMap` replaces ids of devices. Other unknown ids are replaced by the id of the device with the same name, if there is exactly one.",
        errors: { 409: `There are already ${DASHBOARDS_MAX} dashboards.` },
        example: {
          dashboard: dashboardExample,
        },
      },
    })
    .post(
      "/for-type",
      async ({ principal, body, set }) => {
        set.status = 201;
        return toWire(await dashboards.createForType(principal, body));
      },
      {
        auth: "dashboards:write",
        audit: { action: "dashboard.create", target: "dashboard", created: "id", read },
        body: forTypeBody,
        response: { 201: dashboardBody },
        detail: {
          operationId: "createDashboardForType",
          summary: "Create a dashboard for a device type",
          description:
            "The dashboard consists of widgets for the keys that the devices have sent: gauges for values with limits, newest values, consumption of counters, charts, states, alarms and a table. The key metadata selects the widgets, or the names and values if there is none.",
          errors: {
            404: "The caller sees no device of the type.",
            409: `There are already ${DASHBOARDS_MAX} dashboards.`,
          },
          example: { deviceType: "press" },
        },
      },
    )
    .post(
      "/preview",
      async ({ principal, body: { dashboard, ...input }, request }) =>
        responseOf(request, (room) => dashboards.preview(principal, dashboard, { ...input, room })),
      {
        auth: "dashboards:read",
        audit: { none: "changes nothing" },
        body: previewBody,
        response: { 200: executedBody },
        detail: {
          operationId: "previewDashboard",
          summary: "Preview a dashboard",
          description: "Works like execute, for a dashboard that is not stored.",
          errors: { ...LIMITS, 400: "A field is invalid; the message names it." },
          example: {
            dashboard: dashboardExample,
            timeRange: { mode: "relative", durationMs: 3_600_000 },
          },
        },
      },
    )
    .post(
      "/resolve-alias",
      async ({ principal, body }) => {
        const { alias, dashboardState } = isJsonObject(body) ? body : {};
        return { devices: await dashboards.resolveAlias(principal, alias, dashboardState) };
      },
      {
        auth: "dashboards:read",
        audit: { none: "changes nothing" },
        body: t.Optional(resolveAliasBody),
        response: { 200: t.Object({ devices: t.Array(resolvedDevice) }) },
        detail: {
          operationId: "resolveAlias",
          summary: "List the devices of an alias",
          description: "Lists devices that the caller may see.",
          errors: { 400: "The alias is missing, or its type is unknown." },
          example: {
            alias: dashboardExample.aliases[0],
          },
        },
      },
    )
    .get("/mine", ({ principal }) => dashboards.choices(principal), {
      auth: "dashboards:choose",
      response: { 200: choicesBody },
      detail: {
        operationId: "getDashboardChoices",
        summary: "Get your favorite dashboards and your start page",
      },
    })
    .patch(
      "/:dashboardId/mine",
      ({ principal, params, body }) => {
        dashboards.choose(principal, params.dashboardId, body);
        return dashboards.choices(principal);
      },
      {
        auth: "dashboards:choose",
        audit: { none: "what a person sees first" },
        body: choiceBody,
        response: { 200: choicesBody },
        detail: {
          operationId: "chooseDashboard",
          summary: "Make a dashboard a favorite or your start page",
          description: "Changes only the given fields. A new start page replaces the previous one.",
          example: { isFavorite: true },
        },
      },
    )
    .get(
      "/:dashboardId/versions",
      ({ principal, params, query, request, set }) =>
        versionList.page(
          { query, request, set },
          dashboards.listVersions(principal, params.dashboardId).map(entryToWire),
        ),
      {
        auth: "dashboards:read",
        query: t.Object(versionList.fields),
        response: { 200: t.Array(versionEntryBody) },
        detail: {
          operationId: "listDashboardVersions",
          summary: "List the versions of a dashboard",
          description: `The current version comes first. Each change of the content keeps the previous version: up to ${VERSIONS_MAX} and ${VERSIONS_BYTES_MAX.dashboard / 1024 ** 2} MiB per dashboard, and ${VERSIONS_BYTES_MAX.tenant / 1024 ** 2} MiB for all dashboards. The oldest are removed first.`,
        },
      },
    )
    .get(
      "/:dashboardId/versions/:version",
      ({ principal, params }) =>
        versionToWire(dashboards.getVersion(principal, params.dashboardId, Number(params.version))),
      {
        auth: "dashboards:read",
        response: { 200: versionBody },
        detail: { operationId: "getDashboardVersion", summary: "Get a version of a dashboard" },
      },
    )
    .post(
      "/:dashboardId/versions/:version/restore",
      ({ principal, params, request }) => {
        ensureUnchanged(request, toWire(dashboards.get(principal, params.dashboardId)).updatedAt);
        return toWire(dashboards.restore(principal, params.dashboardId, Number(params.version)));
      },
      {
        auth: "dashboards:write",
        audit: { action: "dashboard.restore", target: "dashboard", read },
        response: { 200: dashboardBody },
        detail: withIfMatch({
          operationId: "restoreDashboardVersion",
          summary: "Restore a version of a dashboard",
          description: "Its content becomes the current one, as a new version.",
          errors: { 400: "A field of the version would no longer be accepted; the message names it." },
        }),
      },
    )
    .get(
      "/:dashboardId/export",
      async ({ principal, params, set }) => {
        const file = await dashboards.export(principal, params.dashboardId);
        const name = file.name.replace(/[^\p{L}\p{N}._ -]/gu, "_").slice(0, 80);
        set.headers["content-disposition"] =
          `attachment; filename="dashboard.json"; filename*=UTF-8''${encodeURIComponent(`${name}.json`)}`;
        return file;
      },
      {
        auth: "dashboards:read",
        response: {
          200: documentedAs(exportedBody, {
            description: "the dashboard, and the names of the devices that it names by id",
          }),
        },
        detail: { operationId: "exportDashboard", summary: "Export a dashboard" },
      },
    )
    .post(
      "/:dashboardId/execute",
      async ({ principal, params, body, request }) =>
        responseOf(request, (room) => dashboards.execute(principal, params.dashboardId, { ...body, room })),
      {
        auth: "dashboards:read",
        audit: { none: "changes nothing" },
        body: executeBody,
        response: { 200: executedBody },
        detail: {
          operationId: "executeDashboard",
          summary: "Get a dashboard with its data",
          description:
            "Returns the time window as two times, the devices of each alias, and each widget's data, for the devices that the caller may see.",
          errors: LIMITS,
          example: {
            timeRange: { mode: "relative", durationMs: 3_600_000 },
            context: { deviceId: "01996d2e-5a3c-7b10-9c0e-3f1d2a4b5c6d" },
          },
        },
      },
    );
};
