import { Type } from "@sinclair/typebox";
import { GATEWAY_DEVICE_TYPE } from "../../lib/gateway-device.ts";
import { escalationBody } from "../../modules/alarms/alarms.schemas.ts";
import { createCodecBody } from "../../modules/codecs/codecs.schemas.ts";
import { createDashboardBody } from "../../modules/dashboards/dashboards.schemas.ts";
import { createDeviceBody, typeDefaultsBody } from "../../modules/devices/devices.schemas.ts";
import { createGeneratorBody } from "../../modules/generators/generators.schemas.ts";
import { createIntegrationBody } from "../../modules/integrations/integrations.schemas.ts";
import { createConnectionBody, createUnitBody } from "../../modules/modbus/modbus.schemas.ts";
import { createMessengerBody } from "../../modules/notifications/messengers.schemas.ts";
import { changeSettingsBody } from "../../modules/notifications/notifications.schemas.ts";
import { createPipelineBody } from "../../modules/pipelines/pipelines.schemas.ts";
import { keyDefaultsBody } from "../../modules/profiles/key-metadata.schemas.ts";
import { createProfileBody } from "../../modules/profiles/profiles.schemas.ts";
import { createJobBody } from "../../modules/scheduler/scheduler.schemas.ts";
import { createUplinkBody } from "../../modules/uplinks/uplinks.schemas.ts";
import { createUserBody } from "../../modules/users/users.schemas.ts";
import type { ApiClient } from "../api-client.ts";
import { apiKeysSection } from "./api-keys-section.ts";
import { gatewaySections } from "./gateway-sections.ts";
import { listAll } from "./list-all.ts";
import { isExpression } from "./references.ts";
import type { Section, SectionSchema } from "./section.types.ts";
import { type Fields, isFields } from "./site.types.ts";

const without = ({ properties, required = [] }: SectionSchema, names: readonly string[]): SectionSchema => ({
  properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name))),
  required: required.filter((name) => !names.includes(name)),
});

/** Recipients who were deleted. A rule that has only such ones tells everybody on another gateway: an alarm without a reader is worse. */
function withoutLostRecipients(profile: Fields): Fields {
  if (!Array.isArray(profile.alarmRules)) return profile;
  const alarmRules = profile.alarmRules.map((rule: Fields) => {
    if (!Array.isArray(rule.recipientIds)) return rule;
    const recipientIds = rule.recipientIds.filter((id) => isExpression(id));
    const { recipientIds: named, ...others } = rule;
    return recipientIds.length === 0 && named.length > 0 ? others : { ...rule, recipientIds };
  });
  return { ...profile, alarmRules };
}

/** PATCH has other parts than POST: the status and the default are set by operations of their own. */
async function updateIntegration(
  api: ApiClient,
  { id, changes, current }: { id: string; changes: Fields; current: Fields },
): Promise<void> {
  const { status, isDefault, settings_json: settings, ...rest } = changes;
  const path = `/api/integrations/${id}`;
  const removed = Object.keys((current.settings_json ?? {}) as Fields).map((name) => [name, null]);
  const body = {
    ...rest,
    ...(settings !== undefined && {
      settings_json: { ...Object.fromEntries(removed), ...(settings as Fields) },
    }),
  };
  if (Object.keys(body).length > 0) await api.patch(path, body);
  if (status !== undefined) await api.post(`${path}/${status === "active" ? "start" : "pause"}`, {});
  if (isDefault === true) await api.post(`${path}/set-default`, {});
}

/** A default of a type is set by way of one of its devices. */
async function updateDeviceType(
  api: ApiClient,
  { id, changes, current }: { id: string; changes: Fields; current: Fields },
): Promise<void> {
  const [device] = await api.get<{ deviceId: string }[]>(
    `/api/devices?limit=1&deviceType=${encodeURIComponent(id)}`,
  );
  if (device === undefined) return; // it is a problem in the plan
  const { targetDashboardId = null, targetStateId = null } = { ...current, ...changes };
  await api.patch(`/api/devices/${device.deviceId}`, {
    targetDashboardId,
    targetStateId,
    applyToAllOfType: true,
  });
}

/** The API does not return the secret of a messenger, and keeps it if it is left out. Fields that the service does not have are empty. */
const messengerFields = ({ hasSecret, ...messenger }: Fields): Fields => ({
  ...Object.fromEntries(Object.entries(messenger).filter(([, value]) => value !== "")),
  ...(hasSecret === true && { secret: { kept: true } }),
});

const updateMessenger: Section["update"] = (api, { id, changes: { secret, ...changes } }) =>
  api.patch(`/api/notifications/messengers/${id}`, {
    ...changes,
    ...(secret !== undefined && !isFields(secret) && { secret }),
  });

const MODBUS_CONNECTIONS = "/api/modbus/connections";

