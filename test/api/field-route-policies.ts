import type { Policy } from "./route-policies.ts";

/** Routes of MQTT clients, Modbus and S7, and of people who claim devices. */
export const fieldPolicies: Record<string, Policy> = {
  // It names a device by its name and secret key; test/api/claiming.test.ts has its rows.
  "POST /api/devices/claim": { kind: "self" },
  "GET /api/devices/:deviceId/claiming": { kind: "tenant" },
  "PUT /api/devices/:deviceId/claiming": { kind: "tenant", body: () => ({ secretKey: "another one" }) },
  "DELETE /api/devices/:deviceId/claiming": { kind: "tenant" },
  "GET /api/mqtt/clients": { kind: "own" },
  "POST /api/mqtt/clients": { kind: "own", body: { name: "x", signIn: "PASSWORD", username: "x" } },
  "GET /api/mqtt/clients/:mqttClientId": { kind: "tenant" },
  "PATCH /api/mqtt/clients/:mqttClientId": { kind: "tenant", body: () => ({ name: "taken over" }) },
  "DELETE /api/mqtt/clients/:mqttClientId": { kind: "tenant" },
  "GET /api/mqtt/topics": { kind: "own" },
  "POST /api/mqtt/publish": { kind: "own", body: { topic: "of/one", payload: "1" } },
  "GET /api/modbus/connections": { kind: "own" },
  "POST /api/modbus/connections": { kind: "own", body: { name: "x", host: "192.0.2.1", enabled: false } },
  "GET /api/modbus/connections/:connectionId": { kind: "tenant" },
  "PATCH /api/modbus/connections/:connectionId": { kind: "tenant", body: () => ({ name: "taken over" }) },
  "DELETE /api/modbus/connections/:connectionId": { kind: "tenant" },
  "POST /api/modbus/connections/:connectionId/read": {
    kind: "tenant",
    body: () => ({ unitId: 1, area: "COIL", address: 0, count: 1 }),
  },
  "GET /api/modbus/connections/:connectionId/units": { kind: "tenant" },
  "POST /api/modbus/connections/:connectionId/units": {
    kind: "tenant",
    body: ({ deviceId }) => ({ deviceId }),
  },
  "PATCH /api/modbus/connections/:connectionId/units/:modbusUnitId": {
    kind: "tenant",
    body: () => ({ unitId: 7 }),
  },
  "DELETE /api/modbus/connections/:connectionId/units/:modbusUnitId": { kind: "tenant" },
  "GET /api/s7/connections": { kind: "own" },
  "POST /api/s7/connections": { kind: "own", body: { name: "x", host: "192.0.2.1", enabled: false } },
  "GET /api/s7/connections/:s7ConnectionId": { kind: "tenant" },
  "PATCH /api/s7/connections/:s7ConnectionId": { kind: "tenant", body: () => ({ name: "taken over" }) },
  "DELETE /api/s7/connections/:s7ConnectionId": { kind: "tenant" },
  "POST /api/s7/connections/:s7ConnectionId/read": { kind: "tenant", body: () => ({ address: "MB0" }) },
  "GET /api/s7/connections/:s7ConnectionId/units": { kind: "tenant" },
  "POST /api/s7/connections/:s7ConnectionId/units": {
    kind: "tenant",
    body: ({ deviceId }) => ({ deviceId }),
  },
  "PATCH /api/s7/connections/:s7ConnectionId/units/:s7UnitId": {
    kind: "tenant",
    body: () => ({ intervalMs: 700 }),
  },
  "DELETE /api/s7/connections/:s7ConnectionId/units/:s7UnitId": { kind: "tenant" },
  "GET /api/s7/templates": { kind: "own" },
  "POST /api/s7/tag-maps": { kind: "own", body: { csv: "key,address" } },
  "GET /api/modbus/templates": { kind: "own" },
  "POST /api/modbus/register-maps": { kind: "own", body: { csv: "key,address,type" } },
};
