/** Interfaces at which a credential was refused. */
export const REFUSAL_EDGES = [
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
export type RefusalEdge = (typeof REFUSAL_EDGES)[number];

/** Sources of faults. */
export const FAULT_SOURCES = [
  ...REFUSAL_EDGES,
  "integration",
  "import",
  "generator",
  "test",
  "held",
  "delivery",
  "uplink",
  "modbus",
  "s7",
  "bacnet",
  "opcua",
  "alarm",
  "scheduler",
  "mail",
] as const;
export type FaultSource = (typeof FAULT_SOURCES)[number];

export const FAULT_SUBJECTS = [
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
  "s7_connection",
  "bacnet_connection",
  "opcua_connection",
  "job",
  "outbox",
] as const;
export type FaultSubjectKind = (typeof FAULT_SUBJECTS)[number];
