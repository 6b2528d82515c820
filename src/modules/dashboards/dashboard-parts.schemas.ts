/** Schemas of a dashboard's parts for the OpenAPI document. The dashboard's parser validates them. */
import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { WIDGET_CHARACTERS_MAX } from "../../lib/console/form-limits.ts";
import { SYMBOL_IDS, SYMBOL_ROTATIONS } from "../../lib/console/synoptic-symbols.ts";
import { discriminatedUnion, enumOf, mapOf, toPascalCase } from "../api/documented-as.ts";
import { jsonValueSchema } from "../api/wire.schemas.ts";
import { AGGREGATIONS, DATA_POINTS_DEFAULT } from "../telemetry/telemetry.types.ts";
import { ALIAS_TYPES } from "./alias-devices.ts";

const text = (description?: string) =>
  Type.String({ maxLength: WIDGET_CHARACTERS_MAX.text, ...(description !== undefined && { description }) });

const optional = (fields: Record<string, TSchema>) => Type.Partial(Type.Object(fields)).properties;

const devices = {
  aliasId: text("id of the alias with the widget's devices"),
  alias: text("id or name of the alias, instead of `aliasId`"),
};
const key = { key: text("telemetry key") };
const keys = { keys: Type.Array(Type.String(), { description: "telemetry keys, the first 50 count" }) };
const series = {
  aggregation: enumOf(AGGREGATIONS, { description: "none by default" }),
  maxDataPoints: Type.Integer({
    description: `maximum points per series (default ${DATA_POINTS_DEFAULT}), reduced to the query limit and to the widget's share of the dashboard's points`,
  }),
  interval: Type.String({
    description:
      "length of an aggregation interval: ms, or 1m, 1h, 1d, 1w, 1mo on the calendar; or the times of day at which intervals begin, such as 06:00,14:00,22:00",
  }),
  timezone: Type.String({ description: "IANA time zone of calendar intervals" }),
};
const ownSeries = {
  series: Type.Array(Type.String(), {
    description: "only these series, each as `deviceId/key`; every key of every device by default",
  }),
};
const compare = {
  compare: Type.Union([Type.Boolean(), Type.Literal("year")], {
    description:
      "whether to show the same series of an earlier period, too. true: the previous day, week, month or year of a calendar window, otherwise the preceding window of the same length. `year`: the same local dates and times of the previous year, in the time zone of a calendar window or else in the widget's `timezone` (UTC by default); bars of days, months and times of day by their date in `timezone`; times that only one of the years has, such as 29 February, are left out",
  }),
};
const reduce = { reduce: text("how the values of several devices become one") };
const appearance = { unit: text(), decimals: Type.Number() };
const scale = { min: Type.Number(), max: Type.Number() };
const limits = { warning: Type.Number(), critical: Type.Number() };
const image = { image: Type.String({ description: "a picture as data URL" }) };

const symbolFields = {
  symbol: enumOf(SYMBOL_IDS),
  x: Type.Number({ description: "middle of the symbol, as a share of the drawing's width" }),
  y: Type.Number({ description: "middle of the symbol, as a share of the drawing's height" }),
  size: Type.Number({ description: "share of the drawing's width; 0.1 by default" }),
  rotation: Type.Union(
    SYMBOL_ROTATIONS.map((degrees) => Type.Literal(degrees)),
    {
      description: "clockwise, in degrees",
    },
  ),
  deviceId: text("one of the widget's devices; the first of them by default"),
  ...key,
  label: text("stands below the symbol"),
  ...scale,
};

