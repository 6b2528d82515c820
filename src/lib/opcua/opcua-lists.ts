/** Protection of messages to an OPC UA server. */
export const OPCUA_SECURITY_MODES = ["NONE", "SIGN", "SIGN_AND_ENCRYPT"] as const;
export type OpcUaSecurityMode = (typeof OPCUA_SECURITY_MODES)[number];

/** Supported security policies (OPC 10000-7). Older policies are considered insecure. */
export const OPCUA_POLICIES = [
  "NONE",
  "BASIC256SHA256",
  "AES128_SHA256_RSAOAEP",
  "AES256_SHA256_RSAPSS",
] as const;
export type OpcUaPolicy = (typeof OPCUA_POLICIES)[number];

/** Ways to get values: the server reports changes, or is polled. */
export const OPCUA_READINGS = ["SUBSCRIPTION", "POLLING"] as const;

/** Ways to sign in. `CERTIFICATE` uses the gateway's own certificate. */
export const OPCUA_USERS = ["ANONYMOUS", "USER_NAME", "CERTIFICATE"] as const;
