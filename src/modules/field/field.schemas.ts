import type { TProperties, TSchema } from "@sinclair/typebox";
import { t } from "elysia";
import { DAY_MS } from "../../lib/core/units.ts";
import { choice, isoTime, isoTimeOrNull, nameText, textSchema, wholeNumber } from "../api/wire.schemas.ts";
import { CONNECTION_STATES } from "./field.types.ts";

const INTERVAL_MS_MIN = 100;

export const interval = (description: string) =>
  wholeNumber({ minimum: INTERVAL_MS_MIN, maximum: DAY_MS, description });
export const unitInterval = interval("time between two reads; 10,000 by default");

export const entryKey = nameText(256, "telemetry key of the value");
export const entryFields = {
  intervalMs: t.Optional(interval("time between two reads; that of the unit by default")),
  writable: t.Optional(t.Boolean({ description: "whether commands may write it" })),
};

export const enabledField = t.Optional(t.Boolean({ description: "true by default" }));
export const portField = (byDefault: number) =>
  t.Optional(wholeNumber({ minimum: 1, maximum: 65_535, description: `${byDefault} by default` }));
export const timeoutField = t.Optional(
  wholeNumber({ minimum: 50, maximum: 60_000, description: "time for a response; 2,000 by default" }),
);
export const hostField = (description: string) => t.String({ minLength: 1, maxLength: 253, description });
export const deviceField = t.String({ maxLength: 64, description: "device that gets the values" });

const nullableText = t.Union([textSchema, t.Null()]);

/** State of a connection in responses. */
const connectionState = (title: string) =>
  t.Object(
    {
      status: choice(CONNECTION_STATES, { description: "waiting: until the next attempt" }),
      since: isoTime,
      problem: nullableText,
      nextAttemptAt: isoTimeOrNull,
    },
    { title },
  );

/** Health of a unit in responses. */
export const unitHealth = <Refused extends TSchema>(
  title: string,
  {
    refused,
    description,
    notes,
    reported,
  }: { refused: Refused; description: string; notes: string; reported?: string },
) =>
  t.Object(
    {
      lastReadAt: isoTimeOrNull,
      lastError: nullableText,
      lastErrorAt: isoTimeOrNull,
      answered: t.Integer({ description: "requests that were answered since the gateway started" }),
      failed: t.Integer({ description: "reads that got no response since the gateway started" }),
      values: t.Array(t.Object({ key: t.String(), value: t.Union([t.Number(), t.String(), t.Boolean()]) }), {
        description: "newest values",
      }),
      refused: t.Array(refused, { description }),
      ...(reported !== undefined && { reported: t.Integer({ description: reported }) }),
      notes: t.Array(t.Object({ key: t.String(), note: textSchema }), { description: notes }),
    },
    { title },
  );

/** Body and response of the route that reads a map from CSV. */
export const mapBody = (title: string, description: string) =>
  t.Object({ csv: t.String({ minLength: 1, maxLength: 65_536, description }) }, { title });
export const mapProblems = (description: string) =>
  t.Array(t.Object({ line: t.Integer(), problem: textSchema }), { description });

/** A connection in responses, with the fields of its protocol. */
export const connectionItem = <Own extends TProperties>(title: string, own: Own) =>
  t.Object(
    {
      connectionId: t.String(),
      name: t.String(),
      enabled: t.Boolean(),
      host: t.String(),
      port: t.Integer(),
      ...own,
      timeoutMs: t.Integer(),
      units: t.Integer({ description: "number of units" }),
      state: connectionState(`${title}State`),
      createdAt: isoTime,
      updatedAt: isoTime,
    },
    { title },
  );

/** A unit in responses, with its id, its entries and its health. */
export const unitItem = <Own extends TProperties>(title: string, own: Own) =>
  t.Object(
    {
      connectionId: t.String(),
      deviceId: t.String(),
      deviceName: t.String(),
      intervalMs: t.Integer(),
      ...own,
      createdAt: isoTime,
      updatedAt: isoTime,
    },
    { title },
  );