const epochMs = Type.Integer({ minimum: 0, description: "epoch ms" });
const timeWindowSchema = Type.Union(
  [
    Type.Object(
      { mode: Type.Optional(Type.Literal("absolute")), from: epochMs, to: epochMs },
      { title: "AbsoluteTimeWindow" },
    ),
    Type.Object(
      {
        mode: enumOf(["live", "relative"]),
        durationMs: Type.Integer({ minimum: 1, description: "length of the window, which ends now" }),
      },
      { title: "RelativeTimeWindow" },
    ),
    Type.Object(
      {
        mode: Type.Literal("calendar"),
        unit: enumOf(["day", "week", "month", "year"]),
        offset: Type.Optional(
          Type.Integer({
            minimum: -1_000,
            maximum: 1_000,
            description: "0: the current period, -1: the previous period",
          }),
        ),
        timezone: Type.Optional(Type.String({ description: "IANA name; UTC by default" })),
      },
      { title: "CalendarTimeWindow" },
    ),
  ],
  { title: "TimeWindow" },
);

/** Time window of a dashboard. Without one, or if its form is unknown, the last hour is shown. */
export const anyTimeWindowSchema = Type.Union([timeWindowSchema, mapOf(jsonValueSchema), Type.Null()]);

const window = {
  timeWindow: Type.Union([anyTimeWindowSchema], {
    description: "the widget's own time window, which overrides the dashboard's",
  }),
};

/** Fields of `config`, by widget type. */
const widgetConfigs: Readonly<Record<string, Record<string, TSchema>>> = {
  energy: {
    ...devices,
    ...key,
    ...keys,
    maxDataPoints: series.maxDataPoints,
    interval: Type.String({
      description:
        "by default 1h in windows of up to 3 days, 1d up to 62 days, and 1mo beyond; same format as in the timeseries widget",
    }),
    timezone: series.timezone,
    ...compare,
    ...window,
    ...appearance,
    costPerUnit: Type.Number({ description: "price of one unit of the counter" }),
    currency: text(),
  },
  timeseries: { ...devices, ...key, ...keys, ...ownSeries, ...series, ...compare, ...window, ...appearance },
  value: { ...devices, ...key, ...keys, ...series, ...window, ...reduce, ...appearance, ...limits },
  gauge: { ...devices, ...key, ...keys, ...reduce, ...appearance, ...scale, ...limits },
  level: { ...devices, ...key, ...keys, ...appearance, ...scale, ...limits },
  stateTimeline: {
    ...devices,
    ...key,
    ...keys,
    ...ownSeries,
    ...window,
    maxDataPoints: series.maxDataPoints,
  },
  statePie: {
    ...devices,
    ...key,
    ...keys,
    aggregation: enumOf(AGGREGATIONS, {
      description: "with timeIn, how long each state held; with any other, how many devices have it now",
    }),
    maxDataPoints: series.maxDataPoints,
    ...window,
  },
  statusGrid: { ...devices, ...key, ...keys, ...appearance, ...limits },
  deviceTable: { ...devices, ...key, ...keys, ...appearance },
  alarmList: {
    ...devices,
    showCleared: Type.Boolean(),
    limit: Type.Integer({ description: "50 by default, 200 at most" }),
  },
  commandButton: {
    ...devices,
    method: text(),
    label: text("text on the button; by default the name of the widget"),
    params: jsonValueSchema,
    confirm: Type.Boolean({ description: "whether the widget asks before it sends" }),
  },
  slider: {
    ...devices,
    ...key,
    ...keys,
    as: enumOf(["attribute", "command"], { description: "how the value is sent" }),
    ...appearance,
    ...scale,
    step: Type.Number(),
  },
  markdown: { text: Type.String(), ...image },
  floorPlan: {
    ...devices,
    ...key,
    ...keys,
    ...appearance,
    ...limits,
    ...image,
    places: mapOf(jsonValueSchema, { description: "place of each device on the picture" }),
  },
  synoptic: {
    ...devices,
    ...image,
    symbols: Type.Array(Type.Object(optional(symbolFields), { title: "SynopticSymbol" }), {
      description:
        "symbols with live values, the first behind the others; together they may show 50 different keys",
    }),
  },
  map: {
    ...devices,
    ...key,
    ...keys,
    ...appearance,
    ...limits,
    ...image,
    latitudeKey: text("key or attribute with the latitude; `latitude` by default"),
    longitudeKey: text("key or attribute with the longitude; `longitude` by default"),
    north: Type.Number({ description: "latitude of the upper edge of the picture" }),
    south: Type.Number({ description: "latitude of its lower edge" }),
    west: Type.Number({ description: "longitude of its left edge" }),
    east: Type.Number({ description: "longitude of its right edge" }),
  },
};

