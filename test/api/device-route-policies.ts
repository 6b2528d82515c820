import type { Policy } from "./route-policies.ts";

/** Routes that devices call with their own credentials. */
export const devicePolicies: Record<string, Policy> = {
  "GET /api/v1/:deviceToken/rpc": { kind: "device" },
  "POST /api/v1/:deviceToken/rpc": { kind: "device" },
  "POST /api/v1/:deviceToken/rpc/:rpcId": { kind: "device" },
  "POST /api/v1/:deviceToken/telemetry": { kind: "device" },
  "POST /api/v1/:deviceToken/telemetry/batch": { kind: "device" },
  "GET /api/v1/:deviceToken/attributes": { kind: "device" },
  "POST /api/v1/:deviceToken/attributes": { kind: "device" },
  "GET /api/v1/:deviceToken/attributes/flat": { kind: "device" },
  "GET /api/v1/:deviceToken/attributes/updates": { kind: "device" },
  "GET /api/v1/:deviceToken/ws": { kind: "device" },
  // They answer wrong tokens as InfluxDB does; test/api/line-protocol.test.ts has their rows.
  "POST /write": { kind: "public" },
  "POST /api/v2/write": { kind: "public" },
  "GET /ping": { kind: "public" },
};
