import { X509Certificate } from "node:crypto";
import type { PeerCertificate } from "node:tls";
import { type Config, loadConfig, processEnv } from "../platform/config/config.ts";
import { type GatewayAddress, localUrl, readGatewayAddress } from "../platform/network/gateway-address.ts";
import { isPlainForMachine } from "../platform/network/own-origin.ts";
import { publicAddressOf } from "../platform/network/public-address.ts";

/** A gateway as requests reach it. */
export interface GatewayEndpoint {
  readonly url: string;
  /** Accepts the certificate that a gateway on this machine has; absent for ordinary addresses. */
  readonly tls?: BunFetchRequestInitTLS | undefined;
}

type Listeners = Pick<Config, "data" | "http_host" | "http_port" | "https_host" | "https_port">;

/** Returns the URL of a gateway with these settings, for a data directory in which none has written its address. */
function configuredUrl({ http_host, http_port, https_host, https_port }: Listeners): string {
  if (http_port !== "off") return localUrl(http_host, http_port);
  return localUrl(https_host ?? http_host, https_port === "off" ? 0 : https_port, "https");
}

/**
 * Accepts this certificate only, whatever name it has: it is made for the gateway's public names, and the request goes to this machine.
 * The certificate comes from the data directory, which only the gateway writes.
 */
function tlsFor({ certificate }: GatewayAddress): BunFetchRequestInitTLS | undefined {
  if (certificate === undefined) return undefined;
  const expected = new X509Certificate(certificate).fingerprint256;
  const { rootCertificates } = process.getBuiltinModule("node:tls"); // takes a ms to load
  return {
    ca: [...rootCertificates, certificate],
    checkServerIdentity: (_: string, peer: PeerCertificate) =>
      peer.fingerprint256 === expected ? undefined : new Error("another program answers"),
  };
}

/** Returns the endpoint that a gateway has written to this data directory; after a crash nothing may answer there. */
export function runningGateway(dataPath: string): GatewayEndpoint | undefined {
  const address = readGatewayAddress(dataPath);
  return address && { url: address.url, tls: tlsFor(address) };
}

/**
 * Returns the endpoint of the gateway with these settings on this machine. A running gateway has written it into its data directory; otherwise
 * the settings decide.
 */
export function gatewayEndpoint(config: Listeners): GatewayEndpoint {
  return runningGateway(config.data) ?? { url: configuredUrl(config) };
}

/** The same for a command without settings of its own; `data` names the data directory. */
export function gatewayEndpointOf(data: string | undefined): GatewayEndpoint {
  return gatewayEndpoint(loadConfig(data === undefined ? [] : ["--data", data], processEnv()));
}

/** The link that people open on this machine, or by the address that the settings name. */
export function consoleUrl(config: Config): string {
  const { https_host: host = "", https_port: port } = config;
  const url =
    isPlainForMachine(config) && port !== "off" ? localUrl(host, port, "https") : gatewayEndpoint(config).url;
  return publicAddressOf(config) ?? url.replace("//127.0.0.1:", "//localhost:");
}
