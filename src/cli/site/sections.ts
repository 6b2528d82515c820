import { Type } from "@sinclair/typebox";
import { GATEWAY_DEVICE_TYPE } from "../../lib/gateway-device.ts";
import { escalationBody } from "../../modules/alarms/alarms.schemas.ts";
import { codecResource } from "../../modules/codecs/codecs.resource.ts";
import { dashboardResource } from "../../modules/dashboards/dashboards.resource.ts";
import { createDeviceBody, typeDefaultsBody } from "../../modules/devices/devices.schemas.ts";
import { generatorResource } from "../../modules/generators/generators.resource.ts";
import { createIntegrationBody } from "../../modules/integrations/integrations.schemas.ts";
import { modbusConnectionResource } from "../../modules/modbus/modbus.resource.ts";
import { createUnitBody } from "../../modules/modbus/modbus.schemas.ts";
import { messengerResource } from "../../modules/notifications/messengers.resource.ts";
import { changeSettingsBody } from "../../modules/notifications/notifications.schemas.ts";
import { pipelineResource } from "../../modules/pipelines/pipelines.resource.ts";
import { keyDefaultsBody } from "../../modules/profiles/key-metadata.schemas.ts";
import { profileResource } from "../../modules/profiles/profiles.resource.ts";
import { jobResource } from "../../modules/scheduler/scheduler.resource.ts";
import { createUplinkBody } from "../../modules/uplinks/uplinks.schemas.ts";
import { createUserBody } from "../../modules/users/users.schemas.ts";
import type { ApiClient } from "../api-client.ts";
import { apiKeysSection } from "./api-keys-section.ts";
import { gatewaySections } from "./gateway-sections.ts";
import { listAll } from "./list-all.ts";
import { isExpression } from "./references.ts";
import type { Section, SectionSchema } from "./section.types.ts";
import { type Fields, isFields } from "./site.types.ts";

/** Objects of a resource, which have unique names. */
const objectsOf = ({
  key,
  path,
  schemas,
}: {
  readonly key: string;
  readonly path: string;
  readonly schemas: { readonly create: SectionSchema };
}) => ({ key: "name", id: key, path, schema: schemas.create });

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
    kind: "messenger",
    ...objectsOf(messengerResource),
    prunes: true,
    toFields: messengerFields,
    update: updateMessenger,
  },
  {
    name: "profiles",
    kind: "profile",
    ...objectsOf(profileResource),
    exclusive: ["isDefault"],
    // The list leaves out the metadata of keys.
    detailPath: (id) => `/api/device-profiles/${id}`,
    withoutLost: withoutLostRecipients,
    prunes: true,
  },
  {
    name: "codecs",
    kind: "codec",
    ...objectsOf(codecResource),
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
    kind: "dashboard",
    ...objectsOf(dashboardResource),
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
    kind: "pipeline",
    ...objectsOf(pipelineResource),
    prunes: true,
  },
  {
    name: "generators",
    kind: "generator",
    ...objectsOf(generatorResource),
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
    kind: "modbusConnection",
    ...objectsOf(modbusConnectionResource),
    prunes: true,
  },
  modbusUnits,
  {
    name: "jobs",
    kind: "job",
    ...objectsOf(jobResource),
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
