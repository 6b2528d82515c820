import { t } from "elysia";
import { TAGS_MAX } from "../../lib/console/form-limits.ts";
import { sortForm, TEXT_FORMS } from "../../lib/core/text-forms.ts";
import { DEVICE_STATES } from "../../lib/devices/device-state.ts";
import { pageQuery, searchQuery, sortQuery } from "../api/lists.schemas.ts";
import { choice, isoTime, lineText, literals, nameText, tagList, wholeNumber } from "../api/wire.schemas.ts";
import { deviceToken } from "./credentials.schemas.ts";
import { INACTIVITY_SOURCES } from "./inactivity.ts";

const id = (description: string) => t.String({ minLength: 1, maxLength: 64, description });
const nullable = <Schema extends Parameters<typeof t.Union>[0][number]>(
  schema: Schema,
  description: string,
) => t.Optional(t.Union([schema, t.Null()], { description }));

const deviceRole = t.Union([t.Literal("DEVICE"), t.Literal("GATEWAY")]);
const name = nameText(256);
const deviceType = nameText(128);
const childName = nameText(256);

const settings = {
  label: t.Optional(lineText(256)),
  assetId: nullable(id(""), "asset that the device belongs to"),
  parentDeviceId: nullable(id(""), "parent gateway; null detaches"),
  childName: nullable(
    childName,
    "name of the device at its gateway; by default its name when it was attached (null: its present name)",
  ),
  profileId: t.Optional(id("device profile; the tenant's default one when left out")),
  role: t.Optional(deviceRole),
  type: t.Optional(deviceRole),
  inactivityTimeoutMs: nullable(
    wholeNumber({ minimum: 1000, maximum: 31_536_000_000 }),
    "ms without a message after which the device is inactive; null: the profile decides",
  ),
  targetDashboardId: nullable(id(""), "dashboard to open for the device"),
  targetStateId: nullable(id(""), "state of that dashboard"),
  applyToAllOfType: t.Optional(
    t.Boolean({ description: "gives every device of the type this dashboard and state, now and later" }),
  ),
  lorawanDevEui: nullable(
    t.String({ pattern: TEXT_FORMS.dev_eui, description: "16 hexadecimal characters" }),
    "maps LoRaWAN uplinks to the device; kept as attribute integration.lorawan.dev_eui",
  ),
  tags: t.Optional(tagList()),
};

export const createDeviceBody = t.Object(
  {
    name,
    deviceType,
    commandTransport: t.Optional(t.Union([t.Literal("WS"), t.Literal("MQTT")])),
    token: t.Optional(deviceToken),
    ...settings,
  },
  { title: "CreateDevice" },
);
/** Row of a list of devices. */
export const bulkDeviceRow = t.Object(createDeviceBody.properties, {
  title: "BulkDeviceRow",
  additionalProperties: true,
});
export const updateDeviceBody = t.Object(
  {
    name: t.Optional(name),
    deviceType: t.Optional(deviceType),
    ...settings,
  },
  { title: "UpdateDevice" },
);

const deviceSearch = searchQuery([
  "the name",
  "the name at the gateway",
  "the label",
  "the type",
  "a tag",
  "the value of an attribute",
]);

export const listChildrenQuery = t.Object({
  ...pageQuery,
  search: deviceSearch,
  sort: sortQuery(["name", "deviceType", "active", "lastActivityAt"]),
});

export const listDevicesQuery = t.Object({
  ...pageQuery,
  search: deviceSearch,
  deviceType: t.Optional(t.String({ maxLength: 128, description: "only this type; all by default" })),
  tag: t.Optional(t.String({ maxLength: TAGS_MAX.length })),
  attribute: t.Optional(
    t.String({
      maxLength: 512,
      description: "only devices that have one of these server attributes; keys, separated by commas",
    }),
  ),
  parentDeviceId: t.Optional(t.String({ maxLength: 64, description: "only children of this gateway" })),
  role: t.Optional(deviceRole),
  active: t.Optional(t.BooleanString()),
  state: t.Optional(literals(DEVICE_STATES)),
  sort: t.Optional(
    t.String({
      pattern: sortForm([
        "name",
        "deviceType",
        "createdAt",
        "lastActivityAt",
        "active",
        "state",
        "key:.{1,256}",
      ]),
      description:
        "one of name, deviceType, createdAt, lastActivityAt, active, state and key:…; - before it reverses the order; name by default, with the devices of the type `lineside-gateway` last; lastActivityAt as last written, at most 5 min old; -state lists devices with the most severe open alarms first, then inactive devices, devices that have never connected, devices in maintenance, and active devices; key: and the name of a telemetry key sorts by its newest values, with devices without one last",
    }),
  ),
});

export const deviceState = choice(DEVICE_STATES, {
  description:
    "MAINTENANCE while the device or its gateway is in maintenance; otherwise ACTIVE, INACTIVE, or NEVER_CONNECTED if the device has never connected or sent a message",
});

const listed = {
  deviceId: t.String(),
  name: t.String(),
  deviceType: t.String(),
  assetId: t.Union([t.String(), t.Null()], { description: "null for none" }),
  label: t.String(),
  active: t.Boolean(),
  state: deviceState,
  lastActivityAt: t.Optional(isoTime),
  role: deviceRole,
  type: deviceRole,
  parentDeviceId: t.Optional(t.String()),
  childName: t.Optional(t.String({ description: "name of the device at its gateway" })),
  profileId: t.String(),
  tags: t.Array(t.String()),
  maintenance: t.Optional(
    t.Object(
      {
        deviceId: t.String({ description: "the gateway's where it is the gateway that is worked on" }),
        since: isoTime,
        until: isoTime,
        reason: t.String(),
        by: t.String(),
      },
      { description: "maintenance in progress, during which the alarms of the device are suppressed" },
    ),
  ),
};

const credentialsBody = t.Object({
  type: choice(["ACCESS_TOKEN", "MQTT_BASIC", "X509"]),
  token: t.Optional(t.String({ description: "token of the type ACCESS_TOKEN" })),
});

export const deviceListItem = t.Object(listed, { title: "Device" });
export const deviceDetail = t.Object(
  {
    ...listed,
    inactivityTimeoutMs: t.Optional(wholeNumber()),
    inactivity: t.Object(
      {
        timeoutMs: wholeNumber(),
        source: choice(INACTIVITY_SOURCES),
        intervalMs: t.Optional(wholeNumber({ description: "observed interval of messages" })),
      },
      {
        description:
          "inactivity timeout in effect: the one of the device, of its profile, three times the observed interval, or the default while too few messages have come",
      },
    ),
    targetDashboardId: t.Optional(t.String()),
    targetStateId: t.Optional(t.String()),
    commandTransport: t.Optional(t.String()),
    lorawanDevEui: t.Optional(t.String()),
    lastConnectedAt: t.Optional(isoTime),
    lastDisconnectedAt: t.Optional(isoTime),
    createdAt: isoTime,
    updatedAt: isoTime,
    credentials: t.Optional(credentialsBody),
  },
  { title: "DeviceDetail" },
);

export const typeDefaultsBody = t.Object(
  {
    deviceType: t.String(),
    targetDashboardId: t.Optional(t.String()),
    targetStateId: t.Optional(t.String()),
  },
  { title: "TypeDefaults" },
);
