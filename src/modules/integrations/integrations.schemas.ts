import { t } from "elysia";
import { PAYLOAD_ENCODINGS } from "../../lib/json/body.ts";
import { documentedAs, mapOf } from "../api/documented-as.ts";
import { newestFirst, pageQuery } from "../api/lists.schemas.ts";
import {
  isoTime,
  jsonObject,
  jsonValue,
  jsonValueSchema,
  literals,
  nameText,
  textFields,
  textSchema,
  wholeNumber,
} from "../api/wire.schemas.ts";
import { mappingStepListSchema } from "../pipelines/pipeline-steps.schemas.ts";
import { SOURCE_BYTES_MAX, settingsChangesSchema, settingsSchema } from "./integration-settings.schemas.ts";
import { DISCOVERED_FORMATS } from "./integrations.types.ts";

const textOrNull = t.Union([textSchema, t.Null()], { description: "code and parameters of the text" });

const NAME_MAX = 200;
const name = nameText(NAME_MAX);
export const typeBody = t.Union([
  t.Literal("HTTP"),
  t.Literal("MQTT"),
  t.Literal("CHIRPSTACK"),
  t.Literal("THE_THINGS_STACK"),
]);
export const discoveredBody = t.Object({
  networks: t.Array(
    t.Object({
      format: literals(DISCOVERED_FORMATS),
      devices: t.Array(t.String(), { description: "names of ten of the devices at most" }),
      deviceCount: wholeNumber({ minimum: 1 }),
      lastMessageAt: isoTime,
    }),
  ),
});
const stage = t.Union([
  t.Literal("receive"),
  t.Literal("adapter"),
  t.Literal("mapping"),
  t.Literal("script"),
  t.Literal("resolution"),
  t.Literal("ingest"),
  t.Literal("downlink"),
]);
const timeOrNull = t.Union([isoTime, t.Null()]);
// Not an Object schema, so that errors name each field and `__proto__` is an ordinary key.
const settings = documentedAs(settingsSchema, {
  description: `A missing field has its default.
- \`format\`: how bodies are read: \`auto\` (what the type says), \`generic\`, \`chirpstack\`, \`the-things-stack\`, \`tasmota\`, \`zigbee2mqtt\`, \`shelly\`, \`sparkplug\`, \`home-assistant\`; \`encoding\`: \`AUTO\`, \`JSON\`, \`CBOR\`, \`LENIENT_JSON\`
- \`paths {deviceId, deviceName, deviceType, ts, telemetry, attributes, items, frame, fPort}\`: where to find each part in a generic body; \`frame\` and \`fPort\` are for a codec
- \`frameEncoding\`: \`base64\` (default) or \`hex\`, also for ChirpStack and The Things Stack
- \`autoCreateDevice\`: unknown devices are created, of the \`deviceType\` and \`profileId\` given here
- \`announceDevices\`: with the format \`home-assistant\` at the broker \`local:\`, all devices of the tenant are announced there
- \`radioPrefix\` (\`radio_\`), \`radioMetadata\` (true): radio data as telemetry
- \`mqtt {brokerUrl, topicFilter, topicDeviceRegex | topicTemplate, attributesTopic, qos, clientId, protocolVersion, tls, credentials {username, password, ca, cert, key}}\`: required for the type \`MQTT\`, refused for \`HTTP\`
- \`scriptTransform {enabled, source}\`: \`transform(message, metadata)\` or a codec of a vendor, ${SOURCE_BYTES_MAX / 1024} KiB at most
- \`codecs [{codecId, deviceType?}]\`: of the library, for frames of devices of these types (as the network or this gateway calls them); one without a type is for all others
- \`downlink {via, url, apiKey, applicationId, webhookId, fPort, confirmed, priority, retries}\`

A secret is shown as \`{kept: true}\`, which can be sent back to keep it, for the same server.`,
});
const mappingSteps = documentedAs(mappingStepListSchema, {
  description: "steps as in data pipelines, without webhook_forward",
});
export const OWN_DISCOVERY = {
  409: "Another running integration receives the same announcements for Home Assistant.",
};

export const integrationFilters = {
  type: t.Optional(typeBody),
  status: t.Optional(t.String({ enum: ["draft", "active", "paused", "error"] })),
};

