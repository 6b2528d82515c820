import { t } from "elysia";
import { documentedAs, mapOf } from "../api/documented-as.ts";
import { newestFirst, pageQuery, searchQuery } from "../api/lists.schemas.ts";
import {
  isoTime,
  jsonObject,
  jsonValue,
  jsonValueSchema,
  nameText,
  textSchema,
  wholeNumber,
} from "../api/wire.schemas.ts";
import { stepListSchema } from "./pipeline-steps.schemas.ts";
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
  {
    title: "PipelineScope",
    description:
      "devices whose messages run through it: those in every given list, or all if no list is given",
  },
);

/** List of step types with fields and examples, for API descriptions. */
const stepsText = stepDefinitions
  .map(
    ({ type, summary, example }) => `- \`${type}\`: ${summary} Example: \`${JSON.stringify(example.step)}\``,
  )
  .join("\n");

const steps = documentedAs(stepListSchema, {
  description: `A list of at most 50 steps, each \`{type, …fields}\` (or \`{type, config: {…fields}}\`), \`enabled: false\` to leave it out.\n${stepsText}`,
});

const settable = {
  name: nameText(NAME_MAX),
  description: t.String({ maxLength: 2_000 }),
  order: t.Integer({
    minimum: -1_000_000,
    maximum: 1_000_000,
    description: "order in which active pipelines run, the lowest first",
  }),
  scope,
};
const status = t.Union([t.Literal("draft"), t.Literal("active"), t.Literal("paused")]);

export const createPipelineBody = t.Object(
  {
    name: settable.name,
    description: t.Optional(settable.description),
    status: t.Optional(t.Union(status.anyOf, { description: "draft by default" })),
    order: t.Optional(settable.order),
    scope: t.Optional(scope),
    steps: t.Optional(steps),
  },
  { title: "CreateDataPipeline" },
);
export const updatePipelineBody = t.Partial(t.Object({ ...settable, status, steps }), {
  title: "UpdateDataPipeline",
});

export const pipelineBody = t.Object(
  {
    pipelineId: t.String(),
    ...settable,
    name: t.String(),
    status,
    steps: documentedAs(stepListSchema, {
      description: "the steps as they were sent; a secret is {kept}, which can be sent back to keep it",
    }),
    version: wholeNumber({ description: "version, which each change of scope or steps increases" }),
    stats: t.Object({
      in: wholeNumber({ description: "messages that it was given; each timestamp of a message counts" }),
      out: wholeNumber(),
      dropped: wholeNumber(),
      errors: wholeNumber({ description: "steps that failed and were skipped" }),
    }),
    webhooks: t.Object({
      sent: wholeNumber({ description: "webhooks that were delivered" }),
      failed: wholeNumber({ description: "all webhooks that were ever given up" }),
      waiting: wholeNumber({ description: "webhooks that wait for their server" }),
      dead: wholeNumber({ description: "webhooks that were given up and can be sent again" }),
      lastSentAt: t.Union([isoTime, t.Null()]),
      lastError: t.Union([t.String(), t.Null()], { description: "reason of the newest failed attempt" }),
      lastErrorText: t.Union([textSchema, t.Null()], { description: "code and parameters of the error" }),
      lastErrorAt: t.Union([isoTime, t.Null()]),
    }),
    lastError: t.Union([t.String(), t.Null()], { description: "the newest failure of a step" }),
    lastErrorText: t.Union([textSchema, t.Null()], { description: "code and parameters of the error" }),
    lastErrorAt: t.Union([isoTime, t.Null()]),
    createdAt: isoTime,
    updatedAt: isoTime,
  },
  { title: "DataPipeline" },
);

export const versionBody = t.Object(
  {
    version: wholeNumber(),
    scope,
    steps: documentedAs(stepListSchema),
    by: t.String({ description: "email address, or name of the key" }),
    createdAt: isoTime,
  },
  { title: "DataPipelineVersion" },
);

