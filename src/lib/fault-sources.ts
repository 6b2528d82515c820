/** Where a credential was refused. */
export const refusalEdges = [
  "mqtt",
  "device_api",
  "device_websocket",
  "api",
  "sign_in",
  "link",
  "realtime",
  "webhook",
  "provisioning",
  "metrics",
] as const;
export type RefusalEdge = (typeof refusalEdges)[number];
