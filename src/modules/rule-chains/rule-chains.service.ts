import { defined } from "../../lib/defined.ts";
import { detail, forbidden } from "../../lib/domain-error.ts";
import type { DeviceId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import { newId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/log.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { DomainEvents } from "../events.types.ts";
import { ensureAllDevices } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import { checkConfig, rateOf, tooFast } from "./generator-config.ts";
import type { GeneratorEngine } from "./generator-engine.ts";
import { type Preview, previewConfig } from "./generator-preview.ts";
import {
  configInvalid,
  noDevices,
  rateLimit,
  ruleChainNotFound,
  ruleChainsLimit,
} from "./rule-chains.errors.ts";
import type { RuleChainsRepository } from "./rule-chains.repository.ts";
import {
  devicesOf,
  type GeneratorConfig,
  isRunning,
  type RuleChain,
  type RuleChainActivity,
  type RuleChainStatus,
} from "./rule-chains.types.ts";

export const RULE_CHAINS_MAX = 100;
/** Of the device that is made for a chain. */
const VIRTUAL_DEVICE_TYPE = "generator";
/** Devices that a chain shows by name. */
const DEVICES_SHOWN = 20;

export interface RuleChainChanges {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly status?: RuleChainStatus | undefined;
  readonly config?: unknown;
}
export type NewRuleChain = Required<Omit<RuleChainChanges, "description">> &
  Pick<RuleChainChanges, "description"> & { name: string; enabled: boolean; status: RuleChainStatus };

/** What of it the caller may not see is left out, and counted. */
export type SeenRuleChain = RuleChain & {
  /** The first 20. */
  readonly devices: ReadonlyArray<{ readonly deviceId: DeviceId; readonly name: string }>;
  readonly deviceCount: number;
  readonly hiddenDevices: number;
  readonly activity: RuleChainActivity | undefined;
};

/**
 * Rule chains of a tenant. As with timed jobs, a chain reaches no further than who wrote it: somebody with access to some devices sees
 * chains that send for at least one of them, and may change those that send for nothing else.
 */
export function createRuleChainsService(deps: {
  repository: RuleChainsRepository;
  engine: GeneratorEngine;
  devices: Pick<DevicesService, "ensureAllVisible" | "createMany">;
  directory: Pick<DeviceDirectory, "find">;
  transact: (work: () => void) => void;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}) {
  const { repository, engine, devices, clock } = deps;

  /** The chain as the caller sees it; undefined when nothing of it is the caller's to see. */
  function see({ devices: visible }: Principal, chain: RuleChain): SeenRuleChain | undefined {
    const all = devicesOf(chain);
    const shown = visible === "all" ? all : all.filter((deviceId) => visible.has(deviceId));
    if (visible !== "all" && shown.length === 0) return undefined;
    const { config } = chain;
    return {
      ...chain,
      config: config.deviceIds === undefined ? config : { ...config, deviceIds: shown },
      devices: shown.slice(0, DEVICES_SHOWN).flatMap((deviceId) => {
        const name = deps.directory.find(deviceId)?.name;
        return name === undefined ? [] : [{ deviceId, name }];
      }),
      deviceCount: shown.length,
      hiddenDevices: all.length - shown.length,
      activity: engine.activityOf(chain.id),
    };
  }

  function find(principal: Principal, id: string): { chain: RuleChain; seen: SeenRuleChain } {
    const chain = repository.find(principal.tenantId, id);
    const seen = chain && see(principal, chain);
    if (chain === undefined || seen === undefined) throw ruleChainNotFound();
    return { chain, seen };
  }

  /** For changing it: whoever may not see all that it sends for may not. */
  function ensureOwn(principal: Principal, id: string): RuleChain {
    const { chain, seen } = find(principal, id);
    if (seen.hiddenDevices > 0) throw forbidden("rule_chain.not_granted");
    return chain;
  }

  function parse(principal: Principal, given: unknown): GeneratorConfig {
    const { config, errors } = checkConfig(given);
    if (config === undefined) throw configInvalid(errors);
    if (config.deviceIds === undefined) ensureAllDevices(principal, detail("action.create_generator_device"));
    else devices.ensureAllVisible(principal, config.deviceIds);
    return config;
  }

  /** What all active chains of the tenant send together is bounded, so that devices are not kept from their own. */
  function ensureRate(chain: RuleChain): void {
    const sum = { messages: 0, values: 0 };
    const others = repository.list(chain.tenantId).filter(({ id }) => id !== chain.id);
    for (const active of [...others.filter(isRunning), chain]) {
      const { messages, values } = rateOf(active.config, Math.max(1, devicesOf(active).length));
      sum.messages += messages;
      sum.values += values;
    }
    const excess = tooFast(sum);
    if (excess !== undefined) throw rateLimit(excess);
  }

  /** Writes a chain as it is to be, with the device that it needs, and has it take effect. */
  function save(principal: Principal, wanted: RuleChain, write: (chain: RuleChain) => void): RuleChain {
    let chain: RuleChain = { ...wanted, status: wanted.enabled ? wanted.status : "paused" };
    if (isRunning(chain)) {
      ensureRate(chain);
      chain = { ...chain, lastError: null, lastErrorAt: null };
    }
    if (isRunning(chain) && devicesOf(chain).length === 0) {
      if (chain.config.deviceIds !== undefined) throw noDevices();
      const device = { name: chain.name, deviceType: VIRTUAL_DEVICE_TYPE };
      devices.createMany(principal, [device], ({ deviceId }) => {
        chain = { ...chain, virtualDeviceId: deviceId };
        write(chain);
      });
    } else deps.transact(() => write(chain));
    return chain;
  }

  function change(principal: Principal, current: RuleChain, changes: Partial<RuleChain>): SeenRuleChain {
    const wanted = { ...current, ...changes, updatedAt: clock.now() };
    const chain = save(principal, wanted, repository.update);
    const isSame = JSON.stringify(chain.config) === JSON.stringify(current.config);
    if (!isSame || isRunning(chain) !== isRunning(current)) engine.changed(chain);
    return find(principal, chain.id).seen;
  }

  function pauseAlone(chain: RuleChain, config: GeneratorConfig, virtualDeviceId: DeviceId | null): void {
    const now = clock.now();
    const paused: RuleChain = {
      ...chain,
      config,
      virtualDeviceId,
      status: chain.status === "active" ? "paused" : chain.status,
      lastError: detail("generator_error.devices_deleted"),
      lastErrorAt: now,
      updatedAt: now,
    };
    repository.update(paused);
    engine.changed(paused);
    deps.log.warn("a rule chain was paused: its devices were deleted", { chain: chain.id, name: chain.name });
  }

  function forgetDevice(chain: RuleChain, deviceId: DeviceId): void {
    const virtualDeviceId = chain.virtualDeviceId === deviceId ? null : chain.virtualDeviceId;
    const deviceIds = chain.config.deviceIds?.filter((id) => id !== deviceId);
    const config = deviceIds === undefined ? chain.config : { ...chain.config, deviceIds };
    const left: RuleChain = { ...chain, config, virtualDeviceId };
    if (devicesOf(left).length === 0 && devicesOf(chain).length > 0)
      pauseAlone(chain, config, virtualDeviceId);
    else {
      repository.update({ ...left, updatedAt: clock.now() });
      if (devicesOf(left).length < devicesOf(chain).length && isRunning(left)) engine.changed(left);
    }
  }

  deps.events.on("device.deleted", ({ tenantId, deviceId }) => {
    for (const chain of repository.listOfDevice(tenantId, deviceId)) forgetDevice(chain, deviceId);
  });

  deps.events.on("tenant.deleted", ({ tenantId }) => engine.tenantRemoved(tenantId));

  return {
    list: (principal: Principal): SeenRuleChain[] =>
      repository.list(principal.tenantId).flatMap((chain) => see(principal, chain) ?? []),
    get: (principal: Principal, id: string): SeenRuleChain => find(principal, id).seen,
    create(
      principal: Principal,
      { name, description, enabled, status, config }: NewRuleChain,
    ): SeenRuleChain {
      const now = clock.now();
      const wanted: RuleChain = {
        id: newId(),
        tenantId: principal.tenantId,
        name,
        description: description ?? null,
        enabled,
        status,
        config: parse(principal, config),
        virtualDeviceId: null,
        lastError: null,
        lastErrorAt: null,
        createdAt: now,
        updatedAt: now,
      };
      if (repository.count(principal.tenantId) >= RULE_CHAINS_MAX) throw ruleChainsLimit(RULE_CHAINS_MAX);
      const chain = save(principal, wanted, repository.insert);
      if (isRunning(chain)) engine.changed(chain);
      return find(principal, chain.id).seen;
    },
    update(principal: Principal, id: string, { config, ...changes }: RuleChainChanges): SeenRuleChain {
      const current = ensureOwn(principal, id);
      return change(principal, current, {
        ...defined(changes),
        ...(config !== undefined && { config: parse(principal, config) }),
      });
    },
    delete(principal: Principal, id: string): void {
      const chain = ensureOwn(principal, id);
      repository.delete(chain.id);
      engine.removed(chain.id);
    },
    start: (principal: Principal, id: string): SeenRuleChain =>
      change(principal, ensureOwn(principal, id), { enabled: true, status: "active" }),
    pause: (principal: Principal, id: string): SeenRuleChain =>
      change(principal, ensureOwn(principal, id), { status: "paused" }),
    preview: (principal: Principal, given: unknown): Preview =>
      previewConfig(given, {
        now: clock.now(),
        isVisible: (deviceId) =>
          (principal.devices === "all" || principal.devices.has(deviceId)) &&
          deps.directory.find(deviceId)?.tenantId === principal.tenantId,
      }),
    /** None of its devices is there any more: it ends until somebody says what it is for. */
    pauseOrphaned(chain: RuleChain): void {
      const current = repository.find(chain.tenantId, chain.id);
      if (current === undefined) {
        engine.removed(chain.id);
        return;
      }
      const config =
        current.config.deviceIds === undefined ? current.config : { ...current.config, deviceIds: [] };
      pauseAlone(current, config, null);
    },
  };
}

export type RuleChainsService = ReturnType<typeof createRuleChainsService>;