const attributesByName = mapOf(jsonValueSchema);
/** Attributes by scope and name. */
const scopedAttributes = t.Partial(
  t.Object({ SERVER: attributesByName, SHARED: attributesByName, CLIENT: attributesByName }),
);

export const previewBody = t.Object(
  {
    steps,
    telemetry: jsonObject("keys to values"),
    ts: t.Optional(t.Number({ description: "epoch ms; now by default" })),
    context: t.Optional(
      documentedAs(
        t.Object({
          deviceId: t.Optional(t.String()),
          profileId: t.Optional(t.String()),
          attributes: t.Optional(scopedAttributes),
        }),
        { description: "the device that the message comes from, with attributes for steps that read them" },
      ),
    ),
  },
  { title: "PipelinePreviewRequest" },
);
export const previewResponse = t.Object(
  {
    result: t.Union(
      [
        t.Object({ ts: t.Number(), telemetry: jsonObject(), attributes: documentedAs(scopedAttributes) }),
        t.Null(),
      ],
      {
        description: "null when a step drops the message",
      },
    ),
    trace: t.Array(
      t.Object({
        index: wholeNumber(),
        step: t.String(),
        in: jsonObject(),
        out: jsonValue("an object; null when the step dropped the message or failed"),
        error: t.Optional(t.String()),
        errorText: t.Optional(textSchema),
      }),
    ),
    webhookPreviews: t.Array(
      t.Object({
        url: t.String(),
        method: t.String(),
        headers: documentedAs(mapOf(t.String()), { description: "name to value; secret ones are not shown" }),
        body: jsonValue(),
        note: t.String(),
      }),
    ),
    webhookWarnings: t.Array(t.String()),
    webhookWarningTexts: t.Array(textSchema, {
      description: "code and parameters of each warning about webhooks",
    }),
    warnings: t.Array(t.String()),
    warningTexts: t.Array(textSchema, { description: "code and parameters of each warning" }),
  },
  { title: "PipelinePreview" },
);

export const newestMessageBody = t.Object(
  {
    message: t.Union([t.Object({ ts: wholeNumber(), telemetry: jsonObject() }), t.Null()], {
      description: "null if none is remembered; the stored values are then the newest",
    }),
  },
  { title: "NewestMessage" },
);

export const stepTypeBody = t.Object(
  {
    type: t.String({ enum: stepDefinitions.map(({ type }) => type) }),
    summary: t.String(),
    fields: jsonObject("JSON Schema of an object"),
    example: documentedAs(
      t.Object({ step: mapOf(jsonValueSchema), in: jsonValueSchema, out: jsonValueSchema }),
      { description: "a step with a message before and after it; null if the step drops it" },
    ),
  },
  { title: "StepType" },
);

export const listDeliveriesQuery = t.Object({
  pipelineId: t.Optional(t.String({ maxLength: NAME_MAX })),
  state: t.Optional(t.Union([t.Literal("waiting"), t.Literal("dead")])),
  ...pageQuery,
  search: searchQuery(["the address"]),
  sort: newestFirst,
});
export const deliveryBody = t.Object(
  {
    deliveryId: t.String({
      description: "value of the header X-Lineside-Delivery, the same in each attempt",
    }),
    pipelineId: t.String(),
    deviceId: t.String(),
    url: t.String(),
    method: t.String(),
    state: t.Union([t.Literal("waiting"), t.Literal("dead")]),
    attempts: wholeNumber({ description: "failed attempts" }),
    lastStatus: t.Union([wholeNumber(), t.Null()], { description: "null if no response came" }),
    lastError: t.Union([t.String(), t.Null()]),
    lastErrorText: t.Union([textSchema, t.Null()], { description: "code and parameters of the error" }),
    bytes: wholeNumber(),
    createdAt: isoTime,
    nextAttemptAt: t.Union([isoTime, t.Null()], {
      description: "earliest time of the next attempt; null for a dead letter",
    }),
    diedAt: t.Union([isoTime, t.Null()]),
  },
  { title: "Delivery" },
);
export const wholeDelivery = t.Composite([deliveryBody, t.Object({ body: t.String() })]);
