import { t } from "elysia";
import { profileDefaults } from "./profiles.types.ts";

const settings = {
  description: t.Optional(t.String({ maxLength: 2000 })),
  isDefault: t.Optional(t.Boolean({ description: "used for devices that name no profile; exactly one is" })),
  alarmRules: t.Optional(
    t.Array(t.Any(), {
      maxItems: 500,
      description:
        "alarm rules of devices with this profile, each `{id?, alarmType, createRules: [{severity, condition, kind?, forMs?, count?, withinMs?, message?}], clearRule?: {condition, kind? …}, downgrade?, schedule?: {timezone, days?, from, to}, propagateToGateway?, actions?: [{on, type: command | integration_downlink | webhook, …}]}`",
    }),
  ),
  inactivityTimeoutMs: t.Optional(
    t.Integer({
      minimum: 1000,
      maximum: 31_536_000_000,
      description: `ms without a message after which a device is inactive (default ${profileDefaults.inactivityTimeoutMs})`,
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
    t.Union([t.Literal("JSON"), t.Literal("CBOR"), t.Literal("AUTO")], {
      description: "encoding of device bodies; AUTO looks at the first byte",
    }),
  ),
  createsChildren: t.Optional(
    t.Boolean({
      description:
        "whether a gateway with this profile makes a child device by naming one that does not exist (default true)",
    }),
  ),
  sessionsMax: t.Optional(
    t.Integer({
      minimum: 1,
      maximum: 16,
      description:
        "MQTT sessions that a device may have at once, each under a client id of its own (default 1: a new connection ends the one before)",
    }),
  ),
  messagesPerSecond: t.Optional(
    t.Union([t.Integer({ minimum: 1, maximum: 1_000_000 }), t.Null()], {
      description: "messages a second that one device may send; null: as the gateway is configured",
    }),
  ),
  messagesBurst: t.Optional(
    t.Union([t.Integer({ minimum: 1, maximum: 1_000_000 }), t.Null()], {
      description: "messages of one device that may come at once; null: ten seconds' worth",
    }),
  ),
  commandTimeoutMs: t.Optional(
    t.Integer({
      minimum: 100,
      maximum: 86_400_000,
      description: "ms until a command without an answer times out; kept, not used by this version",
    }),
  ),
};
const name = t.String({ minLength: 1, maxLength: 200 });

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
    alarmRules: t.Array(t.Any()),
    inactivityTimeoutMs: t.Number(),
    retentionDays: t.Optional(t.Number()),
    telemetryTopic: t.Optional(t.String()),
    payload: t.String(),
    commandTimeoutMs: t.Number(),
    createsChildren: t.Boolean(),
    sessionsMax: t.Number(),
    messagesPerSecond: t.Optional(t.Number()),
    messagesBurst: t.Optional(t.Number()),
    createdAt: t.String({ description: "ISO 8601" }),
    updatedAt: t.String({ description: "ISO 8601" }),
  },
  { title: "DeviceProfile" },
);
