import type { Core } from "../modules/module.types.ts";
import { createTls, type Tls } from "../platform/network/tls.ts";

/** Creates the certificate for HTTPS and MQTT with TLS; undefined if TLS is off. */
export function createOwnTls({ config, data, clock, health, log: root }: Core): Tls | undefined {
  if (config.tls === "off") return undefined;
  const { tls_cert: cert, tls_key: key, tls_ca: authority } = config;
  const isGiven = cert !== undefined && key !== undefined;
  const tls = createTls({
    data,
    clock,
    log: root.child("tls"),
    publicUrl: config.public_url,
    ...(isGiven && { files: { cert, key, authority } }),
  });
  health.add(() => tls.problem());
  return tls;
}
