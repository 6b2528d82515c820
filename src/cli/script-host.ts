import { runScriptHost } from "../modules/script-sandbox/script-host.ts";

/** `lineside script-host`: the process that the gateway runs scripts in; of no use by hand. */
export const scriptHostCommand = (): Promise<number> => runScriptHost();
