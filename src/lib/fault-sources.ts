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

/** Where something went wrong. */
export const faultSources = [
  ...refusalEdges,
  "integration",
  "import",
  "generator",
  "test",
  "held",
  "delivery",
  "uplink",
  "modbus",
  "scheduler",
  "mail",
] as const;
export type FaultSource = (typeof faultSources)[number];

/** Kinds of things that faults are about. */
export const faultSubjects = [
  "device",
  "user",
  "api_key",
  "mqtt_client",
  "integration",
  "pipeline",
  "alarm",
  "notification",
  "uplink",
  "modbus_connection",
  "job",
  "outbox",
] as const;
export type FaultSubjectKind = (typeof faultSubjects)[number];
