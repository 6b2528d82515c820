import { Type } from "@sinclair/typebox";
import { omit } from "../../lib/core/omit.ts";
import { GATEWAY_DEVICE_TYPE } from "../../lib/devices/gateway-device.ts";
import { escalationBody } from "../../modules/alarms/alarms.schemas.ts";
import { createApiKeyBody } from "../../modules/api-keys/api-keys.schemas.ts";
import { settingsInput } from "../../modules/backups/backups.schemas.ts";
import { bacnetConnectionResource } from "../../modules/bacnet/bacnet.resource.ts";
import { createUnitBody as createBacnetUnitBody } from "../../modules/bacnet/bacnet.schemas.ts";
import { codecResource } from "../../modules/codecs/codecs.resource.ts";
import { dashboardResource } from "../../modules/dashboards/dashboards.resource.ts";
import { createDeviceBody, typeDefaultsBody } from "../../modules/devices/devices.schemas.ts";
import { generatorResource } from "../../modules/generators/generators.resource.ts";
import { createIntegrationBody } from "../../modules/integrations/integrations.schemas.ts";
import { mailSettingsInput } from "../../modules/mail/mail-settings.schemas.ts";
import { modbusConnectionResource } from "../../modules/modbus/modbus.resource.ts";
import { createUnitBody as createModbusUnitBody } from "../../modules/modbus/modbus.schemas.ts";
import { messengerResource } from "../../modules/notifications/messengers.resource.ts";
import { changeSettingsBody } from "../../modules/notifications/notifications.schemas.ts";
import { opcuaConnectionResource } from "../../modules/opcua/opcua.resource.ts";
import { createUnitBody as createOpcUaUnitBody } from "../../modules/opcua/opcua.schemas.ts";
import { pipelineResource } from "../../modules/pipelines/pipelines.resource.ts";
import { keyDefaultsBody } from "../../modules/profiles/key-metadata.schemas.ts";
import { profileResource } from "../../modules/profiles/profiles.resource.ts";
import { s7ConnectionResource } from "../../modules/s7/s7.resource.ts";
import { createUnitBody as createS7UnitBody } from "../../modules/s7/s7.schemas.ts";
import { jobResource } from "../../modules/scheduler/scheduler.resource.ts";
import { brandingBody } from "../../modules/tenants/tenants.schemas.ts";
import { createUplinkBody } from "../../modules/uplinks/uplinks.schemas.ts";
import { createUserBody } from "../../modules/users/users.schemas.ts";
import { type ApiClient, ApiError } from "../api-client.ts";
import { listAll } from "./list-all.ts";
import { isExpression } from "./references.ts";
import type { Section, SectionSchema } from "./section.types.ts";
import { type Fields, isFields } from "./site.types.ts";

const [BRANDING, MAIL, BACKUP] = ["/api/tenant/branding", "/api/gateway/mail", "/api/gateway/backup"];
const FORBIDDEN = 403;

/** Placeholder of a secret that the gateway keeps but does not show. */
const KEPT = { kept: true };

/** Restricts a list to the gateway's own site: other sites have no gateway settings. */
const forOperators =
  (path: string) =>
  async (api: ApiClient): Promise<Fields[]> => {
    try {
      return [await api.get<Fields>(path)];
    } catch (error) {
      if (error instanceof ApiError && error.status === FORBIDDEN) return [];
      throw error;
    }
  };

/** Returns the fields without placeholders of secrets: the API keeps omitted fields. */
function withoutMarks(fields: Fields): Fields {
  const entries = Object.entries(fields).filter(
    ([, value]) => !(isFields(value) && Object.hasOwn(value, "kept")),
  );
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isFields(value) ? withoutMarks(value) : value]),
  );
}

/** Replaces the API flag of a secret by a field with its placeholder. */
function withMark(object: Fields, { flag, name }: { flag: string; name: string }): Fields {
  const { [flag]: isKept, ...rest } = object;
  return isKept === true ? { ...rest, [name]: KEPT } : rest;
}

/** Fields that the configuration sets, so site files cannot change them. */
const FIXED: Readonly<Record<string, string>> = {
  smtp_url: "server",
  smtp_from: "from",
  backup_to: "place",
  backup_schedule: "schedule",
  backup_passphrase: "passphrase",
};

