// Simultaneous deletions of one object: one of them deletes it, and the others do not find it.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import type { Ids } from "./route-policies.ts";
import { createTenantObjects } from "./tenant-objects.ts";

const PARALLEL = 5;

let fixture: TestApp;
let owner: string;
let ids: Ids;

beforeAll(async () => {
  fixture = await createTestApp({ config: { outbound_allow: "127.0.0.1" } });
  const signedIn = await fixture.signIn("TENANT_OWNER");
  owner = signedIn.token;
  const objects = await createTenantObjects(fixture, signedIn);
  const { user } = await fixture.signIn("TENANT_RW");
  const profile = await fixture.call("POST", "/api/device-profiles", { token: owner, body: { name: "own" } });
  ids = { ...objects, userId: user.userId, profileId: profile.body.profileId };
});
afterAll(() => fixture.stop());

/** Deletes an object several times at once. Returns the statuses, sorted. */
async function statusesOf(path: string): Promise<number[]> {
  const responses = await Promise.all(
    Array.from({ length: PARALLEL }, () => fixture.call("DELETE", path, { token: owner })),
  );
  return responses.map(({ status }) => status).sort();
}
const once = [200, 404, 404, 404, 404];

describe("of five simultaneous deletions, one succeeds", () => {
  const paths: Record<string, () => string> = {
    "a Modbus unit": () => `/api/modbus/connections/${ids.connectionId}/units/${ids.modbusUnitId}`,
    "an S7 unit": () => `/api/s7/connections/${ids.s7ConnectionId}/units/${ids.s7UnitId}`,
    "an S7 connection": () => `/api/s7/connections/${ids.s7ConnectionId}`,
    "a BACnet unit": () => `/api/bacnet/connections/${ids.bacnetConnectionId}/units/${ids.bacnetUnitId}`,
    "a BACnet connection": () => `/api/bacnet/connections/${ids.bacnetConnectionId}`,
    "an OPC UA unit": () => `/api/opcua/connections/${ids.opcuaConnectionId}/units/${ids.opcuaUnitId}`,
    "an OPC UA connection": () => `/api/opcua/connections/${ids.opcuaConnectionId}`,
    "a Modbus connection": () => `/api/modbus/connections/${ids.connectionId}`,
    "an API key": () => `/api/api-keys/${ids.apiKeyId}`,
    "a job": () => `/api/scheduler/${ids.jobId}`,
    "a generator": () => `/api/rule-chains/${ids.generatorId}`,
    "an uplink": () => `/api/uplinks/${ids.uplinkId}`,
    "an MQTT client": () => `/api/mqtt/clients/${ids.mqttClientId}`,
    "a share": () => `/api/dashboards/${ids.dashboardId}/shares/${ids.shareId}`,
    "a dashboard": () => `/api/dashboards/${ids.dashboardId}`,
    "a pipeline": () => `/api/data-pipelines/${ids.pipelineId}`,
    "an integration": () => `/api/integrations/${ids.integrationId}`,
    "a codec": () => `/api/integrations/codecs/${ids.codecId}`,
    "a messenger": () => `/api/notifications/messengers/${ids.messengerId}`,
    "a note": () => `/api/notes/${ids.noteId}`,
    "a profile": () => `/api/device-profiles/${ids.profileId}`,
    "a user": () => `/api/users/${ids.userId}`,
    "a device": () => `/api/devices/${ids.deviceId}`,
  };
  for (const [name, pathOf] of Object.entries(paths))
    test(name, async () => expect(await statusesOf(pathOf())).toEqual(once));
});

test("the end of a device with many rows, whose deletion takes turns, is announced once", async () => {
  const { deviceId } = await fixture.createDevice(owner, { name: "changed often" });
  const database = new Database(join(fixture.directory, "lineside.db"));
  database.run(
    `WITH RECURSIVE rows(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM rows WHERE number < 20000)
     INSERT INTO attribute_changes (tenant_id, device_id, scope, key, value, at, source)
     SELECT (SELECT tenant_id FROM devices WHERE device_id = ?1), ?1, 'SERVER', 'key', '1', 1, 'USER' FROM rows`,
    [deviceId],
  );
  const uplink = await fixture.call("POST", "/api/uplinks", {
    token: owner,
    body: {
      name: "records",
      enabled: true,
      target: { type: "HTTP", url: "http://127.0.0.1:1/" },
    },
  });
  expect(uplink.status).toBe(201);
  expect(await statusesOf(`/api/devices/${deviceId}`)).toEqual(once);
  const recorded = database
    .query("SELECT change FROM uplink_device_changes WHERE device_id = ? AND change = 'deleted'")
    .all(deviceId);
  database.close();
  expect(recorded).toHaveLength(1);
});
