/** How messages to an OPC UA server are protected. */
export const OPCUA_SECURITY_MODES = ["NONE", "SIGN", "SIGN_AND_ENCRYPT"] as const;
export type OpcUaSecurityMode = (typeof OPCUA_SECURITY_MODES)[number];

/** Security policies (OPC 10000-7) that are supported. Older ones count as broken. */
export const OPCUA_POLICIES = [
  "NONE",
  "BASIC256SHA256",
  "AES128_SHA256_RSAOAEP",
  "AES256_SHA256_RSAPSS",
] as const;
export type OpcUaPolicy = (typeof OPCUA_POLICIES)[number];

/** How values come: the server reports changes, or is asked for them. */
export const OPCUA_READINGS = ["SUBSCRIPTION", "POLLING"] as const;

/** How the gateway signs in. `CERTIFICATE`: with its own certificate. */
export const OPCUA_USERS = ["ANONYMOUS", "USER_NAME", "CERTIFICATE"] as const;
