import { backupConfigKeys } from "./config-backup-keys.ts";
import { httpConfigKeys } from "./config-http-keys.ts";
import { outboundConfigKeys } from "./config-outbound-keys.ts";
import { proxyConfigKeys } from "./config-proxy-keys.ts";
import { quotaConfigKeys } from "./config-quota-keys.ts";
import { securityConfigKeys } from "./config-security-keys.ts";

/**
 * Every configuration key, defined once. Its name in `lineside.toml`, flag (`--http-port`) and environment variable (`LINESIDE_HTTP_PORT`) follow
 * from the entry. docs/configuration.md is generated from this table.
 */
export type KeyKind =
  | { readonly type: "text" }
  | { readonly type: "integer"; readonly min: number; readonly max: number }
  | { readonly type: "port" }
  | { readonly type: "boolean" }
  | { readonly type: "choice"; readonly choices: readonly string[] };

export interface KeyDefinition {
  readonly kind: KeyKind;
  readonly default: string | number | boolean | undefined;
  readonly description: string;
  /** True if the value is a secret, which is never printed or logged. */
  readonly secret?: boolean;
  /** True if an empty environment variable is an error instead of an unset value. */
  readonly refusesEmpty?: boolean;
  /** Name of the environment variable, if it is not `LINESIDE_` and the key in capitals. */
  readonly env?: string;
}

const text = { type: "text" } as const;
const boolean = { type: "boolean" } as const;
const port = { type: "port" } as const;
const count = (min: number, max: number) => ({ type: "integer", min, max }) as const;

