/** The schema of `settings_json`, for its check and for the OpenAPI document. */
import { Type as t } from "@sinclair/typebox";
import { PAYLOAD_ENCODINGS } from "../../lib/json/body.ts";
import { DOCUMENTED_AS } from "../api/documented-as.ts";
import { literals } from "../api/wire.schemas.ts";
import { scriptLimits } from "../script-sandbox/script-limits.ts";
import { FRAME_ENCODINGS, MESSAGE_FORMATS } from "./integrations.types.ts";

export const SOURCE_BYTES_MAX = scriptLimits.sourceBytesMax;
const PEM_MAX = 64 * 1024;
const text = (maxLength: number, description?: string) =>
  t.String({ maxLength, ...(description !== undefined && { description }) });
/** Secrets are checked as strings. In place of a secret, a client may send back the marker that it read. */
const secret = (maxLength: number) =>
  t.Unsafe<string | { readonly kept: true }>(
    t.String({ maxLength, [DOCUMENTED_AS]: t.Union([t.String({ maxLength }), keptSecretSchema]) }),
  );
const keptSecretSchema = t.Union([t.Object({ kept: t.Literal(true) }), t.Null()], {
  title: "KeptSecret",
  description: "`{kept: true}` keeps the secret, null removes it.",
});
const path = text(256, "dotted path, as `object.values[0].t`");
const closed = { additionalProperties: false };

const mqttSchema = t.Object(
  {
    brokerUrl: text(
      512,
      "mqtt://, mqtts://, ws:// or wss://; `local:` for the topics of the tenant's own MQTT clients",
    ),
    topicFilter: t.Union([text(1_024), t.Array(text(1_024), { minItems: 1, maxItems: 20 })]),
    topicDeviceRegex: t.Optional(text(512)),
    topicTemplate: t.Optional(text(512)),
    attributesTopic: t.Optional(
      text(
        512,
        "topic for changes of SHARED attributes: `{device}`, and `{key}` for one message per attribute",
      ),
    ),
    clientId: t.Optional(text(128)),
    qos: t.Optional(t.Union([t.Literal(0), t.Literal(1), t.Literal(2)])),
    protocolVersion: t.Optional(t.Union([t.Literal(4), t.Literal(5)])),
    takeRetained: t.Optional(t.Boolean()),
    keepAliveS: t.Optional(t.Integer({ minimum: 5, maximum: 3_600 })),
    tls: t.Optional(
      t.Object({ rejectUnauthorized: t.Optional(t.Boolean()), serverName: t.Optional(text(256)) }, closed),
    ),
    credentials: t.Optional(
      t.Object(
        {
          username: t.Optional(text(256)),
          password: t.Optional(secret(4_096)),
          ca: t.Optional(text(PEM_MAX)),
          cert: t.Optional(text(PEM_MAX)),
          key: t.Optional(secret(PEM_MAX)),
        },
        closed,
      ),
    ),
  },
  closed,
);

const downlinkSchema = t.Object(
  {
    via: t.Optional(t.Union([t.Literal("rest"), t.Literal("mqtt")])),
    url: t.Optional(text(512)),
    apiKey: t.Optional(secret(4_096)),
    applicationId: t.Optional(text(128)),
    webhookId: t.Optional(text(128)),
    tenantId: t.Optional(text(128)),
    fPort: t.Optional(t.Integer({ minimum: 1, maximum: 223 })),
    confirmed: t.Optional(t.Boolean()),
    priority: t.Optional(text(32)),
    retries: t.Optional(t.Integer({ minimum: 0, maximum: 100 })),
  },
  closed,
);

export const settingsSchema = t.Object(
  {
    format: t.Optional(literals(MESSAGE_FORMATS)),
    encoding: t.Optional(literals(PAYLOAD_ENCODINGS)),
    paths: t.Optional(
      t.Object(
        {
          deviceId: t.Optional(path),
          deviceName: t.Optional(path),
          deviceType: t.Optional(path),
          ts: t.Optional(path),
          telemetry: t.Optional(path),
          attributes: t.Optional(path),
          items: t.Optional(path),
          frame: t.Optional(path),
          fPort: t.Optional(path),
        },
        closed,
      ),
    ),
    frameEncoding: t.Optional(literals(FRAME_ENCODINGS)),
    autoCreateDevice: t.Optional(t.Boolean()),
    announceDevices: t.Optional(t.Boolean()),
    deviceType: t.Optional(t.String({ minLength: 1, maxLength: 128 })),
    profileId: t.Optional(text(64)),
    radioPrefix: t.Optional(text(64)),
    radioMetadata: t.Optional(t.Boolean()),
    mqtt: t.Optional(mqttSchema),
    scriptTransform: t.Optional(t.Object({ enabled: t.Boolean(), source: text(SOURCE_BYTES_MAX) }, closed)),
    codecs: t.Optional(
      t.Array(t.Object({ codecId: text(64), deviceType: t.Optional(text(128)) }, closed), { maxItems: 100 }),
    ),
    downlink: t.Optional(downlinkSchema),
  },
  { ...closed, title: "IntegrationSettings" },
);

/** Changes of some settings; null removes one. */
export const settingsChangesSchema = t.Object(
  Object.fromEntries(
    Object.entries(settingsSchema.properties).map(([name, schema]) => [
      name,
      t.Optional(t.Union([schema, t.Null()])),
    ]),
  ),
  { title: "IntegrationSettingsChanges" },
);
