import { t } from "elysia";
import { PAYLOAD_ENCODINGS } from "../../lib/json/body.ts";
import { SILENCE_DEFAULT_MS, SILENCE_INTERVALS, SILENCE_MIN_MS } from "../../lib/time/observed-interval.ts";
import { documentedAs } from "../api/documented-as.ts";
import { choice, isoTime, jsonValue, literals, nameText, wholeNumber } from "../api/wire.schemas.ts";
import { alarmRuleSchema } from "./alarm-rule.schemas.ts";
import { commandDefinitionList, commandDefinitionSchema } from "./command-definitions.schemas.ts";
import { METHOD_CHARACTERS_MAX, REQUEST_RULES_MAX } from "./device-requests.ts";
import { keyMetadataList } from "./key-metadata.schemas.ts";
import { SESSIONS_WHEN_FULL } from "./profiles.types.ts";

const deviceRequestRule = t.Object(
  {
    method: t.String({ minLength: 1, maxLength: METHOD_CHARACTERS_MAX }),
    reply: t.Optional(jsonValue("the reply; each method has this or a script")),
    script: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 32_768,
        description:
          "JavaScript with a function `transform({method, params}, {deviceId, deviceName, attributes, telemetry})` that returns the reply",
      }),
    ),
  },
  { title: "DeviceRequestRule" },
);

const settings = {
  description: t.Optional(t.String({ maxLength: 2000 })),
  isDefault: t.Optional(
    t.Boolean({
      description: "whether devices without a profile use this one; exactly one profile is the default",
    }),
  ),
  alarmRules: t.Optional(
    t.Array(documentedAs(alarmRuleSchema), {
      maxItems: 500,
      description: "alarm rules of devices with this profile",
    }),
  ),
  keyMetadata: t.Optional(
    documentedAs(keyMetadataList, {
      description:
        "what the telemetry keys of these devices mean; replaces the whole list. A key that is not in it has the tenant's default",
    }),
  ),
  inactivityTimeoutMs: t.Optional(
    t.Union([t.Integer({ minimum: 1000, maximum: 31_536_000_000 }), t.Null()], {
      description: `ms without a message after which a device is inactive; null (default): ${SILENCE_INTERVALS} times the interval that the gateway observes for each device, at least ${SILENCE_MIN_MS}, and ${SILENCE_DEFAULT_MS} while too few messages have come`,
    }),
  ),
  retentionDays: t.Optional(
    t.Union([t.Integer({ minimum: 1, maximum: 36_500 }), t.Null()], {
      description: "days that telemetry is kept; null: as the gateway is configured",
    }),
  ),
  telemetryTopic: t.Optional(
    t.Union([t.String({ minLength: 1, maxLength: 512 }), t.Null()], {
      description: "an MQTT topic of the device's own that takes telemetry too",
    }),
  ),
  payload: t.Optional(
    literals(PAYLOAD_ENCODINGS, {
      description:
        "encoding of device bodies; AUTO recognizes JSON and CBOR from the first byte, LENIENT_JSON also takes single quotes, trailing commas, NaN and NULs at the end",
    }),
  ),
  createsChildren: t.Optional(
    t.Boolean({
      description:
        "whether a gateway with this profile creates a child device by using a new name (default true)",
    }),
  ),
  sessionsMax: t.Optional(
    t.Integer({
      minimum: 1,
      maximum: 16,
      description:
        "MQTT sessions that a device may have simultaneously, each under a client id of its own (default 1: a new connection ends the previous connection)",
    }),
  ),
  sessionsWhenFull: t.Optional(
    literals(SESSIONS_WHEN_FULL, {
      description:
        "beyond sessionsMax, REPLACE (default) ends the oldest session, REFUSE the new one unless it has the client id of another",
    }),
  ),
  messagesPerSecond: t.Optional(
    t.Union([t.Integer({ minimum: 1, maximum: 1_000_000 }), t.Null()], {
      description: "messages per second that one device may send; null: as the gateway is configured",
    }),
  ),
  messagesBurst: t.Optional(
    t.Union([t.Integer({ minimum: 1, maximum: 1_000_000 }), t.Null()], {
      description: "messages of one device that may come in a burst; null: ten seconds' worth",
    }),
  ),
  convertsNumericText: t.Optional(
    t.Boolean({
      description:
        'whether telemetry that is a text of a plain decimal number is stored as a number: "21.5" becomes 21.5 (default false)',
    }),
  ),
  deviceRequests: t.Optional(
    t.Array(deviceRequestRule, {
      maxItems: REQUEST_RULES_MAX,
      description: "replies to requests that the devices send; all of them together have at most 32 KiB",
    }),
  ),
  commands: t.Optional(commandDefinitionList),
  commandTimeoutMs: t.Optional(
    t.Integer({
      minimum: 100,
      maximum: 86_400_000,
      description:
        "ms until a command without a response times out; also the default `retryIntervalMs` of a command",
    }),
  ),
};
const name = nameText(200);

export const createProfileBody = t.Object({ name, ...settings }, { title: "CreateDeviceProfile" });
export const updateProfileBody = t.Object(
  { name: t.Optional(name), ...settings },
  { title: "UpdateDeviceProfile" },
);

export const profileBody = t.Object(
  {
    profileId: t.String(),
    name: t.String(),
    description: t.String(),
    isDefault: t.Boolean(),
    alarmRules: t.Array(documentedAs(alarmRuleSchema)),
    keyMetadata: t.Optional(
      documentedAs(keyMetadataList, { description: "left out in the list of profiles" }),
    ),
    deviceCount: t.Optional(
      wholeNumber({
        description: "devices with this profile that the caller may see; only in the list of profiles",
      }),
    ),
    inactivityTimeoutMs: t.Optional(wholeNumber()),
    retentionDays: t.Optional(wholeNumber()),
    telemetryTopic: t.Optional(t.String()),
    payload: choice(PAYLOAD_ENCODINGS),
    commandTimeoutMs: wholeNumber(),
    createsChildren: t.Boolean(),
    sessionsMax: wholeNumber(),
    sessionsWhenFull: choice(SESSIONS_WHEN_FULL),
    messagesPerSecond: t.Optional(wholeNumber()),
    messagesBurst: t.Optional(wholeNumber()),
    convertsNumericText: t.Boolean(),
    deviceRequests: t.Array(deviceRequestRule),
    commands: t.Array(commandDefinitionSchema),
    createdAt: isoTime,
    updatedAt: isoTime,
  },
  { title: "DeviceProfile" },
);
