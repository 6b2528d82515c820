import { defined } from "../../lib/core/defined.ts";
import { detail, invalid } from "../../lib/core/domain-error.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { toPlainJson } from "../../lib/json/plain-json.ts";
import {
  changeUrlSecrets,
  hasMark,
  hasStrayMark,
  isSecretHeader,
  type UrlSecret,
  WHOLE_SECRET_MARK,
} from "../../lib/network/outbound-request.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import { sha256 } from "../../platform/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import type { Changes } from "../../platform/database/resource-store.ts";
import { mapRows } from "../../platform/database/row-list.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { OutboundService } from "../outbound/outbound.service.ts";
import type { OutboundCounts, Sealed } from "../outbound/outbound.types.ts";
import type { Reading, TelemetryValue } from "../telemetry/telemetry.types.ts";
import { ensureAllDevices, ensurePersonSets } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import type { PipelineEngine } from "./pipeline-engine.ts";
import { type Preview, previewSteps } from "./pipeline-preview.ts";
import { versionNotFound } from "./pipelines.errors.ts";
import type { PipelinesRepository } from "./pipelines.repository.ts";
import type { Pipeline, pipelineResource } from "./pipelines.resource.ts";
import type { PipelineScope, PipelineVersion } from "./pipelines.types.ts";
import { compileSteps, type Step } from "./step-engine.ts";

/*
 * Secrets of steps. They are encrypted before they are stored, and shown as `{kept: "…"}`, which identifies a secret without revealing it. Sending
 * that back keeps the secret even if the step has moved, but only in the field in which it was shown, and for the same URL up to the query: otherwise
 * callers could obtain the secret by changing the URL.
 */

/** Place of an entered secret (secret of a step, header or URL), and its target URL. */
interface SecretPlace {
  readonly kind: "secret" | "header" | "url";
  /** Name of the header in lower case; empty for other secrets. */
  readonly header: string;
  /** Scheme, host, port and path, as shown. */
  readonly target: string;
}

interface KnownSecret extends SecretPlace {
  readonly sealed: string;
}

type Change = (value: unknown, of: SecretPlace) => unknown;

/** URL of a step with secrets: sealed as a whole, and with placeholders for the secrets. */
interface SealedUrl {
  readonly url: unknown;
  readonly sealedUrl?: Sealed | undefined;
}

interface SecretChanges {
  readonly secret: Change;
  readonly url: (url: SealedUrl) => SealedUrl;
}

const markOf = (sealedUrl: Sealed, { occurrence }: UrlSecret): string =>
  `kept-${idOf(sealedUrl.sealed)}${occurrence === 1 ? "" : `-${occurrence}`}`;

/**
 * Returns whether a value can be sealed, because sealed values are not validated again; other values stay unchanged and are refused by the step's
 * schema.
 */
const isUsable = (value: string, kind: SecretPlace["kind"]): boolean =>
  kind === "secret" ? /^.{1,256}$/s.test(value) : /^[\t\x20-\x7e\x80-\xff]{1,4096}$/.test(value);

