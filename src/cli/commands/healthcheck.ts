import { isJsonObject } from "../../lib/json/json.ts";
import { loadConfig, processEnv } from "../../platform/config/config.ts";
import { localUrl } from "../../platform/network/gateway-address.ts";
import { type GatewayEndpoint, gatewayEndpoint } from "../gateway-url.ts";

const TIMEOUT_MS = 3_000;

/** `lineside healthcheck`: exit code 0 if the gateway of the data directory is ready. */
export async function healthcheckCommand(args: readonly string[]): Promise<number> {
  const config = loadConfig(args, processEnv(), "healthcheck");
  // A port in the arguments overrides the port that the running gateway has written down.
  const isNamed = args.some((arg) => /^--http-(host|port)(=|$)/.test(arg)) && config.http_port !== "off";
  const { url, tls }: GatewayEndpoint = isNamed
    ? { url: localUrl(config.http_host, Number(config.http_port)) }
    : gatewayEndpoint(config);
  try {
    const response = await fetch(`${url}/readyz`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(tls && { tls }),
    });
    if (response.ok) {
      console.log("ready");
      return 0;
    }
    const body: unknown = await response.json().catch(() => undefined);
    const reasons = isJsonObject(body) && Array.isArray(body.reasons) ? body.reasons : [];
    console.log(["not ready", ...reasons.map(({ message }) => `- ${message}`)].join("\n"));
    return 1;
  } catch {
    console.error(`Nothing answers at ${url}. Start Lineside, or name its data directory with --data.`);
    return 1;
  }
}
