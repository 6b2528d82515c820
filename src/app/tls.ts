import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { DataDirectory } from "../platform/data-directory.ts";
import type { Logger } from "../platform/log.ts";
import { createTls, type Tls } from "../platform/tls.ts";

/** The certificate for HTTPS and for MQTT with TLS; undefined where TLS is off. */
export function createOwnTls(deps: {
  config: Config;
  data: DataDirectory;
  clock: Clock;
  log: Logger;
}): Tls | undefined {
  const { config, ...rest } = deps;
  if (config.tls === "off") return undefined;
  const { tls_cert: cert, tls_key: key, tls_ca: authority } = config;
  const isGiven = cert !== undefined && key !== undefined;
  return createTls({
    ...rest,
    publicUrl: config.public_url,
    ...(isGiven && { files: { cert, key, authority } }),
  });
}
