/** Descriptions of the parameters in paths, by name. */
import { attributeScopes } from "../../modules/attributes/attributes.types.ts";
import type { Parameter } from "./openapi.types.ts";

const identified = {
  deviceId: "a device",
  integrationId: "an integration",
  jobId: "a job of the scheduler",
  pipelineId: "a data pipeline",
  dashboardId: "a dashboard",
  profileId: "a device profile",
  userId: "a user",
  alarmId: "an alarm",
  messengerId: "a messenger",
  generatorId: "a generator",
  uplinkId: "an uplink",
  mqttClientId: "an MQTT client",
  connectionId: "a Modbus connection",
  modbusUnitId: "a unit of a Modbus connection",
  deliveryId: "a delivery of a webhook",
  codecId: "a codec",
  entryId: "a device of the codec index",
  apiKeyId: "an API key",
  mailId: "a mail of the outbox",
  runId: "a run of a job",
  eventId: "an event of an integration",
  sessionId: "a session of a user",
  auditId: "an entry of the audit log",
  commandId: "a command",
  shareId: "a link to a dashboard",
  snapshotId: "a backup",
};

export const pathParameters: Readonly<Record<string, Partial<Pick<Parameter, "description" | "schema">>>> = {
  ...Object.fromEntries(
    Object.entries(identified).map(([name, subject]) => [name, { description: `id of ${subject}` }]),
  ),
  deviceToken: { description: "access token of the device" },
  rpcId: {
    description: "id of the command, as the device got it",
    schema: { type: "string", pattern: "^\\d{1,15}$" },
  },
  key: { description: "name of the attribute" },
  scope: { description: "scope of the attribute", schema: { type: "string", enum: attributeScopes } },
  deviceType: { description: "type of devices" },
};
