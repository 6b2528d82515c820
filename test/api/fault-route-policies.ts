import type { Policy } from "./route-policies.ts";

/** Who may use the routes about faults: refused credentials, rejected messages and what else went wrong. */
export const faultPolicies: Record<string, Policy> = {
  "GET /api/faults": { kind: "own" },
  "GET /api/faults/counts": { kind: "own" },
  "DELETE /api/faults": { kind: "own" },
  "GET /api/refusals": { kind: "own" },
  "GET /api/devices/:deviceId/refusals": { kind: "tenant" },
  "GET /api/devices/:deviceId/rejections": { kind: "tenant" },
  "GET /api/gateway/faults": { kind: "operator" },
  "GET /api/gateway/faults/counts": { kind: "operator" },
  "DELETE /api/gateway/faults": { kind: "operator" },
  "GET /api/gateway/refusals": { kind: "operator" },
};