const withoutFixed = (fields: Fields, fixed: unknown): Fields => {
  const names = Array.isArray(fixed) ? fixed.map((key) => FIXED[String(key)]) : [];
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
};

function backupFields({ isEncrypted, fixed, ...settings }: Fields): Fields {
  if (settings.place === null) return {};
  const place = isFields(settings.place)
    ? withMark(settings.place, { flag: "hasSecretAccessKey", name: "secretAccessKey" })
    : settings.place;
  return withoutFixed({ ...settings, place, ...(isEncrypted === true && { passphrase: KEPT }) }, fixed);
}

/** Updates the backup settings, which the API accepts only as a whole. */
async function updateBackup(api: ApiClient, { changes }: { changes: Fields }): Promise<void> {
  const current = await api.get<Fields>(BACKUP);
  const kept = Object.keys(settingsInput.properties)
    .filter((name) => current[name] !== undefined)
    .map((name) => [name, current[name]]);
  const place = omit(
    isFields(current.place) ? current.place : { hasSecretAccessKey: false },
    "hasSecretAccessKey",
  );
  await api.put(BACKUP, {
    ...Object.fromEntries(kept),
    ...(current.place !== null && { place }),
    ...withoutMarks(changes),
  });
}

/** Branding, mail server and backups. */
const gatewaySections: readonly Section[] = [
  {
    name: "branding",
    id: "",
    path: BRANDING,
    schema: brandingBody,
    prunes: false,
    list: async (api) => [(await api.get<{ branding: Fields }>(BRANDING)).branding],
    update: (api, { current, changes }) => api.put(BRANDING, { ...current, ...changes }),
  },
  {
    name: "mail",
    id: "",
    path: MAIL,
    schema: mailSettingsInput,
    prunes: false,
    list: forOperators(MAIL),
    toFields: ({ server, from, fixed }) =>
      withoutFixed(
        {
          server: isFields(server) ? withMark(server, { flag: "hasPassword", name: "password" }) : null,
          from,
        },
        fixed,
      ),
    update: (api, { changes }) => api.put(MAIL, withoutMarks(changes)),
  },
  {
    name: "backup",
    id: "",
    path: BACKUP,
    schema: settingsInput,
    prunes: false,
    list: forOperators(BACKUP),
    toFields: backupFields,
    update: updateBackup,
  },
];

const API_KEYS = "/api/api-keys";

/** Returns the name of a key while its successor is created. */
const replacedName = (name: unknown): string => `${String(name).slice(0, 80)} (being replaced)`;

/** Creates the successor before revoking the key: if the gateway refuses it, programs keep their key. */
async function replaceKey(
  api: ApiClient,
  { id, body, current }: { id: string; body: Fields; current: Fields },
): Promise<Fields> {
  await api.patch(`${API_KEYS}/${id}`, { name: replacedName(current.name) });
  const created = await api.post<Fields>(API_KEYS, body).catch(async (error: unknown) => {
    await api.patch(`${API_KEYS}/${id}`, { name: current.name });
    throw error;
  });
  await api.delete(`${API_KEYS}/${id}`);
  return created;
}

/** API keys without their secrets: the gateway shows a new secret to the user who applies the file. */
const apiKeysSection: Section = {
  name: "apiKeys",
  key: "name",
  id: "apiKeyId",
  path: API_KEYS,
  schema: createApiKeyBody,
  permission: "api-keys:manage",
  unordered: ["deviceIds"],
  times: ["expiresAt"],
  prunes: true,
  toFields: ({ hasGlobalDeviceAccess, deviceIds, ...apiKey }) => ({
    ...apiKey,
    ...(hasGlobalDeviceAccess === false && { deviceIds }),
  }),
  // An unusable key would grant new access elsewhere, and a key without devices would grant access to all of them.
  isExported: ({ status, hasGlobalDeviceAccess, deviceIds }) =>
    status === "ACTIVE" &&
    (hasGlobalDeviceAccess === true || (Array.isArray(deviceIds) && deviceIds.length > 0)),
  replace: replaceKey,
  secretLine: ({ name, key }) => JSON.stringify({ apiKey: name, key }),
};

/** Section of the objects of a resource, which have unique names. */
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

