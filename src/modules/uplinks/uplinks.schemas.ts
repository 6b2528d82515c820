import { t } from "elysia";
import { WEEKDAYS } from "../../lib/time/weekly-window.ts";
import { documentedAs } from "../api/documented-as.ts";
import { isoTimeOrNull, lineText, literals, nameText, textSchema, wholeNumber } from "../api/wire.schemas.ts";
import { targetInput } from "./target-input.schemas.ts";
import { UPLINK_ORDERS, UPLINK_STATES } from "./uplink.protocol.ts";

const names = (maxItems: number, description: string) =>
  t.Array(t.String({ minLength: 1, maxLength: 256 }), { maxItems, description });

const selection = t.Object(
  {
    deviceIds: names(1_000, "ids of devices; empty: all devices"),
    deviceTypes: names(100, "types of devices; empty: all types"),
    deviceTags: names(100, "a device with one of these tags is sent; empty: all devices"),
    keys: names(500, "telemetry keys; `temp*` stands for all keys that begin with `temp`; empty: all keys"),
  },
  { title: "UplinkSelection" },
);
const content = t.Object(
  {
    telemetry: t.Boolean(),
    attributes: t.Boolean(),
    alarms: t.Boolean(),
    devices: t.Boolean({ description: "created, changed and deleted devices" }),
  },
  { title: "UplinkContent" },
);
const minuteOfDay = wholeNumber({ minimum: 0, maximum: 1_440 });
const sendingWindow = t.Union(
  [
    t.Object(
      {
        timezone: t.String({ maxLength: 100 }),
        days: t.Array(literals(WEEKDAYS), { minItems: 1, maxItems: 7 }),
        from: minuteOfDay,
        to: minuteOfDay,
      },
      { title: "UplinkWindow" },
    ),
    t.Null(),
  ],
  { description: "minutes of the day between which the uplink sends; null: it always sends" },
);
const options = {
  site: lineText(200, "name of this installation at the target; empty: the name of the tenant"),
  selection,
  content,
  // Not an Array: steps report their own errors, and a large array is not traversed twice.
  steps: documentedAs(t.Array(t.Record(t.String(), t.Unknown()), { maxItems: 50 }), {
    description: "steps as in a pipeline, without `webhook_forward`; attributes that they make are not sent",
  }),
  tags: documentedAs(t.Record(t.String(), t.String()), {
    description:
      "further tags of every device at the target: 20 at most, names of 64 and values of 256 characters",
  }),
  order: literals(UPLINK_ORDERS, {
    description:
      "`LIVE_FIRST`: new values, then history from the oldest values; `NEWEST_FIRST`: new values, then history from the newest values; `OLDEST_FIRST`: history, then new values",
  }),
  bytesPerSecond: t.Union([wholeNumber({ minimum: 1_000, maximum: 1_000_000_000 }), t.Null()], {
    description: "null: no limit",
  }),
  window: sendingWindow,
};
// Not a Union: errors name the field, and secrets may be `{kept: true}`.
const target = documentedAs(targetInput, {
  description:
    "Settings of the target, by `type`. Secrets (`password`, `token`, `secretAccessKey`, `signingSecret`, `privateKey`) are returned as `{kept: true}`. A request that contains `{kept: true}` keeps the stored secret; this is possible only for the same server.",
});
const optional = <Fields extends Record<string, import("@sinclair/typebox").TSchema>>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, t.Optional(field)])) as {
    [Name in keyof Fields]: import("@sinclair/typebox").TOptional<Fields[Name]>;
  };

export const createUplinkBody = t.Object(
  {
    name: nameText(200),
    enabled: t.Optional(t.Boolean({ description: "true by default" })),
    target,
    start: t.Optional(
      literals(["NOW", "BEGINNING"], {
        description:
          "`NOW` (default): only values that are stored from now on are sent; `BEGINNING`: stored history is sent as well",
      }),
    ),
    ...optional(options),
  },
  { title: "CreateUplink" },
);
export const updateUplinkBody = t.Object(
  {
    name: t.Optional(nameText(200)),
    enabled: t.Optional(t.Boolean()),
    target: t.Optional(target),
    ...optional(options),
  },
  { title: "UpdateUplink" },
);
export const testUplinkBody = t.Object(
  {
    target,
    uplinkId: t.Optional(
      t.String({ maxLength: 64, description: "uplink whose stored secrets replace `{kept: true}`" }),
    ),
  },
  { title: "TestUplink" },
);
export const resendBody = t.Object(
  { from: t.Number({ description: "epoch ms" }), to: t.Number({ description: "epoch ms" }) },
  { title: "ResendUplink", description: "a closed range of timestamps" },
);

export const uplinkBody = t.Object(
  {
    uplinkId: t.String(),
    name: t.String(),
    enabled: t.Boolean(),
    target: t.Record(t.String(), t.Unknown()),
    ...options,
    createdAt: t.String(),
    updatedAt: t.String(),
    state: literals(UPLINK_STATES),
    lagSeconds: t.Union([t.Number(), t.Null()], {
      description:
        "seconds since the uplink was up to date, or since it was created; null while it is disabled",
    }),
    waitingPoints: t.Union([t.Number(), t.Null()], {
      description: "approximate number of values that wait; null: not counted yet",
    }),
    sentPoints: t.Integer({
      description: "values sent since the gateway started or the uplink was last changed",
    }),
    sentBatches: t.Integer(),
    sentBytes: t.Integer(),
    skippedBatches: t.Integer(),
    heldBytes: t.Integer({
      description: "approximate memory of the batches that are on their way",
    }),
    lastSentAt: isoTimeOrNull,
    upToDateAt: isoTimeOrNull,
    error: t.Union([t.String(), t.Null()]),
    errorText: t.Union([textSchema, t.Null()]),
    errorAt: isoTimeOrNull,
    isRefused: t.Boolean({
      description: "true if the target refuses the oldest batch, which can be skipped",
    }),
  },
  { title: "Uplink" },
);
