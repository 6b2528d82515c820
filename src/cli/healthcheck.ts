import { loadConfig, processEnv } from "../platform/config.ts";

const TIMEOUT_MS = 3_000;

/** `lineside healthcheck`: exit code 0 when the gateway with this configuration serves. */
export async function healthcheckCommand(args: readonly string[]): Promise<number> {
  const config = loadConfig(args, processEnv());
  const host = config.http_host === "0.0.0.0" || config.http_host === "::" ? "127.0.0.1" : config.http_host;
  try {
    const response = await fetch(`http://${host}:${config.http_port}/readyz`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    console.log(response.ok ? "ready" : `not ready (${response.status})`);
    return response.ok ? 0 : 1;
  } catch {
    console.error("nothing answers");
    return 1;
  }
}