function targetOf(url: unknown): string {
  if (typeof url !== "string" || !URL.canParse(url)) return "";
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

function changeFields(
  fields: Record<string, unknown>,
  target: string,
  { secret: change, url: changeUrl }: SecretChanges,
): Record<string, unknown> {
  const { secret, headers, url, sealedUrl, ...others } = fields;
  const changed = isJsonObject(headers)
    ? Object.fromEntries(
        Object.entries(headers).map(([name, value]) => {
          const isSecret = typeof value !== "string" || (isSecretHeader(name) && value !== "");
          return [
            name,
            isSecret ? change(value, { target, kind: "header", header: name.toLowerCase() }) : value,
          ];
        }),
      )
    : headers;
  return {
    ...others,
    ...(url !== undefined && defined(changeUrl({ url, ...(isSealed(sealedUrl) && { sealedUrl }) }))),
    ...(headers !== undefined && { headers: changed }),
    ...(secret !== undefined && { secret: change(secret, { target, kind: "secret", header: "" }) }),
  };
}

/** Only these steps have secrets. */
const isWebhookStep = (step: unknown): step is Record<string, unknown> =>
  isJsonObject(step) && step.type === "webhook_forward";

/** Returns the steps with each secret changed; a step's fields may be in its `config`. */
function changeSecrets(steps: unknown, changes: SecretChanges): unknown {
  if (!Array.isArray(steps)) return steps;
  return steps.map((step: unknown) => {
    if (!isWebhookStep(step)) return step;
    const { config } = step;
    const target = targetOf(step.url ?? (isJsonObject(config) ? config.url : undefined));
    const outer = changeFields(step, target, changes);
    return isJsonObject(config) ? { ...outer, config: changeFields(config, target, changes) } : outer;
  });
}

const idOf = (sealed: string): string => sha256(sealed).slice(0, 16);

const isSealed = (value: unknown): value is Sealed => isJsonObject(value) && typeof value.sealed === "string";

/** Returns the steps for clients. */
const maskSteps = (steps: readonly Step[]): readonly Step[] =>
  changeSecrets(steps, {
    secret: (value) => (isSealed(value) ? { kept: idOf(value.sealed) } : value),
    url: ({ url }) => ({ url }),
  }) as Step[]; // steps stay steps

/** Returns all secrets of the steps, by their shown names. */
function knownOf(steps: readonly Step[]): Array<[string, KnownSecret]> {
  const found: Array<[string, KnownSecret]> = [];
  const note = (value: unknown, place: SecretPlace) => {
    if (isSealed(value)) found.push([idOf(value.sealed), { sealed: value.sealed, ...place }]);
  };
  changeSecrets(steps, {
    secret(value, place) {
      note(value, place);
      return value;
    },
    url(address) {
      note(address.sealedUrl, { kind: "url", header: "", target: targetOf(address.url) });
      return address;
    },
  });
  return found;
}

interface SealOptions {
  readonly seal: (secret: string) => Sealed;
  readonly openUrl: (sealed: Sealed) => string | undefined;
  /** Secrets of stored steps, which submitted steps may keep. */
  readonly known: ReadonlyMap<string, KnownSecret>;
}

/**
 * Seals a URL that contains secrets. Placeholders of an earlier URL keep its secrets. @throws DomainError `step.secret_unknown` for other
 * placeholders
 */
export function sealUrl(
  url: string,
  find: (kept: string, place: SecretPlace) => Sealed,
  options: SealOptions,
): SealedUrl {
  let kept: Sealed | undefined;
  if (hasStrayMark(url)) throw invalid("step.secret_unknown");
  const full = changeUrlSecrets(url, (value, { name }) => {
    const [, id, occurrence = "1"] = WHOLE_SECRET_MARK.exec(value) ?? [];
    if (id === undefined && hasMark(value)) throw invalid("step.secret_unknown");
    if (id === undefined) return value;
    kept = find(id, { kind: "url", header: "", target: targetOf(url) });
    let found: string | undefined;
    changeUrlSecrets(options.openUrl(kept) ?? "", (secret, of) => {
      if (of.name === name && of.occurrence === Number(occurrence)) found = secret;
      return secret;
    });
    if (found === undefined) throw invalid("step.secret_unknown");
    return found;
  });
  // Unchanged, it stays the same target.
  return hideSecrets(full, kept !== undefined && options.openUrl(kept) === full ? kept : options);
}

/** Returns a URL with placeholders for its secrets and, if it has any, the sealed URL. */
function hideSecrets(full: string, sealed: Sealed | Pick<SealOptions, "seal">): SealedUrl {
  let sealedUrl: Sealed | undefined;
  const url = changeUrlSecrets(full, (_, secret) => {
    sealedUrl ??= "sealed" in sealed ? sealed : sealed.seal(full);
    return markOf(sealedUrl, secret);
  });
  return { url, sealedUrl };
}

/** Seals secrets of stored steps that an earlier version stored readable, because it did not recognize them. */
export const sealStoredSteps = (
  steps: readonly Step[],
  { seal, openUrl }: Pick<SealOptions, "seal" | "openUrl">,
): readonly Step[] =>
  changeSecrets(steps, {
    secret: (value, { kind }) => (typeof value === "string" && isUsable(value, kind) ? seal(value) : value),
    url({ url, sealedUrl }) {
      const full = sealedUrl === undefined ? url : openUrl(sealedUrl);
      if (typeof full !== "string" || hasStrayMark(full)) return { url, sealedUrl };
      const hidden = hideSecrets(full, sealedUrl ?? { seal });
      // What an earlier version encrypted stays encrypted, even if this version sees no secret there.
      return hidden.sealedUrl === undefined ? { url, sealedUrl } : hidden;
    },
  }) as readonly Step[]; // steps stay steps

/**
 * Returns submitted steps ready for storage.
 * @throws DomainError `invalid`
 */
function sealSteps(steps: unknown, options: SealOptions): unknown {
  function find(kept: string, { kind, header, target }: SecretPlace): Sealed {
    const found = options.known.get(kept);
    if (found?.kind !== kind || found.header !== header) throw invalid("step.secret_unknown");
    if (found.target !== target) throw invalid("step.secret_moved");
    return { sealed: found.sealed };
  }
  return changeSecrets(steps, {
    secret(value, place) {
      if (typeof value === "string" && WHOLE_SECRET_MARK.test(value)) throw invalid("step.secret_unknown");
      if (typeof value === "string") return isUsable(value, place.kind) ? options.seal(value) : value;
      if (!isJsonObject(value)) return value;
      if (typeof value.kept !== "string") throw invalid("step.secret_invalid");
      return find(value.kept, place);
    },
    url: ({ url }) => (typeof url === "string" ? sealUrl(url, find, options) : { url }),
  });
}

const VERSIONS_KEPT = 50;
/** Max. bytes of a pipeline's steps, as JSON. */
const STEPS_BYTES_MAX = 64 * 1024;
const PREVIEW_KEYS_MAX = 512;
const PREVIEW_BYTES_MAX = 64 * 1024;

type NewPipeline = typeof pipelineResource.$create;
type PipelineChanges = typeof pipelineResource.$update;

/** Pipeline for clients, with current counters, the state of its webhooks, and masked secrets. */
export interface ShownPipeline extends Pipeline {
  readonly webhooks: OutboundCounts;
}

/** Pipeline without effect. */
const empty = {
  description: "",
  status: "draft",
  order: 0,
  scope: {},
  version: 1,
  messagesIn: 0,
  messagesOut: 0,
  messagesDropped: 0,
  errors: 0,
  lastError: null,
  lastErrorAt: null,
} as const;

export interface PreviewRequest {
  readonly steps: unknown;
  readonly telemetry: unknown;
  /** Epoch ms; default now. */
  readonly ts?: number | undefined;
  readonly context?: unknown;
}

/** Returns validated steps. @throws DomainError if they are invalid or too large */
function checkSteps(plain: unknown, refusalOf: (url: string) => Text | undefined): readonly Step[] {
  for (const { type, fields } of compileSteps(plain)) {
    if (type !== "webhook_forward" || typeof fields.url !== "string") continue;
    const refusal = refusalOf(fields.url);
    if (refusal !== undefined) throw invalid("step.url_refused", { host: new URL(fields.url).host, refusal });
  }
  if (Buffer.byteLength(JSON.stringify(plain)) > STEPS_BYTES_MAX)
    throw invalid("step.too_large", { max: STEPS_BYTES_MAX });
  return plain as unknown as Step[]; // each was just compiled, so each is an object with a type
}

/** Returns the URLs to which webhooks of the steps are sent. */
const addressesOf = (steps: readonly Step[]): (string | undefined)[] =>
  steps.map(({ type, url }) => (type === "webhook_forward" && typeof url === "string" ? url : undefined));

/** Returns the steps. @throws DomainError `auth.person_needed` if an API key adds a webhook URL */
function ensureOwnWebhooks(
  steps: readonly Step[],
  principal: Principal,
  earlier: { readonly steps: readonly Step[] } = { steps: [] },
): readonly Step[] {
  ensurePersonSets(principal, addressesOf(steps), addressesOf(earlier.steps));
  return steps;
}

/** Returns the devices and profiles added to a scope. Deleted ones may stay in it. */
function addedTo(current: PipelineScope, changed: PipelineScope): PipelineScope {
  const added = (list: readonly string[] = [], earlier: readonly string[] = []) => {
    const kept = new Set(earlier);
    return list.filter((id) => !kept.has(id));
  };
  return {
    deviceIds: added(changed.deviceIds, current.deviceIds),
    profileIds: added(changed.profileIds, current.profileIds),
  };
}

/** Limits the message to the size that a device could send, because the response contains it before and after each step. */
function ensureSmall(telemetry: object): void {
  if (
    Object.keys(telemetry).length > PREVIEW_KEYS_MAX ||
    Buffer.byteLength(JSON.stringify(telemetry)) > PREVIEW_BYTES_MAX
  )
    throw invalid("telemetry.too_large", { keysMax: PREVIEW_KEYS_MAX, kibMax: PREVIEW_BYTES_MAX / 1024 });
}

interface PipelinesServiceDeps {
  repository: PipelinesRepository;
  engine: PipelineEngine;
  /** Returns a device that the caller may see. @throws DomainError `not_found` */
  deviceOf: (principal: Principal, deviceId: string) => IngestDevice | undefined;
  /** @throws DomainError `not_found` for the first device or profile of another tenant */
  ensureInTenant: (principal: Principal, scope: PipelineScope) => void;
  outbound: Pick<OutboundService, "seal" | "openUrl" | "refusalOf" | "countsOf" | "removeSource">;
  transact: MainDatabase["transact"];
  events: Pick<EventBus<DomainEvents>, "emit">;
  clock: Clock;
}

/**
 * Creates the service for a tenant's data pipelines. Writing is `forbidden` without access to all devices, because a pipeline changes the data of
 * all.
 */
export function createPipelinesService(deps: PipelinesServiceDeps) {
  const { repository, engine, outbound, clock } = deps;

  const refusalFor = ({ tenantId }: Principal) => outbound.refusalOf.bind(outbound, tenantId);

  const accept = (plain: unknown, principal: Principal, earlier?: { readonly steps: readonly Step[] }) =>
    ensureOwnWebhooks(checkSteps(plain, refusalFor(principal)), principal, earlier);

  const find = ({ tenantId }: Principal, pipelineId: string): Pipeline =>
    repository.get(tenantId, pipelineId);

  const show = (pipeline: Pipeline): ShownPipeline => ({
    ...pipeline,
    ...engine.countsOf(pipeline),
    steps: maskSteps(pipeline.steps),
    webhooks: outbound.countsOf(pipeline.tenantId, { kind: "pipeline", id: pipeline.pipelineId }),
  });

  /** Returns the secrets of stored steps; the steps are read one pipeline after the other. */
  async function knownSecrets(
    { tenantId }: Principal,
    pipelineId: string | undefined,
  ): Promise<Map<string, KnownSecret>> {
    const found = new Map<string, KnownSecret>();
    for (const steps of repository.storedSteps(tenantId, pipelineId)) {
      for (const [mark, secret] of knownOf(steps)) found.set(mark, secret);
      await workShare.pause();
    }
    return found;
  }

  /** Seals the secrets of submitted steps; kept secrets are taken from the stored steps. */
  async function takeSteps(principal: Principal, input: unknown, pipelineId?: string): Promise<unknown> {
    const { seal, openUrl } = outbound;
    const steps = toPlainJson(input, "telemetry");
    const mayKeep = Array.isArray(steps) && steps.some(isWebhookStep);
    const secrets = mayKeep ? await knownSecrets(principal, pipelineId) : new Map<string, KnownSecret>();
    return sealSteps(steps, { seal, openUrl, known: secrets });
  }

  /** Writes a pipeline together with its new version, if any. */
  function save(principal: Principal, write: () => Pipeline): ShownPipeline {
    const by = principal.apiKey?.name ?? principal.email;
    const pipeline = deps.transact(() => {
      const written = write();
      const { pipelineId, version, scope, steps, updatedAt } = written;
      const isKept = repository.versionHeads(pipelineId).some((kept) => kept.version === version);
      const added = { version, scope, steps, by, createdAt: updatedAt };
      if (!isKept) repository.addVersion(pipelineId, added, VERSIONS_KEPT);
      return written;
    });
    engine.changed(principal.tenantId);
    return show(pipeline);
  }

  function change(principal: Principal, current: Pipeline, changes: Changes<Pipeline>): ShownPipeline {
    if (changes.steps === undefined && changes.scope === undefined)
      return save(principal, () => repository.update(current, changes));
    // Errors of the previous steps do not apply to the new steps.
    const errors = { lastError: null, lastErrorAt: null };
    engine.forgetError(current.pipelineId);
    return save(principal, () =>
      repository.update(current, { ...changes, ...errors, version: current.version + 1 }),
    );
  }

  return {
    /** Reads the pipelines in the order in which they run. */
    read: ({ tenantId }: Principal) => mapRows(repository.rows(tenantId), show),
    get: (principal: Principal, pipelineId: string): ShownPipeline => show(find(principal, pipelineId)),
    async create(principal: Principal, { steps, ...fields }: NewPipeline): Promise<ShownPipeline> {
      ensureAllDevices(principal, detail("action.create_data_pipelines"));
      const { tenantId } = principal;
      repository.ensureRoom(tenantId);
      if (fields.scope !== undefined) deps.ensureInTenant(principal, fields.scope);
      const accepted = accept(await takeSteps(principal, steps ?? []), principal);
      return save(principal, () => repository.insert(tenantId, { ...empty, ...fields, steps: accepted }));
    },
    async update(
      principal: Principal,
      pipelineId: string,
      { steps, ...changes }: PipelineChanges,
    ): Promise<ShownPipeline> {
      ensureAllDevices(principal, detail("action.change_data_pipelines"));
      find(principal, pipelineId);
      const taken = steps === undefined ? undefined : await takeSteps(principal, steps, pipelineId);
      const current = find(principal, pipelineId);
      if (changes.scope !== undefined) deps.ensureInTenant(principal, addedTo(current.scope, changes.scope));
      return change(principal, current, {
        ...changes,
        ...(steps !== undefined && { steps: accept(taken, principal, current) }),
      });
    },
    /** Deletes the pipeline with its waiting webhooks. */
    async delete(principal: Principal, pipelineId: string): Promise<void> {
      ensureAllDevices(principal, detail("action.delete_data_pipelines"));
      const { tenantId } = find(principal, pipelineId);
      await outbound.removeSource(tenantId, { kind: "pipeline", id: pipelineId }, () =>
        repository.delete(find(principal, pipelineId)),
      );
      engine.changed(tenantId);
      deps.events.emit("subject.deleted", { kind: "pipeline", id: pipelineId });
    },
    setStatus(principal: Principal, pipelineId: string, status: Pipeline["status"]): ShownPipeline {
      ensureAllDevices(principal, detail("action.start_pause_data_pipelines"));
      return change(principal, find(principal, pipelineId), { status });
    },
    readVersions(principal: Principal, id: string) {
      const { pipelineId } = find(principal, id);
      return {
        keys: repository.versionHeads(pipelineId),
        read({ version }: { readonly version: number }): PipelineVersion | undefined {
          const kept = repository.findVersion(pipelineId, version);
          return kept && { ...kept, steps: maskSteps(kept.steps) };
        },
      };
    },
    /** Restores scope and steps of an earlier version as a new one, with the usual validation, so that it can be edited and saved. */
    rollBack(principal: Principal, pipelineId: string, version: number): ShownPipeline {
      ensureAllDevices(principal, detail("action.change_data_pipelines"));
      const current = find(principal, pipelineId);
      const wanted = repository.findVersion(pipelineId, version);
      if (wanted === undefined) throw versionNotFound();
      return change(principal, current, {
        scope: wanted.scope,
        steps: accept(wanted.steps, principal, wanted),
      });
    },
    /** Returns the newest unprocessed message of a device with pipelines. @throws DomainError for a device that the caller may not see */
    newestMessage(principal: Principal, deviceId: string): Reading | undefined {
      const device = deps.deviceOf(principal, deviceId);
      return device && engine.newestOf(device);
    },
    async preview(principal: Principal, { steps, telemetry, ts, context }: PreviewRequest): Promise<Preview> {
      const { tenantId } = principal;
      if (!isJsonObject(telemetry)) throw invalid("telemetry.body_invalid");
      ensureSmall(telemetry);
      const values: Record<string, TelemetryValue> = Object.create(null);
      for (const [key, value] of Object.entries(telemetry)) {
        const plain = toPlainJson(value, "telemetry");
        if (plain !== null && key !== "") values[key] = plain;
      }
      const input = isJsonObject(context) ? context : {};
      const text = (name: string) => {
        const value = input[name];
        return typeof value === "string" ? { [name]: value } : {};
      };
      const existing = { ...text("deviceId"), ...text("profileId"), tenantId, attributes: input.attributes };
      const taken = await takeSteps(principal, steps);
      return previewSteps(
        taken,
        { ts: ts ?? clock.now(), values },
        { ...existing, refusalOf: refusalFor(principal) },
      );
    },
  };
}

export type PipelinesService = ReturnType<typeof createPipelinesService>;
