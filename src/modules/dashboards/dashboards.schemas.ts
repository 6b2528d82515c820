import { t } from "elysia";

const time = t.String({ description: "ISO 8601" });
const items = (description: string) =>
  t.Any({
    description: `a list of ${description}, each an object, or a text. Texts come back exactly as they were given; one that is the JSON of such an object works as the object does`,
  });
const fields = (description: string) => t.Any({ description });

const settable = {
  type: t.Union([t.Literal("STATIC"), t.Literal("CONTEXT_DEVICE")]),
  states: items("`{id, name}`"),
  layout: items("`{i, x, y, w, h}`, `i` being a widget's id, in a grid of 12 columns"),
  widgets: items(
    "`{widgetId, type, name, config, dashboardStateId?}`. Types: `timeseries`, `value`, `gauge`, `level`, `stateTimeline`, `statusGrid`, `deviceTable`, `alarmList`, `commandButton`, `slider`, `markdown`, `floorPlan`. `config` has `aliasId`, `key` or `keys`, and for series `aggregation`, `maxDataPoints`, `interval`, `timezone`",
  ),
  aliases: items(
    "`{id, name, type, …}`. Types: `singleDevice {deviceId}`, `deviceList {deviceIds}`, `deviceType {deviceType}`, `deviceGroup {tag}`, `gatewayChildren {gatewayId}`, `asset {assetId}`, `stateEntity` (the device that the dashboard is looked at with)",
  ),
  timeWindow: fields(
    "`{from, to}`; `{mode: live | relative, durationMs}`; `{mode: calendar, unit: day | week | month | year, offset?, timezone?}`",
  ),
  configuration: fields("legacy configuration payload"),
  settings: fields("additional settings, for example `dashboardState`"),
};

const name = t.String({ minLength: 1, maxLength: 256, pattern: "\\S" });
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
    createdAt: time,
    updatedAt: time,
  },
  { title: "Dashboard" },
);

export const resolvedDevice = t.Object(
  {
    deviceId: t.String(),
    name: t.String(),
    deviceType: t.String(),
    active: t.Boolean(),
    assetId: t.Union([t.String(), t.Null()]),
  },
  { title: "ResolvedDevice" },
);

const contextFields = (description: string) => t.Record(t.String(), t.Any(), { description });
const widgetIds = t.Optional(
  t.Array(t.String(), { maxItems: 500, description: "only these: what has to be asked for anew" }),
);
export const executeBody = t.Optional(
  t.Object(
    {
      timeRange: t.Optional(fields("as `timeWindow`; that of the dashboard unless given")),
      dashboardStateId: t.Optional(t.String({ description: "only the widgets of this state" })),
      widgetIds,
      context: t.Optional(contextFields("`{deviceId}`: the device of aliases of the type `stateEntity`")),
    },
    { title: "ExecuteRequest" },
  ),
);
export const previewBody = t.Object(
  {
    dashboard: t.Partial(t.Object({ name, ...settable })),
    timeRange: t.Optional(fields("as `timeWindow`")),
    dashboardStateId: t.Optional(t.String()),
    widgetIds,
    context: t.Optional(contextFields("`{deviceId}`")),
  },
  { title: "DashboardPreviewRequest" },
);
export const executedBody = t.Object(
  {
    ...dashboardBody.properties,
    timeWindow: t.Object({ from: t.Number(), to: t.Number() }, { description: "epoch ms" }),
    devices: t.Any({ description: "the devices of each alias, by its id" }),
    data: t.Any({
      description:
        "what each widget shows, by its id: `{deviceIds, series?: [{deviceId, series: [{key, points: [{ts, value}]}]}], latest?: [latest snapshot], alarms?, cut?, error?}`",
    }),
  },
  { title: "ExecutedDashboard" },
);

export const resolveAliasBody = t.Object(
  {
    alias: t.Optional(t.Any({ description: "an alias; required" })),
    dashboardState: t.Optional(t.Any({ description: "`{deviceId}`" })),
  },
  { title: "ResolveAliasRequest" },
);
export const importBody = t.Any({
  description: "an exported dashboard, or `{dashboard, idMap?}`: ids of devices there to ids here",
});
export const forTypeBody = t.Object(
  {
    deviceType: t.String({ minLength: 1, maxLength: 128 }),
    name: t.Optional(name),
  },
  { title: "DashboardForType" },
);

const shareEnd = t.Union([t.String(), t.Null()], { description: "ISO 8601; null: until it is deleted" });
const shareDevice = t.Union([t.String(), t.Null()], {
  description: "the device of aliases of the type `stateEntity`",
});
export const newShareBody = t.Optional(
  t.Object(
    {
      name: t.Optional(t.String({ maxLength: 256, description: "for whom or where" })),
      deviceId: t.Optional(shareDevice),
      expiresAt: t.Optional(shareEnd),
    },
    { title: "CreateDashboardShare" },
  ),
);
export const shareBody = t.Object(
  {
    shareId: t.String(),
    dashboardId: t.String(),
    token: t.String(),
    path: t.String({ description: "of the page, to be put behind the gateway's address" }),
    name: t.String(),
    deviceId: shareDevice,
    createdBy: t.String({ description: "e-mail address" }),
    createdAt: time,
    expiresAt: shareEnd,
  },
  { title: "DashboardShare" },
);
export const sharedRequest = t.Optional(
  t.Object(
    {
      timeRange: t.Optional(fields("as `timeWindow`; that of the dashboard unless given")),
      dashboardStateId: t.Optional(t.String()),
      widgetIds,
    },
    { title: "SharedDashboardRequest" },
  ),
);
const { tenantId: _t, aliases: _a, configuration: _c, settings: _s, ...shared } = executedBody.properties;
export const sharedBody = t.Object(
  {
    ...shared,
    ownWindow: t.Optional(fields("the `timeWindow` of the dashboard, as it was set")),
  },
  { title: "SharedDashboard" },
);
