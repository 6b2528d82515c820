import { type Static, Type as t } from "@sinclair/typebox";
import { TEXT_FORMS } from "../../../../lib/core/text-forms.ts";
import { tlsOfUrl } from "../tls.schemas.ts";

const folder = t.Object(
  {
    kind: t.Literal("FOLDER"),
    path: t.String({ minLength: 1, maxLength: 1_000, description: "absolute path of a folder that exists" }),
  },
  { title: "UplinkFolder", additionalProperties: false },
);
const bucket = t.Object(
  {
    kind: t.Literal("S3"),
    endpoint: t.String({
      minLength: 1,
      maxLength: 500,
      description:
        "http:// or https:// address of the S3-compatible server; the bucket becomes part of the path",
    }),
    region: t.String({ default: "us-east-1", minLength: 1, maxLength: 100 }),
    bucket: t.String({ minLength: 1, maxLength: 200 }),
    prefix: t.String({
      default: "",
      maxLength: 500,
      pattern: TEXT_FORMS.object_prefix,
      description: "prefix of the names of all objects; empty, or ends with /",
    }),
    accessKeyId: t.String({ minLength: 1, maxLength: 200 }),
    secretAccessKey: t.String({ minLength: 1, maxLength: 500 }),
  },
  { title: "UplinkBucket", additionalProperties: false },
);

/** Settings of a target that writes Parquet files. */
export const parquetSettings = t.Object(
  {
    type: t.Literal("PARQUET"),
    place: t.Union([folder, bucket]),
    partition: t.Union([t.Literal("HOUR"), t.Literal("DAY")], {
      default: "HOUR",
      description: "a folder for each hour or each day, in UTC",
    }),
    rowsPerFile: t.Integer({
      default: 100_000,
      minimum: 1_000,
      maximum: 5_000_000,
      description:
        "a file is written when this number of values waits, even if its hour or day has not ended; 1,000,000 numbers take about 40 MB of memory while the file is written, short strings twice as much",
    }),
    timeoutMs: t.Integer({
      default: 60_000,
      minimum: 1_000,
      maximum: 600_000,
      description: "time for one request to the S3-compatible server",
    }),
    tls: tlsOfUrl,
  },
  { title: "UplinkParquetSettings", additionalProperties: false },
);

export type ParquetSettings = Static<typeof parquetSettings>;