export const createIntegrationBody = t.Object(
  {
    name,
    type: typeBody,
    status: t.Optional(t.Union([t.Literal("draft"), t.Literal("active"), t.Literal("paused")])),
    isDefault: t.Optional(t.Boolean()),
    settings_json: t.Optional(settings),
    mappingSteps: t.Optional(mappingSteps),
  },
  { title: "CreateIntegration" },
);
export const updateIntegrationBody = t.Object(
  {
    name: t.Optional(name),
    type: t.Optional(typeBody),
    settings_json: t.Optional(
      documentedAs(settingsChangesSchema, {
        description: "the parts to change, as in create; null removes one",
      }),
    ),
    mappingSteps: t.Optional(mappingSteps),
  },
  { title: "UpdateIntegration" },
);

export const integrationBody = t.Object(
  {
    integrationId: t.String(),
    tenantId: t.String(),
    name: t.String(),
    type: typeBody,
    status: t.Union([t.Literal("draft"), t.Literal("active"), t.Literal("paused"), t.Literal("error")]),
    isDefault: t.Boolean({
      description: "whether it receives the messages to the address of its type without an id",
    }),
    settings_json: settings,
    mappingSteps,
    webhookUrl: t.Union([t.String(), t.Null()], { description: "its own address for messages" }),
    missing: t.Union([t.Literal("WEBHOOK_SECRET"), t.Null()], {
      description:
        "requirements before messages can arrive. `WEBHOOK_SECRET`: the tenant has no webhook secret yet (`POST /api/tenant/integration/rotate-secret` creates it)",
    }),
    stats: t.Object({
      received: wholeNumber(),
      stored: wholeNumber(),
      dropped: wholeNumber({
        description: "messages that a step or script dropped, that came twice, or that carry nothing",
      }),
      failed: wholeNumber(),
      sent: wholeNumber({ description: "number of sent downlinks" }),
      lastMessageAt: timeOrNull,
    }),
    bridge: t.Union(
      [
        t.Object({
          status: t.Union(
            [t.Literal("stopped"), t.Literal("connecting"), t.Literal("connected"), t.Literal("waiting")],
            { description: "`waiting` until `nextAttemptAt`" },
          ),
          since: isoTime,
          problem: t.Union([t.String(), t.Null()], { description: "problem that keeps it from working now" }),
          problemText: textOrNull,
          lastError: t.Union([t.String(), t.Null()]),
          lastErrorText: textOrNull,
          lastErrorAt: timeOrNull,
          nextAttemptAt: timeOrNull,
          failedAttempts: wholeNumber({ description: "number of failed attempts in a row" }),
          subscriptions: t.Array(
            t.Object({
              filter: t.String(),
              qos: t.Union([wholeNumber(), t.Null()], { description: "null if the broker refuses it" }),
            }),
          ),
          counts: t.Object({
            received: wholeNumber({ description: "messages since it was started" }),
            ignored: wholeNumber({ description: "replays of retained messages, and empty messages" }),
            tooLarge: wholeNumber(),
            dropped: wholeNumber({ description: "given up because the rate of a device stayed exhausted" }),
          }),
        }),
        t.Null(),
      ],
      { description: "the connection to its broker, while it is switched on; null without one" },
    ),
    scriptBlocked: t.Union([t.String(), t.Null()], {
      description: "reason why its script is switched off for a while: it overran too often",
    }),
    scriptBlockedText: textOrNull,
    lastError: t.Union([t.String(), t.Null()]),
    lastErrorText: textOrNull,
    lastErrorAt: timeOrNull,
    createdAt: isoTime,
    updatedAt: isoTime,
  },
  { title: "Integration" },
);