const widgetFields = {
  widgetId: text(),
  name: text(),
  dashboardStateId: Type.Optional(text("the state that shows the widget; every state by default")),
};

const widgets = Object.fromEntries(
  Object.entries(widgetConfigs).map(([type, config]) => [
    type,
    Type.Object(
      { ...widgetFields, type: Type.Literal(type), config: Type.Object(optional(config)) },
      { title: `${toPascalCase(type)}Widget` },
    ),
  ]),
);

/** Returns the schema of widgets or aliases of types unknown to this gateway, which can be stored too. */
const ofOtherType = <Fields extends TProperties>(name: "Widget" | "Alias", fields: Fields) =>
  Type.Object(
    { ...fields, type: text() },
    { title: `Custom${name}`, description: "of a type that the console does not show" },
  );

/** Returns the schema of a list of objects, or of strings that may be their JSON. */
const itemsOf = (...members: readonly TSchema[]) => Type.Array(Type.Union([...members, Type.String()]));

export const customWidgetSchema = ofOtherType("Widget", { ...widgetFields, config: mapOf(jsonValueSchema) });
export const widgetListSchema = itemsOf(
  discriminatedUnion(widgets, "type", { title: "Widget" }),
  customWidgetSchema,
);

const id = (description: string) => Type.String({ description });

/** Parameters of an alias by type. */
const aliasParameters: Readonly<Record<(typeof ALIAS_TYPES)[number], Record<string, TSchema>>> = {
  singleDevice: { deviceId: id("the device") },
  deviceList: { deviceIds: Type.Array(Type.String(), { description: "the devices, 1,000 at most" }) },
  deviceType: { deviceType: id("every device of this type") },
  deviceGroup: { tag: id("every device with this tag"), group: id("instead of `tag`") },
  gatewayChildren: { gatewayId: id("the gateway"), deviceId: id("instead of `gatewayId`") },
  asset: { assetId: id("every device of this asset") },
  stateEntity: {},
};
const aliasFields = { id: text(), name: text() };

const aliases = Object.fromEntries(
  Object.entries(aliasParameters).map(([type, parameters]) => {
    const own = optional(parameters);
    const inner = Type.Optional(Type.Object(own));
    const nested = Object.keys(own).length === 0 ? {} : { config: inner, filter: inner };
    return [
      type,
      Type.Object(
        { ...aliasFields, type: Type.Literal(type), ...own, ...nested },
        {
          title: `${toPascalCase(type)}Alias`,
          description: "A parameter is in the alias itself, or in its `config` or `filter`.",
        },
      ),
    ];
  }),
);

export const customAliasSchema = ofOtherType("Alias", aliasFields);
export const aliasListSchema = itemsOf(
  discriminatedUnion(aliases, "type", { title: "DashboardAlias" }),
  customAliasSchema,
);

/** Unstored alias, without an id and a name. */
export const aliasSelectorSchema = Type.Union([
  Type.Object(
    {
      type: enumOf(ALIAS_TYPES),
      ...optional(Object.assign({}, aliasFields, ...Object.values(aliasParameters))),
    },
    { title: "AliasSelector" },
  ),
  Type.String({ description: "an alias as JSON" }),
]);

export const stateSchema = Type.Object(aliasFields, { title: "DashboardState" });
export const stateListSchema = itemsOf(stateSchema);

const cells = Type.Number({ description: "cells of a grid with 12 columns" });
export const layoutSchema = itemsOf(
  Type.Object(
    { i: text("id of the widget"), x: cells, y: cells, w: cells, h: cells },
    { title: "LayoutItem" },
  ),
);