/** A device has one unit at most, which identifies it. Its path names its connection. */
const modbusUnits: Section = {
  name: "modbusUnits",
  key: "deviceId",
  id: "path",
  path: MODBUS_CONNECTIONS,
  schema: {
    properties: { connectionId: Type.String(), ...createUnitBody.properties },
    required: ["connectionId", "deviceId"],
  },
  createOnly: ["connectionId"],
  prunes: true,
  async list(api) {
    const all: Fields[] = [];
    for (const { connectionId } of await listAll(api, MODBUS_CONNECTIONS)) {
      const units = await listAll(api, `${MODBUS_CONNECTIONS}/${connectionId}/units`);
      all.push(...units.map((unit) => ({ ...unit, path: `${connectionId}/units/${unit.modbusUnitId}` })));
    }
    return all;
  },
  creation: ({ connectionId, ...body }) => ({ path: `${MODBUS_CONNECTIONS}/${connectionId}/units`, body }),
};

/** In the order in which objects are created: what others refer to comes first. */
export const sections: readonly Section[] = [
  {
    name: "messengers",
    key: "name",
    kind: "messenger",
    id: "messengerId",
    path: "/api/notifications/messengers",
    schema: createMessengerBody,
    prunes: true,
    toFields: messengerFields,
    update: updateMessenger,
  },
  {
    name: "profiles",
    key: "name",
    kind: "profile",
    id: "profileId",
    path: "/api/device-profiles",
    schema: createProfileBody,
    exclusive: ["isDefault"],
    // The list leaves out the metadata of keys.
    detailPath: (id) => `/api/device-profiles/${id}`,
    withoutLost: withoutLostRecipients,
    prunes: true,
  },
  {
    name: "codecs",
    key: "name",
    kind: "codec",
    id: "codecId",
    path: "/api/integrations/codecs",
    schema: createCodecBody,
    detailPath: (id) => `/api/integrations/codecs/${id}`,
    prunes: true,
  },
  {
    name: "devices",
    key: "name",
    kind: "device",
    id: "deviceId",
    path: "/api/devices",
    schema: without(createDeviceBody, ["token", "type", "applyToAllOfType"]),
    createOnly: ["commandTransport"],
    detailPath: (id) => `/api/devices/${id}`,
    prunes: false,
    toFields: (device) => device.deviceType !== GATEWAY_DEVICE_TYPE && device,
  },
  {
    name: "dashboards",
    key: "name",
    kind: "dashboard",
    id: "id",
    path: "/api/dashboards",
    schema: createDashboardBody,
    prunes: true,
  },
  {
    name: "deviceTypes",
    key: "deviceType",
    id: "deviceType",
    path: "/api/devices/types",
    schema: typeDefaultsBody,
    detailPath: (type) => `/api/devices/type-defaults/${encodeURIComponent(type)}`,
    prunes: false,
    update: updateDeviceType,
    toFields: (type) => type.targetDashboardId !== undefined && type,
  },
  {
    name: "pipelines",
    key: "name",
    kind: "pipeline",
    id: "pipelineId",
    path: "/api/data-pipelines",
    schema: createPipelineBody,
    prunes: true,
  },
  {
    name: "generators",
    key: "name",
    kind: "generator",
    id: "id",
    path: "/api/rule-chains",
    schema: createGeneratorBody,
    defaulted: ["config"],
    prunes: true,
  },
  {
    name: "integrations",
    key: "name",
    kind: "integration",
    id: "integrationId",
    path: "/api/integrations",
    schema: createIntegrationBody,
    exclusive: ["isDefault"],
    prunes: true,
    // An integration with an error is one that should run.
    toFields: (integration) => ({
      ...integration,
      status: integration.status === "error" ? "active" : integration.status,
    }),
    update: updateIntegration,
  },
  {
    name: "modbusConnections",
    key: "name",
    kind: "modbusConnection",
    id: "connectionId",
    path: MODBUS_CONNECTIONS,
    schema: createConnectionBody,
    prunes: true,
  },
  modbusUnits,
  {
    name: "jobs",
    key: "name",
    kind: "job",
    id: "jobId",
    path: "/api/scheduler",
    schema: createJobBody,
    defaulted: ["schedule"],
    prunes: true,
    // A job without a further run cannot be created again.
    toFields: (job) => job.status !== "completed" && job,
  },
  {
    name: "uplinks",
    key: "name",
    id: "uplinkId",
    path: "/api/uplinks",
    // The site is the gateway's own. What was stored before the uplink is nothing that a file decides.
    schema: without(createUplinkBody, ["start", "site"]),
    defaulted: ["target"],
    prunes: true,
  },
  {
    name: "users",
    key: "email",
    kind: "user",
    id: "userId",
    path: "/api/users",
    schema: without(createUserBody, ["inviteDelivery"]),
    unordered: ["deviceIds", "assetIds"],
    prunes: true,
  },
  apiKeysSection,
  {
    name: "keyDefaults",
    id: "",
    path: "/api/key-metadata/defaults",
    schema: keyDefaultsBody,
    prunes: false,
    update: (api, { current, changes }) => api.put("/api/key-metadata/defaults", { ...current, ...changes }),
  },
  {
    name: "escalation",
    id: "",
    path: "/api/alarms/escalation-settings",
    schema: escalationBody,
    prunes: false,
    // The API takes these settings as a whole.
    update: (api, { current, changes }) =>
      api.patch("/api/alarms/escalation-settings", { ...current, ...changes }),
  },
  {
    name: "notifications",
    id: "",
    path: "/api/notifications/settings",
    schema: changeSettingsBody,
    defaulted: ["messaging"],
    prunes: false,
  },
  ...gatewaySections,
];
