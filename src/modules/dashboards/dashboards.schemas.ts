import type { TSchema } from "@sinclair/typebox";
import { t } from "elysia";
import { ALARM_SEVERITIES } from "../../lib/alarms/severity.ts";
import { ROTATION_DASHBOARDS_MAX, ROTATION_SECONDS } from "../../lib/console/dashboard-rotation.ts";
import { ALARM_STATUSES } from "../alarms/alarms.types.ts";
import { documentedAs, enumOf, mapOf } from "../api/documented-as.ts";
import {
  isoTime,
  jsonValue,
  lineText,
  literals,
  nameText,
  severityBody,
  tagList,
  textSchema,
  wholeNumber,
} from "../api/wire.schemas.ts";
import { deviceState } from "../devices/devices.schemas.ts";
import { resolvedBody } from "../telemetry/key-lookup.schemas.ts";
import { deviceSeries, latestSnapshot } from "../telemetry/telemetry.schemas.ts";
import {
  aliasListSchema,
  aliasSelectorSchema,
  anyTimeWindowSchema,
  layoutSchema,
  stateListSchema,
  widgetListSchema,
} from "./dashboard-parts.schemas.ts";
import { DASHBOARD_TEMPLATES } from "./dashboards.types.ts";

const ITEMS_AS_TEXT =
  "Each is an object, or a string. Strings come back exactly as they were given; a string that holds such an object as JSON works like the object.";
const items = (schema: TSchema, description = "") =>
  documentedAs(schema, { description: `${description}${ITEMS_AS_TEXT}` });

const timeWindow = documentedAs(anyTimeWindowSchema, {
  description: "an object of another form, or none, stands for the last hour",
});
const timeRange = documentedAs(anyTimeWindowSchema, {
  description: "the `timeWindow` of the dashboard by default",
});
/** Object with any fields; only `deviceId` is used. */
const context = t.Record(t.String(), t.Any(), {
  "x-schema": t.Object(
    {
      deviceId: t.Optional(t.String({ description: "the device of aliases of the type `stateEntity`" })),
    },
    { title: "DashboardContext" },
  ),
});

const settable = {
  type: t.Union([t.Literal("STATIC"), t.Literal("CONTEXT_DEVICE")]),
  states: items(stateListSchema),
  layout: items(layoutSchema),
  widgets: items(widgetListSchema),
  aliases: items(aliasListSchema),
  timeWindow,
  configuration: jsonValue("an object or null: legacy configuration payload"),
  settings: jsonValue("an object or null: additional settings, for example `dashboardState`"),
  tags: tagList({ description: "words for filtering the list of dashboards" }),
};

const name = nameText(256);
export const createDashboardBody = t.Object(
  { name, ...t.Partial(t.Object(settable)).properties },
  { title: "CreateDashboard" },
);
export const updateDashboardBody = t.Partial(t.Object({ name, ...settable }), { title: "UpdateDashboard" });

export const dashboardBody = t.Object(
  {
    id: t.String(),
    name: t.String(),
    tenantId: t.String(),
    ...t.Partial(t.Object(settable)).properties,
    type: settable.type,
    updatedBy: t.String({
      description:
        "who saved this version: an email address, or `api-key:` followed by a name; empty if unknown",
    }),
    createdAt: isoTime,
    updatedAt: isoTime,
  },
  { title: "Dashboard" },
);

export const choicesBody = t.Object(
  {
    favorites: t.Array(t.String(), { description: "ids of dashboards, sorted by name" }),
    start: t.Union([t.String(), t.Null()], {
      description: "id of the dashboard that the console opens with; null for the overview",
    }),
  },
  { title: "DashboardChoices" },
);
export const choiceBody = t.Partial(t.Object({ isFavorite: t.Boolean(), isStart: t.Boolean() }), {
  title: "ChooseDashboard",
});

