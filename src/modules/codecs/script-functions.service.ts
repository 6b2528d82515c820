import type { TenantId } from "../../lib/core/ids.ts";
import { ScriptFailure } from "../script-sandbox/script-sandbox.errors.ts";
import type { ScriptSandbox } from "../script-sandbox/script-sandbox.ts";
import { SCRIPT_FUNCTIONS } from "../script-sandbox/script-sandbox.types.ts";
import { codecWithoutFunction, codecWrong } from "./codecs.errors.ts";

/**
 * Returns the callable functions that a source defines; at least one.
 * @throws DomainError `invalid` for a source that cannot be parsed, fails to load, or defines none
 */
export async function functionsOf(
  scripts: Pick<ScriptSandbox, "check">,
  tenantId: TenantId,
  source: string,
): Promise<readonly string[]> {
  const { functions } = await scripts.check(source, { tenantId, key: `check:${tenantId}` }).catch((error) => {
    if (error instanceof ScriptFailure && error.kind === "invalid") throw codecWrong(error);
    throw error;
  });
  if (functions.length === 0) throw codecWithoutFunction(SCRIPT_FUNCTIONS);
  return functions;
}
