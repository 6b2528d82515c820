import { t } from "elysia";
import { DOCUMENTED_AS, documentedAs, mapOf, withCommas } from "../api/documented-as.ts";
import { choice, jsonObject, jsonValueSchema, wholeNumber } from "../api/wire.schemas.ts";
import { AGGREGATIONS, DATA_POINTS_DEFAULT, DATA_POINTS_MAX, STATE_POINTS_MAX } from "./telemetry.types.ts";

/** Max. characters: 24 times of day, each with a comma and a space. */
const INTERVAL_CHARACTERS_MAX = 168;

const POINTS_DESCRIPTION = `maximum points per series, at most ${withCommas(DATA_POINTS_MAX)} (${withCommas(STATE_POINTS_MAX)} for \`timeIn\`; larger numbers are reduced to this limit); ${DATA_POINTS_DEFAULT} by default`;

const epochMs = (description: string) => t.String({ minLength: 1, maxLength: 20, description });

export const rangeQuery = t.Object({
  from: epochMs("start of the range, epoch ms"),
  to: epochMs("end of the range (included), epoch ms"),
  keys: t.Optional(
    t.String({
      maxLength: 65_536,
      description:
        'comma-separated names; names that contain commas in double quotes (`"U L1,L2",power`); all by default',
    }),
  ),
  aggregation: t.Optional(t.String({ enum: [...AGGREGATIONS], description: "none by default" })),
  maxDataPoints: t.Optional(t.String({ maxLength: 20, description: POINTS_DESCRIPTION })),
  interval: t.Optional(
    t.String({
      maxLength: INTERVAL_CHARACTERS_MAX,
      description:
        "length of an aggregate's intervals: ms, or 1m, 1h, 1d, 1w, 1mo on the calendar; or the times of day at which they begin, such as 06:00,14:00,22:00",
    }),
  ),
  timezone: t.Optional(t.String({ maxLength: 64, description: "IANA time zone of calendar intervals" })),
});

const pointSchema = t.Object(
  { ts: wholeNumber({ description: "epoch ms" }), value: jsonValueSchema },
  { title: "Point" },
);
const series = t.Object(
  {
    key: t.String(),
    points: t.Array(documentedAs(pointSchema)),
    skipped: t.Optional(
      wholeNumber({
        description: "non-numeric values that the aggregate skipped; absent if none",
      }),
    ),
    thinned: t.Optional(
      t.Literal(true, {
        description:
          "only with `none`: the series has more points than `maxDataPoints`, so only the first, lowest, highest and last point of each part of the window are listed",
      }),
    ),
  },
  { title: "Series" },
);
export const deviceSeries = t.Object(
  { deviceId: t.String(), series: t.Array(series) },
  { title: "DeviceSeries" },
);

/** Documents the range response; it is not validated, because it contains many points. */
export const seriesResponse = t.Object(
  {
    data: t.Array(deviceSeries),
    from: wholeNumber({ description: "epoch ms" }),
    to: wholeNumber({ description: "epoch ms" }),
    aggregation: choice(AGGREGATIONS),
  },
  { title: "TelemetryRange" },
);

// Not Records: their copy on the way out would lose a key named __proto__.
export const latestSnapshot = t.Object(
  {
    deviceId: t.String(),
    values: jsonObject("key to value: number, boolean, string or JSON"),
    ts: wholeNumber({ description: "epoch ms of the newest value; 0 when there is none" }),
    timestamps: documentedAs(mapOf(wholeNumber()), { description: "key to the epoch ms of its value" }),
  },
  { title: "LatestSnapshot" },
);

/** Returns an integer field; the service refuses fractions with a message about the range. */
const wholeNumberField = (description: string) => t.Number({ [DOCUMENTED_AS]: wholeNumber(), description });

export const queryBody = t.Object(
  {
    deviceIds: t.Array(t.String({ maxLength: 64 })),
    keys: t.Optional(t.Array(t.String({ maxLength: 256 }), { description: "empty means all" })),
    from: wholeNumberField("epoch ms"),
    to: wholeNumberField("epoch ms"),
    aggregation: t.Optional(t.String({ enum: [...AGGREGATIONS], description: "none by default" })),
    maxDataPoints: t.Optional(wholeNumberField(POINTS_DESCRIPTION)),
    interval: t.Optional(t.Union([t.String({ maxLength: INTERVAL_CHARACTERS_MAX }), t.Number()])),
    timezone: t.Optional(t.String({ maxLength: 64 })),
  },
  { title: "TelemetryQuery" },
);

export const latestBody = t.Object(
  {
    deviceIds: t.Array(t.String({ maxLength: 64 }), { maxItems: 10_000 }),
    keys: t.Optional(t.Array(t.String({ maxLength: 256 }))),
  },
  { title: "LatestQuery" },
);

export const keysBody = t.Object(
  { deviceIds: latestBody.properties.deviceIds },
  { title: "TelemetryKeysQuery" },
);

export const keyRecords = t.Array(t.Object({ key: t.String() }));