const versionEntry = {
  version: wholeNumber(),
  name: t.String(),
  savedBy: t.String({ description: "like `updatedBy` of a dashboard" }),
  savedAt: isoTime,
};
export const versionEntryBody = t.Object(
  { ...versionEntry, widgets: wholeNumber({ description: "number of widgets" }) },
  { title: "DashboardVersionEntry" },
);
export const versionBody = t.Object(
  {
    ...versionEntry,
    ...t.Partial(t.Object(settable)).properties,
    type: settable.type,
  },
  { title: "DashboardVersion" },
);

export const resolvedDevice = t.Object(
  {
    deviceId: t.String(),
    name: t.String(),
    deviceType: t.String(),
    active: t.Boolean(),
    state: deviceState,
    alarmSeverity: t.Optional(severityBody),
    openAlarms: t.Optional(t.Integer({ description: "number of open alarms of the device itself" })),
    assetId: t.Union([t.String(), t.Null()]),
  },
  { title: "ResolvedDevice" },
);

const widgetIds = t.Optional(t.Array(t.String(), { maxItems: 500, description: "only these widgets" }));
export const executeBody = t.Optional(
  t.Object(
    {
      timeRange: t.Optional(timeRange),
      dashboardStateId: t.Optional(t.String({ description: "only the widgets of this state" })),
      widgetIds,
      context: t.Optional(context),
    },
    { title: "ExecuteRequest" },
  ),
);
export const previewBody = t.Object(
  {
    dashboard: t.Partial(t.Object({ name, ...settable })),
    timeRange: t.Optional(timeRange),
    dashboardStateId: t.Optional(t.String()),
    widgetIds,
    context: t.Optional(context),
  },
  { title: "DashboardPreviewRequest" },
);
export const alarmRow = t.Object(
  {
    alarmId: t.String(),
    deviceId: t.String(),
    deviceName: t.String(),
    name: t.String(),
    severity: enumOf(ALARM_SEVERITIES),
    status: enumOf(ALARM_STATUSES),
    message: t.String(),
    createdAt: wholeNumber({ description: "epoch ms" }),
    raisedAt: wholeNumber({ description: "epoch ms of the last time that it was raised" }),
  },
  { title: "AlarmRow" },
);
export const widgetData = t.Object(
  {
    deviceIds: t.Array(t.String()),
    timeWindow: t.Optional(
      t.Object(
        { from: wholeNumber(), to: wholeNumber() },
        { description: "Time range of a widget that has its own `timeWindow`, in epoch ms." },
      ),
    ),
    series: t.Optional(t.Array(deviceSeries)),
    previous: t.Optional(
      t.Array(deviceSeries, {
        description:
          "with `compare`: the series of the comparison period, with timestamps shifted into the current one; of the previous period, intervals to the interval at the same position",
      }),
    ),
    previousSoFar: t.Optional(
      t.Array(deviceSeries, {
        description:
          "of an `energy` widget with `compare`, while the time window lasts: the consumption of the comparison period up to the same time after its start, with timestamps of that period",
      }),
    ),
    low: t.Optional(
      t.Array(deviceSeries, {
        description: "of a `timeseries` with `style` `band`: the lowest values of the intervals of `series`",
      }),
    ),
    high: t.Optional(
      t.Array(deviceSeries, { description: "the highest values of the intervals, as `low` has the lowest" }),
    ),
    latest: t.Optional(t.Array(latestSnapshot)),
    alarms: t.Optional(t.Array(alarmRow)),
    positions: t.Optional(
      t.Array(t.Object({ deviceId: t.String(), latitude: t.Number(), longitude: t.Number() }), {
        description: "of a `map`: the positions that attributes of the devices hold",
      }),
    ),
    cut: t.Optional(t.Literal(true, { description: "there are more devices than a widget shows" })),
    error: t.Optional(t.String({ description: "reason why there is nothing to show" })),
    errorText: t.Optional(textSchema),
  },
  { title: "WidgetData" },
);

export const executedBody = t.Object(
  {
    ...dashboardBody.properties,
    timeWindow: t.Object({ from: wholeNumber(), to: wholeNumber() }, { description: "epoch ms" }),
    devices: documentedAs(mapOf(t.Array(resolvedDevice)), {
      description: "the devices of each alias, by its id",
    }),
    data: documentedAs(mapOf(widgetData), { description: "data of each widget, by its id" }),
  },
  { title: "ExecutedDashboard" },
);

