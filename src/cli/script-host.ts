import { runScriptHost } from "../modules/script-sandbox/script-host.ts";

/** `lineside script-host`: the process in which the gateway runs scripts. Not for manual use. */
export const scriptHostCommand = (): Promise<number> => runScriptHost();
