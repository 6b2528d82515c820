import { loadConfig, processEnv } from "../platform/config.ts";
import { localUrl } from "../platform/gateway-address.ts";
import { gatewayUrl } from "./gateway-url.ts";

const TIMEOUT_MS = 3_000;

/** `lineside healthcheck`: exit code 0 when the gateway of the data directory serves. */
export async function healthcheckCommand(args: readonly string[]): Promise<number> {
  const config = loadConfig(args, processEnv());
  // A port that the arguments name is asked at, whatever the gateway of the data directory has written.
  const isNamed = args.some((arg) => /^--http-(host|port)(=|$)/.test(arg));
  const url = isNamed ? localUrl(config.http_host, config.http_port) : gatewayUrl(config);
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    console.log(response.ok ? "ready" : `not ready (${response.status})`);
    return response.ok ? 0 : 1;
  } catch {
    console.error(`nothing answers at ${url}`);
    return 1;
  }
}