const eventFields = {
  eventId: t.String(),
  seq: wholeNumber({ description: "number that grows with each event" }),
  direction: t.Union([t.Literal("IN"), t.Literal("OUT")]),
  status: t.Union([t.Literal("PENDING"), t.Literal("OK"), t.Literal("ERROR"), t.Literal("DROPPED")]),
  stage,
  message: t.String({ description: "result or reason of the failure: the text of the code in English" }),
  ...textFields,
  topic: t.Union([t.String(), t.Null()]),
  replayable: t.Boolean(),
  replayedAt: timeOrNull,
  createdAt: isoTime,
};
export const eventBody = t.Object(
  {
    ...eventFields,
    payload: jsonValue(
      "original body with masked access tokens: JSON, else a string or {base64}; null if there is none, and for callers without `integrations:write`",
    ),
    result: jsonValue("the stored values"),
  },
  { title: "IntegrationEvent" },
);
export const eventsQuery = t.Object({
  ...pageQuery,
  sort: newestFirst,
  status: t.Optional(eventFields.status),
  direction: t.Optional(eventFields.direction),
  search: t.Optional(
    t.String({ maxLength: 256, description: "part of the message, its result or its payload" }),
  ),
  after: t.Optional(t.Integer({ minimum: 0, description: "only those with a greater seq" })),
  before: t.Optional(t.Integer({ minimum: 0, description: "only those with a smaller seq" })),
});
export const takenBody = t.Object(
  {
    eventId: t.String(),
    status: eventFields.status,
    stage: eventFields.stage,
    message: t.String(),
    ...textFields,
  },
  { title: "Replay" },
);

export const previewBody = t.Object(
  {
    type: typeBody,
    integrationId: t.Optional(
      t.String({ description: "integration whose settings and steps apply if they are missing here" }),
    ),
    settings_json: t.Optional(settings),
    mappingSteps: t.Optional(mappingSteps),
    payload: t.Optional(jsonValue("a body as JSON")),
    payloadText: t.Optional(
      t.String({ maxLength: 262_144, description: "the body as text, instead of `payload`" }),
    ),
    payloadBase64: t.Optional(
      t.String({ maxLength: 349_528, description: "the body as base64, such as CBOR, instead of `payload`" }),
    ),
    encoding: t.Optional(literals(PAYLOAD_ENCODINGS)),
    topic: t.Optional(t.String({ maxLength: 1_024 })),
    topicDevice: t.Optional(t.String({ maxLength: 256, description: "the device's id in the topic" })),
    event: t.Optional(t.String({ maxLength: 32, description: "event of ChirpStack: up, join, status …" })),
  },
  { title: "IntegrationPreviewRequest" },
);
export const previewedStep = t.Object({
  step: t.String(),
  in: jsonObject(),
  out: jsonValue("an object; null where the step dropped the message or failed"),
});
export const previewedScript = t.Object(
  {
    value: jsonValue("null if the script failed"),
    console: t.Array(t.Object({ level: t.String(), text: t.String() })),
    usedMs: t.Number({ description: "processor time in ms" }),
    warnings: t.Array(t.String()),
  },
  { title: "PreviewedScript" },
);
export const previewedResult = t.Object(
  {
    device: t.Object({
      deviceId: t.Union([t.String(), t.Null()]),
      name: t.Union([t.String(), t.Null()]),
      isNew: t.Boolean({ description: "whether the device would be created" }),
      reference: mapOf(t.String(), { description: "how the message names its device" }),
    }),
    readings: t.Array(t.Object({ ts: wholeNumber(), values: mapOf(jsonValueSchema) })),
    attributes: mapOf(mapOf(jsonValueSchema), { description: "attributes by scope and name" }),
  },
  { title: "PreviewedResult" },
);
export const previewResponse = t.Object(
  {
    success: t.Boolean({ description: "whether all of it would be stored" }),
    ignored: t.Union([t.String(), t.Null()], {
      description: "reason why the message is ignored, if that is not an error",
    }),
    ignoredText: textOrNull,
    dedupKey: t.Union([t.String(), t.Null()]),
    normalized: documentedAs(t.Array(jsonObject()), {
      description: "the messages that the adapter reads from it",
    }),
    trace: documentedAs(t.Array(previewedStep), {
      description: "each mapping step with its input and output",
    }),
    scripts: documentedAs(t.Array(previewedScript), { description: "each run of the script" }),
    results: documentedAs(t.Array(previewedResult), {
      description: "the values that would be stored, for each device",
    }),
    errors: t.Array(
      t.Object({
        stage: t.String(),
        message: t.String(),
        ...textFields,
        line: t.Union([wholeNumber(), t.Null()], { description: "line of the script" }),
      }),
    ),
    warnings: t.Array(t.String()),
    warningTexts: t.Array(textSchema, { description: "code and parameters of each warning" }),
  },
  { title: "IntegrationPreview" },
);
