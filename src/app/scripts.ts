import { createCodecsRepository } from "../modules/codecs/codecs.repository.ts";
import { type CodecsService, createCodecsService } from "../modules/codecs/codecs.service.ts";
import { usesOfCodecs } from "../modules/integrations/codec-uses.ts";
import type { IntegrationsRepository } from "../modules/integrations/integrations.repository.ts";
import { createScriptSandbox } from "../modules/script-sandbox/script-sandbox.ts";
import type { ScriptSandbox } from "../modules/script-sandbox/script-sandbox.types.ts";
import type { Clock } from "../platform/clock.ts";
import type { MainDatabase } from "../platform/database.ts";
import type { Logger } from "../platform/log.ts";
import { ownProgram } from "../platform/own-program.ts";

/** Wires what runs other people's scripts, and the library of codecs. */
export function createScripts(deps: {
  database: MainDatabase;
  integrations: Pick<IntegrationsRepository, "list">;
  clock: Clock;
  log: Logger;
}): { sandbox: ScriptSandbox; trials: ScriptSandbox; codecs: CodecsService } {
  const { database, integrations, clock } = deps;
  const log = deps.log.child("scripts");
  const open = () => createScriptSandbox({ command: [...ownProgram(), "script-host"], clock, log });
  const sandbox = open();
  // What people try out, perhaps for ever, must not have the messages of others wait: it has a process to itself.
  const trials = open();
  const codecs = createCodecsService({
    repository: createCodecsRepository(database),
    sandbox: trials,
    usesOf: (tenantId) => usesOfCodecs(integrations.list(tenantId)),
    clock,
  });
  return { sandbox, trials, codecs };
}
