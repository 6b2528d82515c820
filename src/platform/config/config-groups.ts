import { type ConfigKey, configKeys } from "./config-keys.ts";

interface ConfigGroup {
  readonly title: string;
  readonly keys: readonly ConfigKey[];
}

/** Titles with the settings of each group. A setting belongs to the first matching group. */
const GROUPS: ReadonlyArray<readonly [title: string, pattern: RegExp]> = [
  ["What most people set", /^(?:data|http_port|mqtt_port|tls|public_url|smtp_url|backup_to|retention_days)$/],
  ["Addresses and TLS", /^(?:tls_|https_|mqtt_tls_|trusted_proxies$)|^(?:http|mqtt)_host$/],
  ["First owner and sign-in", /^(?:owner_|tenant_name$|signup|oidc_|session_)/],
  ["Mail and backups", /^(?:smtp_|backup_)/],
  ["Storage", /^(?:commit_|disk_|attribute_|audit_)/],
  ["Plans and quotas", /^(?:plans$|device_|tenant_)/],
  ["MQTT limits", /^mqtt_/],
  ["HTTP limits", /^http_/],
  ["Outgoing connections", /^outbound_/],
  ["Log, metrics and API documentation", /^(?:log_|metrics|api_docs$|security_)/],
  ["Parts that can be turned off", /_enabled$/],
];

/** All settings by subject, for the help and docs/configuration.md. */
export const configGroups: readonly ConfigGroup[] = GROUPS.map(([title, pattern], index) => {
  const earlier = GROUPS.slice(0, index);
  const isHere = (key: string) => pattern.test(key) && !earlier.some(([, other]) => other.test(key));
  return { title, keys: (Object.keys(configKeys) as ConfigKey[]).filter(isHere) }; // the table's own keys
});
