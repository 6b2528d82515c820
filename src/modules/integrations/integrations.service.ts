import { conflict, detail } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { filtersOverlap, withoutShare } from "../../lib/mqtt/topic-filters.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import { newId } from "../../platform/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { mapRows } from "../../platform/database/row-list.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { CodecUse } from "../codecs/codecs.types.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestService } from "../ingest/ingest.service.ts";
import type { ScriptSandbox } from "../script-sandbox/script-sandbox.ts";
import { ensureAllDevices, ensurePersonSets } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import { ensureTopicDevice, filtersOf } from "./bridge/topic-device.ts";
import type { EventLog } from "./events/event-log.ts";
import type { DeviceResolution } from "./inbound/device-resolution.ts";
import type { DecodeFrame } from "./inbound/frame-decoding.ts";
import {
  type IntegrationPreview,
  type PreviewRequest,
  previewMessage,
} from "./inbound/integration-preview.ts";
import {
  compileMapping,
  createLive,
  type LiveIntegration,
  type LiveIntegrationDeps,
} from "./inbound/live-integration.ts";
import { isRunning, oldestRunning } from "./inbound/running-integrations.ts";
import { scriptKeysOf } from "./integration-principal.ts";
import {
  ensureReachable,
  mergeSettings,
  parseSettings,
  type SplitSettings,
  sealSecrets,
  serverUrlsOf,
  splitOf,
} from "./integration-settings.ts";
import { defaultNotRunning, typeFixed } from "./integrations.errors.ts";
import type { IntegrationsRepository } from "./integrations.repository.ts";
import type { BriefIntegration, Integration, integrationResource } from "./integrations.resource.ts";
import type { IntegrationStatus, IntegrationType } from "./integrations.types.ts";
import { type Webhook, webhooksOf } from "./integrations.wire.ts";
import { nameOfType, type ShownIntegration, showIntegration } from "./shown-integration.ts";

type Candidate = Pick<Integration, "integrationId" | "status" | "settings">;

function overlap({ settings: a }: Candidate, { settings: b }: Candidate): boolean {
  if (a.mqtt === undefined || b.mqtt === undefined || a.mqtt.brokerUrl !== b.mqtt.brokerUrl) return false;
  const others = filtersOf(b.mqtt).map(withoutShare);
  return filtersOf(a.mqtt).some((filter) =>
    others.some((other) => filtersOverlap(withoutShare(filter), other)),
  );
}

const follows = ({ status, settings }: Candidate): boolean =>
  settings.format === "home-assistant" && isRunning({ status });

/**
 * Ensures that no other running integration reads the same announcements: each would store every reading and send every command.
 * @throws DomainError `conflict`
 */
function ensureOwnDiscovery(candidate: Candidate, all: readonly BriefIntegration[]): void {
  if (!follows(candidate)) return;
  const other = all.find(
    (integration) =>
      integration.integrationId !== candidate.integrationId &&
      follows(integration) &&
      overlap(candidate, integration),
  );
  if (other !== undefined) throw conflict("integration.discovery_taken", { name: excerpt(other.name) });
}

type IntegrationChanges = typeof integrationResource.$update;
type NewIntegration = typeof integrationResource.$create;

export interface IntegrationFilter {
  readonly type?: string | undefined;
  readonly status?: string | undefined;
}

/** Returns the source of an added or changed script. */
function newScript(type: IntegrationType, input: unknown, before?: SplitSettings): string | undefined {
  const { source = "" } = parseSettings(type, input, before).settings.scriptTransform ?? {};
  return source.trim() === "" || source === before?.settings.scriptTransform?.source ? undefined : source;
}

/** @throws DomainError `auth.person_needed` if an API key adds a server that no user has set */
function ensureOwnServers(
  principal: Principal,
  type: IntegrationType,
  input: unknown,
  before?: SplitSettings,
): void {
  const { settings } = parseSettings(type, input, before);
  ensurePersonSets(principal, serverUrlsOf(settings), before && serverUrlsOf(before.settings));
}

interface IntegrationsServiceDeps extends LiveIntegrationDeps {
  repository: IntegrationsRepository;
  eventLog: Pick<EventLog, "countsOf" | "forget">;
  resolution: Pick<DeviceResolution, "preview">;
  scripts: { sandbox: Pick<ScriptSandbox, "breakerOf" | "reset">; trials: Pick<ScriptSandbox, "run"> };
  /** @throws DomainError `invalid` if the source does not define an entry function */
  ensureScript: (tenantId: TenantId, source: string) => Promise<unknown>;
  toReadings: IngestService["toReadings"];
  decodeFrame: DecodeFrame;
  ensureCodecs: (tenantId: TenantId, uses: readonly CodecUse[]) => void;
  ensureProfile: (tenantId: TenantId, profileId: string) => void;
  /** Returns why the gateway does not connect to the URL's server, judged by the URL alone; undefined if it does. */
  refusalOf: (tenantId: TenantId, url: string) => Text | undefined;
  /** Discards the integration's waiting downlinks, and then calls `remove`. */
  abandon: (integrationId: string, remove: () => void) => Promise<void>;
  transact: MainDatabase["transact"];
  clock: Clock;
  events: EventBus<DomainEvents>;
}

