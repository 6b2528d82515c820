import { t } from "elysia";
import { stepDefinitions } from "./step-types.ts";

const NAME_MAX = 256;
const SCOPE_MAX = 1_000;

const ids = (description: string) =>
  t.Optional(t.Array(t.String({ maxLength: NAME_MAX }), { maxItems: SCOPE_MAX, description }));
const scope = t.Object(
  {
    deviceIds: ids("only of these devices"),
    deviceTypes: ids("only of devices of these types"),
    profileIds: ids("only of devices of these profiles"),
  },
  { description: "whose messages; those that are in every list that is given, all when none is" },
);

/** Each kind of step with its fields and its example, for readers of the API. */
const stepsText = stepDefinitions
  .map(
    ({ type, summary, example }) => `- \`${type}\`: ${summary} Example: \`${JSON.stringify(example.step)}\``,
  )
  .join("\n");

const steps = t.Any({
  description: `A list of at most 50 steps, each \`{type, …fields}\` (or \`{type, config: {…fields}}\`), \`enabled: false\` to leave it out.\n${stepsText}`,
});

const settable = {
  name: t.String({ minLength: 1, maxLength: NAME_MAX, pattern: "\\S" }),
  description: t.String({ maxLength: 2_000 }),
  order: t.Integer({
    minimum: -1_000_000,
    maximum: 1_000_000,
    description: "active ones run by it, the lowest first",
  }),
  scope,
};
export const createPipelineBody = t.Object({
  name: settable.name,
  description: t.Optional(settable.description),
  order: t.Optional(settable.order),
  scope: t.Optional(scope),
  steps: t.Optional(steps),
});
export const updatePipelineBody = t.Partial(t.Object({ ...settable, steps }));

const time = t.String({ description: "ISO 8601" });
export const pipelineBody = t.Object({
  pipelineId: t.String(),
  ...settable,
  status: t.Union([t.Literal("draft"), t.Literal("active"), t.Literal("paused")]),
  steps: t.Any({ description: "as they were given" }),
  version: t.Number({ description: "counts the changes of scope and steps" }),
  stats: t.Object({
    in: t.Number({ description: "messages that it was given; each time stamp of a message counts" }),
    out: t.Number(),
    dropped: t.Number(),
    errors: t.Number({ description: "steps that could not do their work and were left out" }),
  }),
  lastError: t.Union([t.String(), t.Null()]),
  lastErrorAt: t.Union([time, t.Null()]),
  createdAt: time,
  updatedAt: time,
});

export const versionBody = t.Object({
  version: t.Number(),
  scope,
  steps: t.Any(),
  by: t.String({ description: "e-mail address, or name of the key" }),
  createdAt: time,
});

export const previewBody = t.Object({
  steps,
  telemetry: t.Any({ description: "an object of keys to values" }),
  ts: t.Optional(t.Number({ description: "epoch ms; now unless given" })),
  context: t.Optional(
    t.Any({ description: "{deviceId?, profileId?, attributes?: {SERVER|SHARED|CLIENT: {name: value}}}" }),
  ),
});
export const previewAnswer = t.Object({
  result: t.Union([t.Object({ ts: t.Number(), telemetry: t.Any(), attributes: t.Any() }), t.Null()], {
    description: "null when a step drops the message",
  }),
  trace: t.Array(
    t.Object({
      index: t.Number(),
      step: t.String(),
      in: t.Any(),
      out: t.Any({ description: "null when the step dropped the message or failed" }),
      error: t.Optional(t.String()),
    }),
  ),
  webhookPreviews: t.Array(t.Any()),
  webhookWarnings: t.Array(t.String()),
  warnings: t.Array(t.String()),
});