export const configKeys = {
  data: {
    kind: text,
    default: "./data",
    refusesEmpty: true,
    description: "Data directory; created on first start.",
  },
  http_host: { kind: text, default: "0.0.0.0", description: "Address that `http_port` listens on." },
  http_port: {
    kind: port,
    default: 8080,
    description:
      "Port of the console, the REST API and MQTT over WebSocket; 0 picks a free one. `off` opens none, so that HTTP is available with TLS only.",
  },
  mqtt_host: { kind: text, default: "0.0.0.0", description: "Address that `mqtt_port` listens on." },
  mqtt_port: {
    kind: port,
    default: 1883,
    description: "Port that devices connect to by MQTT over TCP; 0 picks a free one, `off` opens none.",
  },
  tls: {
    kind: { type: "choice", choices: ["off", "auto", "files"] },
    default: "off",
    description:
      "`auto` and `files` open `https_port` and `mqtt_tls_port` in addition to the plain ports. `auto` uses a certificate of the gateway's own authority, which devices and browsers must trust (`/api/v1/connectivity/ca.pem`). `files` uses `tls_cert` and `tls_key`.",
  },
  tls_cert: {
    kind: text,
    default: undefined,
    description:
      "Certificate chain for `tls = files`, PEM, with the server's certificate first. The gateway reloads it within seconds when it changes.",
  },
  tls_key: {
    kind: text,
    default: undefined,
    description: "Private key of `tls_cert`, PEM, without a passphrase.",
  },
  tls_ca: {
    kind: text,
    default: undefined,
    description: "Authority that signed `tls_cert`, PEM. Devices can download it from this gateway.",
  },
  https_host: {
    kind: text,
    default: undefined,
    description:
      "Address that `https_port` listens on; `http_host` by default. With `http_host = 127.0.0.1` and `https_host = 0.0.0.0`, only this machine can use HTTP without TLS.",
  },
  https_port: {
    kind: port,
    default: 8443,
    description:
      "Port of console, API and MQTT over WebSocket with TLS; 0 picks a free one, `off` opens none.",
  },
  mqtt_tls_host: {
    kind: text,
    default: undefined,
    description: "Address that `mqtt_tls_port` listens on; `mqtt_host` by default.",
  },
  mqtt_tls_port: {
    kind: port,
    default: 8883,
    description: "Port that devices connect to by MQTT with TLS; 0 picks a free one, `off` opens none.",
  },
  ...proxyConfigKeys,
  owner_email: {
    kind: text,
    default: undefined,
    description:
      "Email of the first owner, for a first start without the setup page. Needs `owner_password`.",
  },
  owner_password: {
    kind: text,
    default: undefined,
    secret: true,
    description: "Password of the first owner (10 characters or more).",
  },
  tenant_name: {
    kind: text,
    default: "My site",
    description: "Name of the tenant that is created together with `owner_email`.",
  },
  signup: {
    kind: { type: "choice", choices: ["open", "closed"] },
    default: "closed",
    description:
      "`open` lets strangers sign up and create tenants of their own. `closed` allows invitations only.",
  },
  signup_plans: {
    kind: text,
    default: undefined,
    description:
      "Comma-separated ids of the plans that new users can select at sign-up, e.g. `basic`. Users who select none get the first one. The default is all plans except `onprem`, which has no limits.",
  },
  oidc_issuer: {
    kind: text,
    default: undefined,
    description:
      "Issuer of an external OpenID Connect provider, used in addition to the gateway's own sign-in, e.g. `https://login.example/realms/plant`. Users are matched by their verified email address. Register `<address of this gateway>/idp/callback` there. Needs `oidc_client_id`.",
  },
  oidc_client_id: {
    kind: text,
    default: undefined,
    description: "Id of this gateway at the external provider.",
  },
  oidc_client_secret: {
    kind: text,
    default: undefined,
    secret: true,
    description: "Secret of this gateway at the external provider. A public client has none.",
  },
  oidc_name: {
    kind: text,
    default: undefined,
    description: "Name of the external provider on the sign-in page; its host name by default.",
  },
  oidc_scope: {
    kind: text,
    default: "openid email profile",
    description: "Scopes that the gateway requests from the external provider.",
  },
  oidc_trust_email: {
    kind: boolean,
    default: false,
    description:
      "`true` accepts email addresses if the external provider does not say whether they are verified. Use it only if users cannot change their own address at the provider.",
  },
  oidc_redirect: {
    kind: boolean,
    default: true,
    description:
      "`true` redirects sign-in to the external provider immediately. `false` offers both ways on the sign-in page. `/idp/authorize?provider=local` always opens the gateway's own sign-in.",
  },
  smtp_url: {
    kind: text,
    default: undefined,
    secret: true,
    description:
      "Mail server, e.g. `smtp://user:password@mail.example:587` or `smtps://…:465`. It has priority over the mail server that the console sets. Without either, mails wait in the outbox, where they can be read. With a user, encryption is required unless the server is on this machine; `?requireTLS=true` always requires it, and `?requireTLS=false` also sends the password to a server without encryption. `?tls.rejectUnauthorized=false` accepts any certificate.",
  },
  smtp_from: {
    kind: text,
    default: undefined,
    description: "Sender address of mails; the user of `smtp_url` by default.",
  },
  ...backupConfigKeys,
  plans: {
    kind: text,
    default: undefined,
    description:
      'Plans in addition to `basic` and `onprem`, as a JSON array: `[{"id":"team","name":"Team","whitelabelEnabled":false,"limits":{"devices":500,"users":20,"retentionDays":365,"messagesPerSecond":200}}]`. A plan that leaves out `devices`, `users`, `retentionDays` or `messagesPerSecond`, or sets it to null, does not limit it. For `bytesPerSecond`, `storedBytes`, `keysPerDevice`, `keys`, `mqttConnections`, `mqttSessions`, `queuedBytes` and `auditEntries` the gateway\'s setting applies instead. An id of a built-in plan replaces that one.',
  },
  device_messages_per_second: {
    kind: count(0, 1_000_000),
    default: 0,
    description:
      "Messages per second that a device may send, unless its profile sets a limit. A burst may have ten seconds' worth. 0 means no limit.",
  },
  attribute_changes_max: {
    kind: count(50, 100_000),
    default: 500,
    description: "Number of attribute changes that are kept for each device. The oldest are deleted.",
  },
  audit_days: {
    kind: count(0, 36_500),
    default: 730,
    description:
      "Days after which entries of the audit log are deleted. 0 keeps them up to the limit of the log.",
  },
  ...quotaConfigKeys,
  log_level: {
    kind: { type: "choice", choices: ["debug", "info", "warning", "error"] },
    default: "info",
    description: "Lowest level that is logged.",
  },
  log_format: {
    kind: { type: "choice", choices: ["text", "json"] },
    default: "text",
    description:
      "`text` is for people, `json` for log collectors. Each record is one line on standard error.",
  },
  commit_window_ms: {
    kind: count(0, 10_000),
    default: 0,
    description:
      "Time in ms that a group commit waits for more data. 0 commits immediately; 1000 reduces SD-card wear.",
  },
  retention_days: {
    kind: count(0, 36_500),
    default: 0,
    description:
      "Days after which telemetry is deleted, unless the profile or the plan sets another time. 0 keeps it.",
  },
  disk_free_mb_min: {
    kind: count(1, 1_000_000),
    default: 100,
    description:
      "Free disk space, in MB, below which the gateway accepts no data (503, no acknowledgement) until there is room again; at most 5 % of the disk, but at least 8 MB on a small disk.",
  },
  mqtt_packet_bytes_max: {
    kind: count(1024, 16_777_216),
    default: 66_560,
    description: "Largest MQTT packet, in bytes (64 KiB of payload and its topic).",
  },
  mqtt_connections_max: {
    kind: count(1, 1_000_000),
    default: 20_000,
    description: "Maximum number of simultaneous MQTT connections.",
  },
  mqtt_connections_per_address_max: {
    kind: count(1, 1_000_000),
    default: 20_000,
    description: "Maximum number of simultaneous MQTT connections per IPv4 address or IPv6 /64 network.",
  },
  mqtt_connect_timeout_ms: {
    kind: count(100, 60_000),
    default: 4_000,
    description: "Time within which a new MQTT connection must sign in, in ms.",
  },
  mqtt_keep_alive_seconds_max: {
    kind: count(0, 65_535),
    default: 0,
    description:
      "Longest keep-alive of MQTT 5 clients in seconds, sent to a client that asks for a longer one or for none; 0 for no limit.",
  },
  mqtt_in_flight_max: {
    kind: count(1, 65_535),
    default: 1_024,
    description:
      "Messages of one connection that may wait for their commit. Beyond it, the gateway stops reading the socket.",
  },
  mqtt_queued_per_client_max: {
    kind: count(0, 100_000),
    default: 1_000,
    description: "Messages that are kept for a client that is offline. The oldest are dropped and counted.",
  },
  mqtt_session_expiry_seconds_max: {
    kind: count(0, 4_294_967_295),
    default: 604_800,
    description: "Longest time, in seconds, that the session of an offline client is kept.",
  },
  ...httpConfigKeys,
  ...outboundConfigKeys,
  ...securityConfigKeys,
  scheduler_enabled: {
    kind: boolean,
    default: true,
    env: "SCHEDULER_ENABLED",
    description: "`false` runs no scheduled jobs. They can still be created and read.",
  },
  data_pipelines_enabled: {
    kind: boolean,
    default: true,
    env: "DATA_PIPELINES_ENABLED",
    description: "`false` runs no pipelines: telemetry is stored unchanged.",
  },
  integrations_mapping_enabled: {
    kind: boolean,
    default: true,
    env: "INTEGRATIONS_MAPPING_ENABLED",
    description: "`false` skips the mapping steps of integrations.",
  },
} as const satisfies Record<string, KeyDefinition>;

export type ConfigKey = keyof typeof configKeys;

export const flagOf = (key: string): string => `--${key.replaceAll("_", "-")}`;
export const envOf = (key: ConfigKey): string => {
  const definition: KeyDefinition = configKeys[key];
  return definition.env ?? `LINESIDE_${key.toUpperCase()}`;
};
