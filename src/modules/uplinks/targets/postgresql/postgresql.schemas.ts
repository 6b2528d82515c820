import { type Static, Type as t } from "@sinclair/typebox";
import { TEXT_FORMS } from "../../../../lib/core/text-forms.ts";
import { tlsOrPlain } from "../tls.schemas.ts";

const NAME_CHARACTERS_MAX = 63;

/** Settings of a target that is a PostgreSQL database, with or without TimescaleDB. */
export const postgresqlSettings = t.Object(
  {
    type: t.Literal("POSTGRESQL"),
    host: t.String({ minLength: 1, maxLength: 253, description: "name or address of the server" }),
    port: t.Integer({ default: 5_432, minimum: 1, maximum: 65_535 }),
    database: t.String({ minLength: 1, maxLength: NAME_CHARACTERS_MAX }),
    user: t.String({ minLength: 1, maxLength: NAME_CHARACTERS_MAX }),
    password: t.Optional(t.String({ minLength: 1, maxLength: 4_096 })),
    schema: t.String({
      default: "lineside",
      minLength: 1,
      maxLength: NAME_CHARACTERS_MAX,
      pattern: TEXT_FORMS.no_nul,
      description: "schema of the tables, which is created if it is missing",
    }),
    layout: t.Union([t.Literal("NARROW"), t.Literal("WIDE")], {
      default: "NARROW",
      description:
        "NARROW: one table with a row for each value. WIDE: a table for each device type with a row for each timestamp and a column for each key",
    }),
    timeoutMs: t.Integer({
      default: 60_000,
      minimum: 1_000,
      maximum: 600_000,
      description: "time for one batch, and for the connection",
    }),
    tls: tlsOrPlain,
  },
  { title: "UplinkPostgresqlSettings", additionalProperties: false },
);

export type PostgresqlSettings = Static<typeof postgresqlSettings>;
