import type { Policy } from "./route-policies.ts";

/** Routes that devices call with their own credentials. */
export const devicePolicies: Record<string, Policy> = {
  "GET /api/v1/:deviceToken/rpc": { kind: "device", wrongToken: 401 },
  "POST /api/v1/:deviceToken/rpc": { kind: "device", wrongToken: 401 },
  "POST /api/v1/:deviceToken/rpc/:rpcId": { kind: "device", wrongToken: 401 },
  "POST /api/v1/:deviceToken/telemetry": { kind: "device", wrongToken: 400 },
  "POST /api/v1/:deviceToken/telemetry/batch": { kind: "device", wrongToken: 400 },
  "GET /api/v1/:deviceToken/attributes": { kind: "device", wrongToken: 400 },
  "POST /api/v1/:deviceToken/attributes": { kind: "device", wrongToken: 400 },
  "GET /api/v1/:deviceToken/attributes/flat": { kind: "device", wrongToken: 400 },
  "GET /api/v1/:deviceToken/attributes/updates": { kind: "device", wrongToken: 401 },
  "POST /api/v1/:deviceToken/claim": { kind: "device", wrongToken: 401 },
  "GET /api/v1/:deviceToken/ws": { kind: "device", wrongToken: 401 },
  // They answer wrong tokens as InfluxDB does; test/api/line-protocol.test.ts has their rows.
  "POST /write": { kind: "public" },
  "POST /api/v2/write": { kind: "public" },
  "GET /query": { kind: "public" },
  "POST /query": { kind: "public" },
  "GET /ping": { kind: "public" },
  "GET /health": { kind: "public" },
};
