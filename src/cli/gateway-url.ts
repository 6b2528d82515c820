import { X509Certificate } from "node:crypto";
import type { PeerCertificate } from "node:tls";
import { type Config, loadConfig, processEnv } from "../platform/config/config.ts";
import { type GatewayAddress, localUrl, readGatewayAddress } from "../platform/network/gateway-address.ts";
import { isPlainForMachine } from "../platform/network/own-origin.ts";
import { publicAddressOf } from "../platform/network/public-address.ts";

/** Endpoint of a gateway for requests. */
export interface GatewayEndpoint {
  readonly url: string;
  /** Accepts the certificate of a gateway on this machine; absent for other addresses. */
  readonly tls?: BunFetchRequestInitTLS | undefined;
}

type Listeners = Pick<Config, "data" | "http_host" | "http_port" | "https_host" | "https_port">;

/** Returns the URL of a gateway with these settings, for a data directory without a written address. */
function configuredUrl({ http_host, http_port, https_host, https_port }: Listeners): string {
  if (http_port !== "off") return localUrl(http_host, http_port);
  return localUrl(https_host ?? http_host, https_port === "off" ? 0 : https_port, "https");
}

/**
 * Accepts only this certificate, regardless of its names: it is for the public names of the gateway, but the request goes to this machine. It is
 * from the data directory, which only the gateway writes.
 */
function tlsFor({ certificate }: GatewayAddress): BunFetchRequestInitTLS | undefined {
  if (certificate === undefined) return undefined;
  const expected = new X509Certificate(certificate).fingerprint256;
  const { rootCertificates } = process.getBuiltinModule("node:tls"); // loaded late: it takes 1 ms
  return {
    ca: [...rootCertificates, certificate],
    checkServerIdentity: (_: string, peer: PeerCertificate) =>
      peer.fingerprint256 === expected ? undefined : new Error("another program answers"),
  };
}

/** Returns the endpoint in this data directory. After a crash, it may not respond. */
export function runningGateway(dataPath: string): GatewayEndpoint | undefined {
  const address = readGatewayAddress(dataPath);
  return address && { url: address.url, tls: tlsFor(address) };
}

/** Returns the endpoint of the gateway with these settings on this machine: from its data directory if it runs, otherwise from the settings. */
export function gatewayEndpoint(config: Listeners): GatewayEndpoint {
  return runningGateway(config.data) ?? { url: configuredUrl(config) };
}

/** Works like `gatewayEndpoint` for a command without settings; `data` is the data directory. */
export function gatewayEndpointOf(data: string | undefined): GatewayEndpoint {
  return gatewayEndpoint(loadConfig(data === undefined ? [] : ["--data", data], processEnv()));
}

/** Returns the link to the console on this machine, or with the address in the settings. */
export function consoleUrl(config: Config): string {
  const { https_host: host = "", https_port: port } = config;
  const url =
    isPlainForMachine(config) && port !== "off" ? localUrl(host, port, "https") : gatewayEndpoint(config).url;
  return publicAddressOf(config) ?? url.replace("//127.0.0.1:", "//localhost:");
}