/** Creates the service through which administrators manage integrations. */
export function createIntegrationsService(deps: IntegrationsServiceDeps) {
  const { repository, eventLog, box, clock } = deps;
  /** Active integrations that were used, by id. */
  const live = new Map<string, LiveIntegration>();

  const split = (integration: Integration): SplitSettings => splitOf(box, integration);
  const show = (integration: Integration) => showIntegration(deps, integration);

  const find = ({ tenantId }: Principal, integrationId: string): Integration =>
    repository.get(tenantId, integrationId);

  function changed(integration: Integration): void {
    live.delete(integration.integrationId);
    for (const key of scriptKeysOf(integration)) deps.scripts.sandbox.reset(key);
    const { tenantId, integrationId } = integration;
    deps.events.emit("integration.changed", { tenantId, integrationId });
  }

  function save(current: Integration, changes: Partial<Integration>): ShownIntegration {
    ensureOwnDiscovery({ ...current, ...changes }, repository.listBriefly(current.tenantId));
    const saved = repository.update(current, changes);
    changed(saved);
    return show(saved);
  }

  function checkSettings(tenantId: TenantId, type: IntegrationType, input: unknown, before?: SplitSettings) {
    const { settings, secrets } = parseSettings(type, input, before);
    ensureReachable(settings, (url) => deps.refusalOf(tenantId, url));
    if (settings.profileId !== undefined) deps.ensureProfile(tenantId, settings.profileId);
    deps.ensureCodecs(tenantId, settings.codecs ?? []);
    return { settings, secrets: sealSecrets(box, secrets) };
  }

  /** Checks that new scripts can run and that new servers were entered by a user. */
  async function checkInput(principal: Principal, ...input: Parameters<typeof newScript>) {
    const source = newScript(...input);
    if (source !== undefined) await deps.ensureScript(principal.tenantId, source);
    ensureOwnServers(principal, ...input);
  }

  function checkMapping(steps: unknown): readonly unknown[] {
    compileMapping(steps);
    return steps as readonly unknown[]; // a list of steps, as was just found
  }

  /** Returns whether the integration may become the default of its type: only if running, because it would refuse messages otherwise. */
  const mayBecomeDefault = (tenantId: TenantId, type: IntegrationType, status: IntegrationStatus): boolean =>
    isRunning({ status }) && repository.findDefault(tenantId, type) === undefined;

  function insert(tenantId: TenantId, newIntegration: NewIntegration): Integration {
    const status = newIntegration.status ?? "draft";
    if (newIntegration.isDefault === true && !isRunning({ status })) throw defaultNotRunning();
    const isFirst = mayBecomeDefault(tenantId, newIntegration.type, status);
    const integration = {
      integrationId: newId(),
      tenantId,
      name: newIntegration.name,
      type: newIntegration.type,
      status,
      isDefault: isFirst,
      ...checkSettings(tenantId, newIntegration.type, newIntegration.settings_json ?? {}),
      mappingSteps:
        newIntegration.mappingSteps === undefined ? [] : checkMapping(newIntegration.mappingSteps),
      received: 0,
      stored: 0,
      dropped: 0,
      failed: 0,
      sent: 0,
      lastMessageAt: null,
      lastError: null,
      lastErrorAt: null,
    };
    ensureOwnDiscovery(integration, repository.listBriefly(tenantId));
    const inserted = deps.transact(() => {
      const row = repository.insert(tenantId, integration);
      if (newIntegration.isDefault === true && !isFirst) repository.setDefault(row, row.createdAt);
      return row;
    });
    const created = { ...inserted, isDefault: isFirst || newIntegration.isDefault === true };
    changed(created);
    return created;
  }

  function remove(integration: Integration): void {
    const { tenantId, integrationId, isDefault, type } = integration;
    deps.events.emit("integration.deleting", { tenantId, integrationId });
    eventLog.forget(integrationId);
    repository.delete(integration);
    changed(integration);
    if (isDefault) promoteOldest(tenantId, type);
  }

  /** Makes the oldest running integration the default of a type that has none. */
  function promoteOldest(tenantId: TenantId, type: IntegrationType): Integration | undefined {
    const oldest = oldestRunning(repository.listBriefly(tenantId), type);
    if (oldest === undefined) return undefined;
    deps.transact(() => repository.setDefault(oldest, clock.now()));
    const promoted = repository.get(tenantId, oldest.integrationId);
    changed(promoted);
    return promoted;
  }

  function liveOf(integrationId: string): LiveIntegration | undefined {
    const liveIntegration = live.get(integrationId);
    if (liveIntegration !== undefined) return liveIntegration;
    const integration = repository.findAcrossTenants(integrationId);
    if (integration === undefined || !isRunning(integration)) return undefined;
    const createdLive = createLive(deps, integration);
    live.set(integrationId, createdLive);
    return createdLive;
  }

  deps.events.on("tenant.deleted", ({ tenantId }) => {
    for (const [integrationId, { integration }] of live)
      if (integration.tenantId === tenantId) live.delete(integrationId);
  });

  return {
    read({ tenantId }: Principal, { type, status }: IntegrationFilter) {
      const { keys, read } = mapRows(repository.rows(tenantId), show);
      const isWanted = (head: IntegrationFilter) =>
        (type === undefined || head.type === type) && (status === undefined || head.status === status);
      return { keys: keys.filter(isWanted), read };
    },
    get: (principal: Principal, integrationId: string): ShownIntegration =>
      show(find(principal, integrationId)),
    async create(principal: Principal, newIntegration: NewIntegration): Promise<ShownIntegration> {
      await ensureTopicDevice(newIntegration.settings_json);
      ensureAllDevices(principal, detail("action.create_integration"));
      await checkInput(principal, newIntegration.type, newIntegration.settings_json ?? {});
      return show(insert(principal.tenantId, newIntegration));
    },
    async update(
      principal: Principal,
      integrationId: string,
      { type, name, settings_json, mappingSteps }: IntegrationChanges,
    ): Promise<ShownIntegration> {
      if (type !== undefined && type !== find(principal, integrationId).type) throw typeFixed();
      await ensureTopicDevice(settings_json);
      ensureAllDevices(principal, detail("action.change_integration"));
      const asked = find(principal, integrationId);
      if (settings_json !== undefined) {
        const input = mergeSettings(split(asked), settings_json);
        await checkInput(principal, asked.type, input, split(asked));
      }
      // Others may have changed it while its script was checked.
      const current = find(principal, integrationId);
      const before = split(current);
      return save(current, {
        ...(name !== undefined && { name }),
        ...(settings_json !== undefined &&
          checkSettings(current.tenantId, current.type, mergeSettings(before, settings_json), before)),
        ...(mappingSteps !== undefined && { mappingSteps: checkMapping(mappingSteps) }),
      });
    },
    async delete(principal: Principal, integrationId: string): Promise<void> {
      ensureAllDevices(principal, detail("action.delete_integration"));
      find(principal, integrationId);
      await deps.abandon(integrationId, () => {
        // Others may have deleted or changed it while its downlinks were given up.
        remove(find(principal, integrationId));
      });
    },
    setStatus(principal: Principal, integrationId: string, status: "active" | "paused"): ShownIntegration {
      ensureAllDevices(principal, detail("action.start_pause_integration"));
      const current = find(principal, integrationId);
      if (current.status === status) return show(current);
      const isDefault = current.isDefault || mayBecomeDefault(current.tenantId, current.type, status);
      return save(current, { status, isDefault, lastError: null, lastErrorAt: null });
    },
    /** Makes the integration receive messages to the URL of its type that name no integration. @throws conflict unless it is running */
    setDefault(principal: Principal, integrationId: string): ShownIntegration {
      ensureAllDevices(principal, detail("action.change_integration"));
      const current = find(principal, integrationId);
      if (!isRunning(current)) throw defaultNotRunning();
      deps.transact(() => repository.setDefault(current, clock.now()));
      return show(find(principal, integrationId));
    },
    preview(principal: Principal, request: PreviewRequest): Promise<IntegrationPreview> {
      ensureAllDevices(principal, detail("action.preview_integration"));
      const { integrationId, settings_json = {} } = request;
      const current = integrationId === undefined ? undefined : find(principal, integrationId);
      const before = current && split(current);
      const type = current?.type ?? request.type;
      const input = before === undefined ? settings_json : mergeSettings(before, settings_json);
      return previewMessage(request, {
        ...deps,
        runScript: (run) => deps.scripts.trials.run(run),
        integration: {
          // Not its own id: a trial that overruns must not have the integration itself held up.
          integrationId: `preview:${principal.tenantId}`,
          tenantId: principal.tenantId,
          name: current?.name ?? "preview",
          type,
          ...checkSettings(principal.tenantId, type, input, before),
          mappingSteps:
            request.mappingSteps !== undefined && deps.isMapped
              ? checkMapping(request.mappingSteps)
              : (current?.mappingSteps ?? []),
        },
      });
    },
    /** Active integrations, for other modules. */
    liveOf,
    /** Returns the tenant's default integration of a type, creating it if necessary, so that messages are listed. */
    ensureDefault: (tenantId: TenantId, type: IntegrationType): Integration =>
      repository.findDefault(tenantId, type) ??
      promoteOldest(tenantId, type) ??
      insert(tenantId, { name: nameOfType[type], type, status: "active" }),
    find: (integrationId: string): Integration | undefined => repository.findAcrossTenants(integrationId),
    /** Returns the paths that accept messages: one for each type, and one for each integration. */
    listWebhooks: (tenantId: TenantId): Webhook[] => webhooksOf(repository.listBriefly(tenantId)),
    /** Returns an integration of the caller's tenant. @throws not_found */
    ensure: find,
    /** Prepares an integration, active or not. */
    readyOf: (integration: Integration): LiveIntegration =>
      liveOf(integration.integrationId) ?? createLive(deps, integration),
  };
}

export type IntegrationsService = ReturnType<typeof createIntegrationsService>;
