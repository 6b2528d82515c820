import { ownProgram } from "../../platform/process/own-program.ts";
import type { Core } from "../module.types.ts";
import { ScriptSandbox } from "./script-sandbox.ts";

/** Creates the sandbox, which runs users' scripts in separate processes. */
export function createScriptSandboxModule({ clock, log: root }: Core) {
  const log = root.child("scripts");
  const open = () => new ScriptSandbox({ command: [...ownProgram(), "script-host"], clock, log });
  const sandbox = open();
  // A separate process for trials, so that an endless trial does not delay messages.
  const trials = open();
  return {
    sandbox,
    trials,
    parts: [
      { name: "script sandbox", start: () => sandbox.start(), stop: () => sandbox.stop() },
      { name: "script trials", start: () => trials.start(), stop: () => trials.stop() },
    ],
  };
}

export type ScriptSandboxModule = ReturnType<typeof createScriptSandboxModule>;
