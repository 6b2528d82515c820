import { defined } from "../../lib/defined.ts";
import { detail } from "../../lib/domain-error.ts";
import type { TenantId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";
import type { ScriptSandbox } from "../script-sandbox/script-sandbox.ts";
import { ensureAllDevices } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import { type Trial, type TrialRequest, tryScript } from "./codec-trial.ts";
import { codecInUse, codecNameTaken, codecNotFound, codecsLimit } from "./codecs.errors.ts";
import type { CodecsRepository } from "./codecs.repository.ts";
import type { Codec, CodecUse } from "./codecs.types.ts";
import { functionsOf } from "./script-functions.service.ts";

export const CODECS_MAX = 200;

export interface CodecChanges {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly source?: string | undefined;
}

export type UsedCodec = Codec & {
  readonly usedBy: ReadonlyArray<{ readonly integrationId: string; readonly name: string }>;
};

/** The tenant's library of codecs. A source is in it only if it can be run and defines something that is called. */
export function createCodecsService(deps: {
  repository: CodecsRepository;
  sandbox: ScriptSandbox;
  /** Returns what uses codecs, by the codec's id. */
  usesOf: (tenantId: TenantId) => ReadonlyMap<string, UsedCodec["usedBy"]>;
  clock: Clock;
}) {
  const { repository, sandbox, clock } = deps;

  const withUses = (codec: Codec): UsedCodec => ({
    ...codec,
    usedBy: deps.usesOf(codec.tenantId).get(codec.codecId) ?? [],
  });

  function find(tenantId: TenantId, codecId: string): Codec {
    const codec = repository.find(tenantId, codecId);
    if (codec === undefined) throw codecNotFound();
    return codec;
  }

  function ensureFree(tenantId: TenantId, name: string, codecId?: string): void {
    const other = repository.findByName(tenantId, name);
    if (other !== undefined && other.codecId !== codecId) throw codecNameTaken(other.name);
  }

  const ensureMay = (principal: Principal) => ensureAllDevices(principal, detail("action.change_codecs"));

  return {
    list({ tenantId }: Principal): UsedCodec[] {
      const uses = deps.usesOf(tenantId);
      return repository.list(tenantId).map((codec) => ({ ...codec, usedBy: uses.get(codec.codecId) ?? [] }));
    },
    get: ({ tenantId }: Principal, codecId: string): UsedCodec => withUses(find(tenantId, codecId)),
    async create(
      principal: Principal,
      { name, description, source }: CodecChanges & { name: string; source: string },
    ): Promise<UsedCodec> {
      ensureMay(principal);
      const functions = await functionsOf(sandbox, principal.tenantId, source);
      const { tenantId } = principal;
      ensureFree(tenantId, name);
      if (repository.count(tenantId) >= CODECS_MAX) throw codecsLimit(CODECS_MAX);
      const now = clock.now();
      const codec: Codec = {
        codecId: newId(),
        tenantId,
        name,
        description: description ?? null,
        source,
        functions,
        createdAt: now,
        updatedAt: now,
      };
      repository.insert(codec);
      return withUses(codec);
    },
    async update(principal: Principal, codecId: string, changes: CodecChanges): Promise<UsedCodec> {
      ensureMay(principal);
      find(principal.tenantId, codecId);
      const functions =
        changes.source === undefined
          ? undefined
          : await functionsOf(sandbox, principal.tenantId, changes.source);
      // Others may have changed it while its source was looked at.
      const current = find(principal.tenantId, codecId);
      if (changes.name !== undefined) ensureFree(principal.tenantId, changes.name, codecId);
      const codec: Codec = { ...current, ...defined({ ...changes, functions }), updatedAt: clock.now() };
      repository.update(codec);
      return withUses(codec);
    },
    delete(principal: Principal, codecId: string): void {
      ensureMay(principal);
      const { usedBy } = withUses(find(principal.tenantId, codecId));
      if (usedBy.length > 0) throw codecInUse(usedBy.map(({ name }) => name));
      repository.delete(codecId);
    },
    /** Runs a source as it would be run, and changes nothing. */
    preview: ({ tenantId }: Principal, request: TrialRequest): Promise<Trial> =>
      tryScript(sandbox, `preview:${tenantId}`, { ...request, recvTime: request.recvTime ?? clock.now() }),
    /** Throws where one of them is not the tenant's. */
    ensureAll(tenantId: TenantId, uses: readonly CodecUse[]): void {
      for (const { codecId } of uses) find(tenantId, codecId);
    },
    /** Selects the codec for a device of these types: the first use that names one of them, otherwise the first that names none. */
    selectFor(tenantId: TenantId, uses: readonly CodecUse[], types: readonly string[]): Codec | undefined {
      const use =
        uses.find(({ deviceType }) => deviceType !== undefined && types.includes(deviceType)) ??
        uses.find(({ deviceType }) => deviceType === undefined);
      return use && repository.find(tenantId, use.codecId);
    },
  };
}

export type CodecsService = ReturnType<typeof createCodecsService>;
