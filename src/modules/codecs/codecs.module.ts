import type { TenantId } from "../../lib/core/ids.ts";
import { Port } from "../../platform/core/port.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { ScriptSandboxModule } from "../script-sandbox/script-sandbox.module.ts";
import { codecResource } from "./codecs.resource.ts";
import { codecsRoutes } from "./codecs.routes.ts";
import { createCodecsService, type UsedCodec } from "./codecs.service.ts";

/** Creates the library of codecs. */
export function createCodecsModule(
  { responses, database, clock }: Core,
  modules: { readonly scripts: ScriptSandboxModule },
) {
  const { trials } = modules.scripts;
  /** Returns the integrations of a tenant that use a codec, by codec id. */
  const usesOf = new Port<(tenantId: TenantId) => ReadonlyMap<string, UsedCodec["usedBy"]>>("codecs.usesOf");
  const codecs = createCodecsService({
    store: codecResource.createStore(database, clock),
    sandbox: trials,
    usesOf: (tenantId) => usesOf.call(tenantId),
    clock,
  });
  return { codecs, usesOf, routes: (auth: AuthPlugin) => [codecsRoutes({ codecs, responses, auth })] };
}

export type CodecsModule = ReturnType<typeof createCodecsModule>;
