import { type Static, Type as t } from "@sinclair/typebox";
import { tlsOfUrl } from "../tls.schemas.ts";

const name = (description: string) => t.Optional(t.String({ minLength: 1, maxLength: 256, description }));
const secret = (description: string) => t.Optional(t.String({ minLength: 1, maxLength: 4_096, description }));

/** Settings of a target that accepts InfluxDB's line protocol by HTTP. */
export const influxdbSettings = t.Object(
  {
    type: t.Literal("INFLUXDB"),
    url: t.String({
      minLength: 1,
      maxLength: 2_048,
      description: "http:// or https:// address of the server, without `/write` or `/api/v2/write`",
    }),
    api: t.Union([t.Literal("V1"), t.Literal("V2")], {
      default: "V2",
      description:
        "V1: `/write` with database, user and password. V2: `/api/v2/write` with organization, bucket and token",
    }),
    database: name("V1"),
    retentionPolicy: name("V1; absent: the default of the database"),
    user: name("V1"),
    password: secret("V1"),
    organization: name("V2"),
    bucket: name("V2"),
    token: secret("sent as `Authorization: Token`"),
    measurement: t.String({
      default: "{type}",
      minLength: 1,
      maxLength: 256,
      description:
        "measurement of a row; `{type}`, `{device}` (the id), `{name}` and `{site}` stand for those of the device",
    }),
    deviceTags: t.Array(
      t.Union([t.Literal("device"), t.Literal("name"), t.Literal("site"), t.Literal("type")]),
      {
        default: ["device", "name", "site"],
        uniqueItems: true,
        minItems: 1,
        maxItems: 4,
        description:
          "tags of every row, beside the static tags of the uplink; without `device`, nothing can be deleted",
      },
    ),
    fieldNames: t.Union([t.Literal("TYPED"), t.Literal("PLAIN")], {
      default: "TYPED",
      description:
        "TYPED: a number is in the field `key`, a boolean in `key_bool`, a text in `key_str`. PLAIN: all are in `key`, and only a value whose type the server refuses is in a field of its own",
    }),
    texts: t.Boolean({
      default: true,
      description:
        "whether strings and JSON are written; false for VictoriaMetrics, which stores 0 in their place and takes a line break in them for the end of the row",
    }),
    alarmMeasurement: t.String({
      default: "alarms",
      maxLength: 256,
      description: "measurement of alarm events; empty: they are not written",
    }),
    deletions: t.Boolean({
      default: false,
      description:
        "whether the range of a device that is deleted here is deleted at the target; not possible for single keys",
    }),
    gzip: t.Boolean({ default: true, description: "whether bodies are compressed" }),
    timeoutMs: t.Integer({ default: 30_000, minimum: 1_000, maximum: 300_000 }),
    tls: tlsOfUrl,
  },
  { title: "UplinkInfluxdbSettings", additionalProperties: false },
);

export type InfluxdbSettings = Static<typeof influxdbSettings>;
