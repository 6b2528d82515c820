import { createSetupLink } from "../app.ts";
import { loadConfig, processEnv } from "../platform/config.ts";

/** `lineside setup-link`: a new link to the set-up page, also while the gateway runs; the ones before stop working. */
export async function setupLinkCommand(args: readonly string[]): Promise<number> {
  const link = await createSetupLink(loadConfig(args, processEnv()));
  if (link === undefined) {
    console.error("This gateway has an owner already; sign in with that account.");
    return 1;
  }
  console.log(link);
  return 0;
}
