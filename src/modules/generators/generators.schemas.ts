import { t } from "elysia";
import { documentedAs, enumOf, mapOf } from "../api/documented-as.ts";
import {
  isoTime,
  isoTimeOrNull,
  jsonValueSchema,
  nameText,
  textSchema,
  wholeNumber,
} from "../api/wire.schemas.ts";
import { PATTERNS } from "./generators.types.ts";
import { DECIMALS_MAX } from "./metric-values.ts";

const name = nameText(200);
const description = t.String({ maxLength: 2_000 });
const type = t.Literal("data_generator");
const enabled = t.Boolean({ description: "false pauses it, whatever `status` says" });
const status = t.Union([t.Literal("draft"), t.Literal("active"), t.Literal("paused")]);
const decimal = (description: string) => t.Optional(t.Union([t.Number(), t.Null()], { description }));
export const metricSchema = t.Object(
  {
    key: t.String({ minLength: 1, maxLength: 256 }),
    min: t.Number(),
    max: t.Number(),
    decimals: t.Optional(t.Union([wholeNumber({ minimum: 0, maximum: DECIMALS_MAX }), t.Null()])),
    pattern: t.Optional(t.Union([enumOf(PATTERNS), t.Null()], { description: "random by default" })),
    step: decimal("difference from one value to the next, for a counter or a walk"),
    periodSeconds: decimal("period of a wave; 60 readings by default"),
  },
  { title: "GeneratorMetric" },
);
export const generatorConfigSchema = t.Object(
  {
    intervalSeconds: t.Number({ minimum: 0.1, maximum: 86_400 }),
    metrics: t.Array(metricSchema, {
      minItems: 1,
      maxItems: 100,
      description: "metrics; each key occurs once",
    }),
    deviceIds: t.Optional(
      t.Union([t.Array(t.String({ maxLength: 64 }), { maxItems: 1_000 }), t.Null()], {
        description: "the devices that it sends for; by default a device is created for it",
      }),
    ),
  },
  { title: "GeneratorConfig" },
);
// Not an Object schema, so that errors name each field and `__proto__` is an ordinary key.
const config = documentedAs(generatorConfigSchema, {
  description: `\`{intervalSeconds, metrics: [{key, min, max, decimals?, pattern?, step?, periodSeconds?}], deviceIds?}\`.
- \`intervalSeconds\`: 0.1 to 86,400
- \`metrics\`: 1 to 100, each key once. \`pattern\` is \`random\` (the default), \`walk\` (moves from the previous value, by \`step\` on average), \`sine\` (waves of \`periodSeconds\`; the default is 60 readings) or \`counter\` (adds \`step\`, 1 by default, and starts again at \`min\`). All values lie within \`min\` and \`max\` and have \`decimals\` (0 to 9)
- \`deviceIds\`: devices to send for, 1,000 at most; by default a device named after the generator, which is created at its first start`,
});

export const WRITERS = { 403: "The caller has no access to one of the devices." };
export const RATE = {
  409: "The active generators of the tenant would send more than 1,000 messages or 10,000 values per second together, or one of the devices was deleted.",
};

export const createGeneratorBody = t.Object(
  {
    name,
    description: t.Optional(description),
    type,
    enabled,
    status,
    config,
  },
  { title: "CreateGenerator" },
);
export const updateGeneratorBody = t.Object(
  {
    name: t.Optional(name),
    description: t.Optional(description),
    type: t.Optional(t.Literal("data_generator", { description: "cannot be changed" })),
    enabled: t.Optional(enabled),
    status: t.Optional(status),
    config: t.Optional(config),
  },
  { title: "UpdateGenerator" },
);

export const generatorBody = t.Object(
  {
    id: t.String(),
    name: t.String(),
    description: t.Optional(t.String()),
    type,
    enabled: t.Boolean(),
    status,
    config,
    tenantId: t.String(),
    devices: t.Array(t.Object({ deviceId: t.String(), name: t.String() }), {
      description: "the first 20 devices that it sends for",
    }),
    deviceCount: wholeNumber(),
    hiddenDevices: wholeNumber({
      description: "number of devices that are left out because the caller has no access to them",
    }),
    readings: wholeNumber({ description: "readings sent since the gateway was started" }),
    refused: wholeNumber({ description: "readings that could not be stored since then" }),
    lastReadingAt: isoTimeOrNull,
    lastError: t.Union([t.String(), t.Null()], {
      description: "reason why its newest readings were refused, or why it was paused",
    }),
    lastErrorText: t.Union([textSchema, t.Null()], { description: "code and parameters of the error" }),
    lastErrorAt: isoTimeOrNull,
    createdAt: isoTime,
    updatedAt: isoTime,
  },
  { title: "Generator" },
);

/** Any object is accepted, because the response lists the errors of an invalid config. */
export const previewBody = t.Object({
  config: documentedAs(t.Union([generatorConfigSchema, mapOf(jsonValueSchema)])),
});
export const generatorReadings = t.Partial(
  t.Object({
    readings: t.Array(t.Object({ ts: wholeNumber(), values: mapOf(t.Number()) })),
    deviceCount: wholeNumber(),
    messagesPerDay: wholeNumber(),
    valuesPerDay: wholeNumber(),
  }),
  { title: "GeneratorReadings" },
);
export const previewResponse = t.Object({
  success: t.Boolean({ description: "whether it could be started" }),
  result: documentedAs(generatorReadings, {
    description: "the next 60 readings of one device; empty if the config has mistakes",
  }),
  warnings: t.Array(t.String(), { description: "settings that are allowed but perhaps unintended" }),
  errors: t.Array(t.String(), { description: "errors of the config, each with its field" }),
  warningTexts: t.Array(textSchema, { description: "code and parameters of each warning" }),
  errorTexts: t.Array(textSchema, { description: "code and parameters of each error" }),
});
