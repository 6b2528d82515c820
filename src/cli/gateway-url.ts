import { type Config, loadConfig, processEnv } from "../platform/config.ts";
import { localUrl, readGatewayAddress } from "../platform/gateway-address.ts";

/**
 * Returns the address at which this machine reaches the gateway of these settings. A running gateway has written it into its data
 * directory; otherwise the settings decide.
 */
export const gatewayUrl = ({
  data,
  http_host,
  http_port,
}: Pick<Config, "data" | "http_host" | "http_port">) =>
  readGatewayAddress(data) ?? localUrl(http_host, http_port);

/** The same for a command without settings of its own; `data` names the data directory. */
export function gatewayUrlOf(data: string | undefined): string {
  return gatewayUrl(loadConfig(data === undefined ? [] : ["--data", data], processEnv()));
}

/** The link that people open on this machine, or by the address that the settings name. */
export const consoleUrl = (config: Config): string =>
  config.public_url ?? gatewayUrl(config).replace("//127.0.0.1:", "//localhost:");
