import { detail } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { mapRows } from "../../platform/database/row-list.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { ScriptSandbox } from "../script-sandbox/script-sandbox.ts";
import { ensureAllDevices } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import { type Trial, type TrialRequest, tryScript } from "./codec-trial.ts";
import { codecInUse } from "./codecs.errors.ts";
import type { Codec, codecResource } from "./codecs.resource.ts";
import type { CodecUse } from "./codecs.types.ts";
import { functionsOf } from "./script-functions.service.ts";

type NewCodec = typeof codecResource.$create;
type CodecChanges = typeof codecResource.$update;
export type UsedCodec = Codec & {
  readonly usedBy: ReadonlyArray<{ readonly integrationId: string; readonly name: string }>;
};

/** Creates the tenant's library of codecs. It only accepts sources that run and define a called function. */
export function createCodecsService(deps: {
  store: typeof codecResource.$store;
  sandbox: ScriptSandbox;
  /** Returns the objects that use codecs, by the codec's id. */
  usesOf: (tenantId: TenantId) => ReadonlyMap<string, UsedCodec["usedBy"]>;
  clock: Clock;
}) {
  const { store, sandbox, clock } = deps;

  const withUses = (codec: Codec, uses = deps.usesOf(codec.tenantId)): UsedCodec => ({
    ...codec,
    usedBy: uses.get(codec.codecId) ?? [],
  });

  const ensureMay = (principal: Principal) => ensureAllDevices(principal, detail("action.change_codecs"));

  return {
    read({ tenantId }: Principal) {
      const uses = deps.usesOf(tenantId);
      return mapRows(store.rows(tenantId), (codec) => withUses(codec, uses));
    },
    get: ({ tenantId }: Principal, codecId: string): UsedCodec => withUses(store.get(tenantId, codecId)),
    async create(principal: Principal, { name, description = null, source }: NewCodec): Promise<UsedCodec> {
      ensureMay(principal);
      const functions = await functionsOf(sandbox, principal.tenantId, source);
      return withUses(store.insert(principal.tenantId, { name, description, source, functions }));
    },
    async update(principal: Principal, codecId: string, changes: CodecChanges): Promise<UsedCodec> {
      ensureMay(principal);
      const { tenantId } = principal;
      store.get(tenantId, codecId);
      const { source } = changes;
      const functions = source === undefined ? undefined : await functionsOf(sandbox, tenantId, source);
      // Others may have changed it while its source was checked.
      return withUses(store.update(store.get(tenantId, codecId), { ...changes, functions }));
    },
    delete(principal: Principal, codecId: string): void {
      ensureMay(principal);
      const { usedBy, ...codec } = withUses(store.get(principal.tenantId, codecId));
      if (usedBy.length > 0) throw codecInUse(usedBy.map(({ name }) => name));
      store.delete(codec);
    },
    /** Runs a source without storing anything. */
    preview: ({ tenantId }: Principal, request: TrialRequest): Promise<Trial> =>
      tryScript(
        sandbox,
        { tenantId, key: `preview:${tenantId}` },
        { ...request, recvTime: request.recvTime ?? clock.now() },
      ),
    /** @throws DomainError `not_found` if a codec does not belong to the tenant */
    ensureAll(tenantId: TenantId, uses: readonly CodecUse[]): void {
      for (const { codecId } of uses) store.get(tenantId, codecId);
    },
    /** Selects the codec for a device of these types: the first use that names one, otherwise the first that names none. */
    selectFor(tenantId: TenantId, uses: readonly CodecUse[], types: readonly string[]): Codec | undefined {
      const use =
        uses.find(({ deviceType }) => deviceType !== undefined && types.includes(deviceType)) ??
        uses.find(({ deviceType }) => deviceType === undefined);
      return use && store.find(tenantId, use.codecId);
    },
  };
}

export type CodecsService = ReturnType<typeof createCodecsService>;