/** Adjusts a rule that has only deleted recipients: on another gateway it notifies everybody, because an alarm without a reader is worse. */
function withoutLostRecipients(rule: Fields): Fields {
  if (!Array.isArray(rule.recipientIds)) return rule;
  const recipientIds = rule.recipientIds.filter((id) => isExpression(id));
  const { recipientIds: named, ...others } = rule;
  return recipientIds.length === 0 && named.length > 0 ? others : { ...rule, recipientIds };
}

/** Disables a rule that only watches deleted devices for another gateway. */
function withoutLostDevices(rule: Fields): Fields {
  const { appliesTo, ...others } = rule;
  if (!isFields(appliesTo) || !Array.isArray(appliesTo.deviceIds)) return rule;
  const { deviceIds, ...lists } = appliesTo;
  const kept = appliesTo.deviceIds.filter((id) => isExpression(id));
  const scope = { ...lists, ...(kept.length > 0 && { deviceIds: kept }) };
  const isLeft = Object.values(scope).some((list) => Array.isArray(list) && list.length > 0);
  return isLeft ? { ...others, appliesTo: scope } : { ...others, enabled: false };
}

/** Removes deleted recipients and devices from alarm rules. */
const withoutLost = (profile: Fields): Fields =>
  Array.isArray(profile.alarmRules)
    ? {
        ...profile,
        alarmRules: profile.alarmRules.map((rule: Fields) => withoutLostDevices(withoutLostRecipients(rule))),
      }
    : profile;

/** Updates an integration: the status and the default have operations of their own. */
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

/** Updates the default of a device type through one of its devices. */
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

/** Converts a messenger: the API does not return its secret, and keeps it if it is omitted. Fields that the service lacks are empty. */
const messengerFields = ({ hasSecret, ...messenger }: Fields): Fields => ({
  ...Object.fromEntries(Object.entries(messenger).filter(([, value]) => value !== "")),
  ...(hasSecret === true && { secret: { kept: true } }),
});

const updateMessenger: Section["update"] = (api, { id, changes: { secret, ...changes } }) =>
  api.patch(`/api/notifications/messengers/${id}`, {
    ...changes,
    ...(secret !== undefined && !isFields(secret) && { secret }),
  });

/** Section of the units of a field protocol. A device has at most one unit, which identifies it. Its path contains its connection. */
const unitsOf = (
  name: string,
  { path }: { path: string },
  { id, schema }: { id: string; schema: { properties: object } },
): Section => ({
  name,
  key: "deviceId",
  id: "path",
  path,
  schema: {
    properties: { connectionId: Type.String(), ...schema.properties },
    required: ["connectionId", "deviceId"],
  },
  createOnly: ["connectionId"],
  prunes: true,
  async list(api) {
    const all: Fields[] = [];
    for (const { connectionId } of await listAll(api, path)) {
      const units = await listAll(api, `${path}/${connectionId}/units`);
      all.push(...units.map((unit) => ({ ...unit, path: `${connectionId}/units/${unit[id]}` })));
    }
    return all;
  },
  creation: ({ connectionId, ...body }) => ({ path: `${path}/${connectionId}/units`, body }),
});

/** Sorted by order of creation: referenced objects come first. */
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
    withoutLost,
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
    // An integration with an error is meant to run.
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
  unitsOf("modbusUnits", modbusConnectionResource, { id: "modbusUnitId", schema: createModbusUnitBody }),
  {
    name: "s7Connections",
    kind: "s7Connection",
    ...objectsOf(s7ConnectionResource),
    prunes: true,
  },
  unitsOf("s7Units", s7ConnectionResource, { id: "s7UnitId", schema: createS7UnitBody }),
  {
    name: "bacnetConnections",
    kind: "bacnetConnection",
    ...objectsOf(bacnetConnectionResource),
    prunes: true,
  },
  unitsOf("bacnetUnits", bacnetConnectionResource, { id: "bacnetUnitId", schema: createBacnetUnitBody }),
  {
    name: "opcuaConnections",
    kind: "opcuaConnection",
    ...objectsOf(opcuaConnectionResource),
    prunes: true,
    toFields: (connection) => withMark(connection, { flag: "hasPassword", name: "password" }),
    update: (api, { id, changes }) =>
      api.patch(`${opcuaConnectionResource.path}/${id}`, withoutMarks(changes)),
  },
  unitsOf("opcuaUnits", opcuaConnectionResource, { id: "opcuaUnitId", schema: createOpcUaUnitBody }),
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
    // The site is that of the gateway, and a file does not decide whether earlier data is sent.
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
