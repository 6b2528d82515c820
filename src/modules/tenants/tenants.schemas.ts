import { t } from "elysia";
import { BRANDING_NAME_CHARACTERS_MAX } from "../../lib/console/form-limits.ts";
import { TEXT_FORMS } from "../../lib/core/text-forms.ts";
import { jsonObject, nameText, wholeNumber } from "../api/wire.schemas.ts";

const limit = (subject: string) =>
  t.Union([t.Number(), t.Null()], { description: `${subject}; null for no limit` });

const setting = (subject: string) =>
  t.Union([t.Number(), t.Null()], { description: `${subject}; null for the gateway's setting` });

export const planBody = t.Object(
  {
    id: t.String(),
    name: t.String(),
    whitelabelEnabled: t.Boolean({ description: "whether tenants can set their own name, logo and colors" }),
    limits: t.Object({
      devices: limit("devices"),
      users: limit("users"),
      retentionDays: limit("days that telemetry is kept"),
      messagesPerSecond: limit("messages per second, of all devices together"),
      bytesPerSecond: setting("bytes of messages per second, of all devices together"),
      storedBytes: setting("bytes of telemetry on the disk"),
      keysPerDevice: setting("telemetry keys of one device"),
      keys: setting("telemetry keys of all devices together"),
      mqttConnections: setting("simultaneous MQTT connections, of devices and API keys together"),
      mqttSessions: setting("MQTT sessions of API keys that outlive their connections"),
      queuedBytes: setting("bytes of messages that wait for MQTT clients"),
      auditEntries: setting("entries of the audit log"),
    }),
  },
  { title: "Plan" },
);

export const tenantProfile = t.Object(
  {
    tenantId: t.String(),
    tenantName: t.Optional(t.String()),
    planName: t.String({ description: "id of the plan" }),
    whitelabelEnabled: t.Boolean(),
  },
  { title: "TenantProfile" },
);

const tenantName = nameText(200);
export const updateTenantBody = t.Object({ tenantName }, { title: "UpdateTenant" });
export const siteLockBody = t.Object(
  { lockId: t.Optional(t.String({ maxLength: 64, description: "renews the lock with this id" })) },
  { title: "TakeSiteLock" },
);
export const siteLock = t.Object({ lockId: t.String() }, { title: "SiteLock" });

export const deleteTenantBody = t.Object(
  {
    tenantName: t.String({
      maxLength: 200,
      description: "the tenant's name, so that nobody deletes the wrong one",
    }),
  },
  { title: "DeleteTenant" },
);

export const tenantUsage = t.Object(
  {
    isHost: t.Boolean({ description: "whether it is the gateway's own tenant, which cannot be deleted" }),
    plan: planBody,
    usage: t.Object({
      devices: wholeNumber(),
      users: wholeNumber(),
      messagesPerSecond: t.Number({ description: "average of the last whole minute" }),
      messagesRefusedPerMinute: wholeNumber({
        description: "messages beyond the plan in the last whole minute",
      }),
      bytesPerSecond: t.Number({ description: "bytes of messages, average of the last whole minute" }),
      storedBytes: t.Number({ description: "approximate bytes of telemetry" }),
      keys: wholeNumber({ description: "telemetry keys of all devices together" }),
      mqttConnections: wholeNumber(),
      mqttConnectionsRefused: wholeNumber({
        description: "connections that were refused because of a limit since the gateway started",
      }),
      mqttSessions: wholeNumber({ description: "sessions of API keys that outlive their connections" }),
      mqttSubscriptions: wholeNumber({ description: "subscriptions of API keys and MQTT clients" }),
      mqttSubscriptionsRefused: wholeNumber({
        description: "subscriptions refused because of a limit since the gateway started",
      }),
      queuedBytes: wholeNumber({ description: "bytes of messages that wait for MQTT clients" }),
      queuedMessagesDropped: wholeNumber({
        description:
          "messages to MQTT clients that were dropped since the gateway started: because of a limit, because the client read too slowly, or because they had expired",
      }),
      auditEntries: wholeNumber({ description: "entries of the audit log" }),
    }),
    quotas: t.Object(
      {
        bytesPerSecond: limit("bytes of messages per second, of all devices together"),
        storedBytes: limit("bytes of telemetry on the disk"),
        keysPerDevice: limit("telemetry keys of one device"),
        keys: limit("telemetry keys of all devices together"),
        mqttConnections: limit("simultaneous MQTT connections, of devices and API keys together"),
        mqttSessions: limit("MQTT sessions of API keys that outlive their connections"),
        queuedBytes: limit("bytes of messages that wait for MQTT clients"),
        auditEntries: wholeNumber({ description: "entries of the audit log" }),
      },
      { description: "limits in force: the plan's, or the gateway's settings if the plan sets none" },
    ),
  },
  { title: "TenantUsage" },
);

export const setAttributeBody = t.Object(
  {
    key: t.String({
      minLength: 1,
      maxLength: 256,
      pattern: TEXT_FORMS.printable,
      description: "1 to 256 characters in one line",
    }),
    value: jsonObject("an object of up to 256 KiB"),
  },
  { title: "SetTenantAttribute" },
);
export const tenantAttribute = t.Object(
  {
    key: t.String(),
    value: jsonObject(),
    updatedAt: t.String(),
  },
  { title: "TenantAttribute" },
);

export const brandingBody = t.Object(
  {
    name: t.Optional(
      t.String({
        description: `shown in place of the product's name, 1 to ${BRANDING_NAME_CHARACTERS_MAX} characters`,
      }),
    ),
    logo: t.Optional(
      t.String({
        maxLength: 150_000,
        description: "data: address of a PNG, JPEG, WebP or SVG image of up to 100 KiB",
      }),
    ),
    primaryColor: t.Optional(t.String({ description: "#rrggbb; readable shades are derived from it" })),
  },
  { title: "SetBranding" },
);
const themeColors = t.Object({ primary: t.String(), onPrimary: t.String() }, { title: "ThemeColors" });
export const appearanceBody = t.Object(
  {
    name: t.Union([t.String(), t.Null()]),
    logo: t.Union([t.String(), t.Null()], { description: "address of an image" }),
    colors: t.Union([t.Object({ light: themeColors, dark: themeColors }), t.Null()]),
  },
  { title: "Branding" },
);
export const tenantBranding = t.Object(
  {
    whitelabelEnabled: t.Boolean(),
    branding: brandingBody,
    appearance: appearanceBody,
  },
  { title: "TenantBranding" },
);