export const resolveAliasBody = t.Object(
  {
    alias: t.Optional(documentedAs(aliasSelectorSchema, { description: "an alias; required" })),
    dashboardState: t.Optional(context),
  },
  { title: "ResolveAliasRequest" },
);
const importedContent = {
  format: t.Optional(t.Literal("lineside.dashboard")),
  version: t.Optional(t.Literal(1)),
  name,
  ...t.Partial(t.Object(settable)).properties,
  devices: t.Optional(t.Array(t.Object({ deviceId: t.String(), name: t.String() }))),
};
const idMap = t.Optional(
  documentedAs(mapOf(t.String()), { description: "ids of devices there to ids of devices here" }),
);
export const exportedBody = t.Object(importedContent, { title: "ExportedDashboard" });
export const importBody = documentedAs(
  t.Union([
    t.Object({ ...importedContent, idMap }, { title: "ImportDashboardFile" }),
    t.Object({ dashboard: exportedBody, idMap }, { title: "ImportDashboard" }),
  ]),
  { description: "an exported dashboard, as it is or as `dashboard`" },
);
export const forTypeBody = t.Object(
  {
    deviceType: nameText(128),
    name: t.Optional(name),
    template: t.Optional(
      literals(DASHBOARD_TEMPLATES, {
        description: "what comes first: AUTO (default), CLIMATE, ENERGY, MOTOR or LORAWAN",
      }),
    ),
    timezone: t.Optional(
      t.String({ maxLength: 64, description: "time zone of the consumption of counters; UTC by default" }),
    ),
  },
  { title: "DashboardForType" },
);

const shareEnd = t.Union([t.String(), t.Null()], { description: "ISO 8601; null: until it is deleted" });
const shareDevice = t.Union([t.String(), t.Null()], {
  description: "the device of aliases of the type `stateEntity`",
});
const rotation = t.Optional(
  t.Object(
    {
      dashboardIds: t.Array(t.String(), {
        maxItems: ROTATION_DASHBOARDS_MAX,
        description: "in the order in which they are shown; the dashboard of the link always comes first",
      }),
      seconds: wholeNumber({ minimum: ROTATION_SECONDS.min, maximum: ROTATION_SECONDS.max }),
    },
    { title: "DashboardRotation", description: "the dashboards that the link shows in turn" },
  ),
);
export const newShareBody = t.Optional(
  t.Object(
    {
      name: t.Optional(lineText(256, "for whom or where the link is, at most 256 characters in one line")),
      deviceId: t.Optional(shareDevice),
      expiresAt: t.Optional(shareEnd),
      rotation,
    },
    { title: "CreateDashboardShare" },
  ),
);
export const shareBody = t.Object(
  {
    shareId: t.String(),
    dashboardId: t.String(),
    token: t.String(),
    path: t.String({ description: "path of the page, to be appended to the gateway's address" }),
    name: t.String(),
    deviceId: shareDevice,
    createdBy: t.String({ description: "email address" }),
    createdAt: isoTime,
    expiresAt: shareEnd,
    rotation,
  },
  { title: "DashboardShare" },
);
export const sharedRequest = t.Optional(
  t.Object(
    {
      timeRange: t.Optional(timeRange),
      dashboardId: t.Optional(
        t.String({ description: "a dashboard of the rotation of the link; the first one by default" }),
      ),
      dashboardStateId: t.Optional(t.String()),
      widgetIds,
    },
    { title: "SharedDashboardRequest" },
  ),
);
const {
  tenantId: _t,
  aliases: _a,
  configuration: _c,
  settings: _s,
  updatedBy: _u,
  tags: _g,
  ...shared
} = executedBody.properties;
export const sharedBody = t.Object(
  {
    ...shared,
    keyMetadata: resolvedBody,
    rotation,
    ownWindow: t.Optional(
      documentedAs(anyTimeWindowSchema, {
        description: "the `timeWindow` of the dashboard, as it was set",
      }),
    ),
  },
  { title: "SharedDashboard" },
);
