import type { Policy } from "./route-policies.ts";

/** Who may use the routes about alarms and maintenance. */
export const alarmPolicies: Record<string, Policy> = {
  "GET /api/alarms": { kind: "own" },
  "GET /api/alarms/open": { kind: "own" },
  "GET /api/alarms/escalation-settings": { kind: "own" },
  "PATCH /api/alarms/escalation-settings": {
    kind: "own",
    body: { level1To2Minutes: 1, level2To3Minutes: 1, stopOnAck: true, stopOnClear: true },
  },
  "PATCH /api/alarms/ack/bulk": { kind: "tenant", body: ({ alarmId }) => ({ alarmIds: [alarmId] }) },
  "PATCH /api/alarms/clear/bulk": { kind: "tenant", body: ({ alarmId }) => ({ alarmIds: [alarmId] }) },
  "POST /api/alarms/comments/bulk": {
    kind: "tenant",
    body: ({ alarmId }) => ({ alarmIds: [alarmId], message: "x" }),
  },
  "GET /api/alarms/statistics": { kind: "own" },
  "GET /api/alarm-rules": { kind: "own" },
  "GET /api/alarms/device/:deviceId": { kind: "tenant" },
  "GET /api/alarms/:alarmId": { kind: "tenant" },
  "GET /api/alarms/:alarmId/events": { kind: "tenant" },
  "PATCH /api/alarms/:alarmId/ack": { kind: "tenant" },
  "PATCH /api/alarms/:alarmId/clear": { kind: "tenant" },
  "POST /api/alarms/:alarmId/comments": { kind: "tenant", body: () => ({ message: "taken over" }) },
  "GET /api/devices/:deviceId/alarm-rules": { kind: "tenant" },
  "POST /api/alarms/back-test": {
    kind: "tenant",
    body: ({ deviceId }) => ({
      deviceIds: [deviceId],
      rule: {
        alarmType: "Hot",
        createRules: [{ severity: "MAJOR", condition: { key: "t", op: "GT", value: 1 } }],
      },
    }),
  },
  "POST /api/device-profiles/:profileId/watched-devices": { kind: "tenant", body: () => ({}) },
  "GET /api/devices/:deviceId/maintenance": { kind: "tenant" },
  "POST /api/devices/:deviceId/maintenance": {
    kind: "tenant",
    body: () => ({ until: new Date(Date.now() + 60_000).toISOString() }),
  },
  "DELETE /api/devices/:deviceId/maintenance": { kind: "tenant" },
};
