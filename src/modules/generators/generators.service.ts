import { defined } from "../../lib/core/defined.ts";
import { detail, forbidden } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { invariant } from "../../lib/core/invariant.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Changes } from "../../platform/database/resource-store.ts";
import { mapRows } from "../../platform/database/row-list.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { withoutHidden } from "../api/resource.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { DomainEvents } from "../events.types.ts";
import type { TelemetryValue } from "../telemetry/telemetry.types.ts";
import { ensureAllDevices } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import { checkConfig, problem, rateOf, tooFast } from "./generator-config.ts";
import type { GeneratorEngine } from "./generator-engine.ts";
import { configInvalid, generatorNotFound, noDevices, rateLimit } from "./generators.errors.ts";
import type { GeneratorsRepository } from "./generators.repository.ts";
import type { Generator, generatorResource } from "./generators.resource.ts";
import { devicesOf, type GeneratorActivity, type GeneratorConfig, isRunning } from "./generators.types.ts";
import { createMetricValues } from "./metric-values.ts";

const READINGS_SHOWN = 60;

interface Preview {
  readonly success: boolean;
  readonly result: Record<string, unknown>;
  readonly warnings: readonly Text[];
  readonly errors: readonly Text[];
}

/** Returns the messages that a config would make one of its devices send from now on. */
function previewConfig(
  input: unknown,
  options: { now: number; isVisible: (deviceId: DeviceId) => boolean },
): Preview {
  if (!isJsonObject(input)) throw configInvalid([problem("config", detail("rule.object"))]);
  const { config, errors, warnings } = checkConfig(input);
  if (config === undefined) return { success: false, result: {}, warnings, errors };
  const { intervalSeconds, metrics, deviceIds } = config;
  const missing = deviceIds?.filter((deviceId) => !options.isVisible(deviceId)) ?? [];
  const deviceCount = deviceIds === undefined ? 1 : deviceIds.length - missing.length;
  const course = { intervalSeconds, offset: 0, last: undefined, random: Math.random };
  const values = metrics.map((metric) => ({ key: metric.key, next: createMetricValues(metric, course) }));
  const readings = Array.from({ length: READINGS_SHOWN }, (_, index) => {
    const ts = options.now + Math.round(index * intervalSeconds * 1000);
    const telemetry: Record<string, TelemetryValue> = Object.create(null);
    for (const { key, next } of values) telemetry[key] = next(ts);
    return { ts, values: telemetry };
  });
  const rate = rateOf(config, deviceCount);
  return {
    success: true,
    result: {
      readings,
      deviceCount,
      messagesPerDay: Math.round(rate.messages * 86_400),
      valuesPerDay: Math.round(rate.values * 86_400),
    },
    warnings: [
      ...missing.map((deviceId) =>
        problem("deviceIds", detail("rule.device_unknown", { deviceId: excerpt(deviceId) })),
      ),
      ...warnings,
    ].slice(0, 20),
    errors,
  };
}

/** Type of the device that is created for a generator. */
const VIRTUAL_DEVICE_TYPE = "generator";
/** Max. devices of a generator listed by name. */
const DEVICES_SHOWN = 20;

type NewGenerator = typeof generatorResource.$create;
type GeneratorChanges = typeof generatorResource.$update;
/** Generator to be written; without an id while it is new. */
type Wanted = Omit<Generator, "id" | "createdAt" | "updatedAt"> & { readonly id?: string };

/** Generator without hidden devices, which are only counted. */
export type VisibleGenerator = Generator & {
  /** First 20 devices. */
  readonly devices: ReadonlyArray<{ readonly deviceId: DeviceId; readonly name: string }>;
  readonly deviceCount: number;
  readonly hiddenDevices: number;
  readonly activity: GeneratorActivity | undefined;
};

/**
 * Creates the service for generators of a tenant. As with scheduled jobs, a generator is limited to its author's access: a user with access to some
 * devices sees generators for at least one of them, and may change generators for only those devices.
 */
export function createGeneratorsService(deps: {
  repository: GeneratorsRepository;
  engine: GeneratorEngine;
  devices: Pick<DevicesService, "ensureAllVisible" | "createMany">;
  directory: Pick<DeviceDirectory, "find">;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}) {
  const { repository, engine, devices, clock } = deps;

  /** Returns the generator without hidden devices; undefined if the caller sees none of its devices. */
  function visibleTo({ devices: visible }: Principal, generator: Generator): VisibleGenerator | undefined {
    const all = devicesOf(generator);
    const shown = visible === "all" ? all : all.filter((deviceId) => visible.has(deviceId));
    if (visible !== "all" && shown.length === 0) return undefined;
    const { config } = generator;
    return {
      ...generator,
      config: config.deviceIds === undefined ? config : { ...config, deviceIds: shown },
      devices: shown.slice(0, DEVICES_SHOWN).flatMap((deviceId) => {
        const name = deps.directory.find(deviceId)?.name;
        return name === undefined ? [] : [{ deviceId, name }];
      }),
      deviceCount: shown.length,
      hiddenDevices: all.length - shown.length,
      activity: engine.activityOf(generator.id),
    };
  }

  function find(principal: Principal, id: string): { generator: Generator; visible: VisibleGenerator } {
    const generator = repository.find(principal.tenantId, id);
    const visible = generator && visibleTo(principal, generator);
    if (generator === undefined || visible === undefined) throw generatorNotFound();
    return { generator, visible };
  }

  /** Returns a generator to change, which requires access to all of its devices. */
  function ensureOwn(principal: Principal, id: string): Generator {
    const { generator, visible } = find(principal, id);
    if (visible.hiddenDevices > 0) throw forbidden("generator.not_granted");
    return generator;
  }

  function parse(principal: Principal, input: unknown): GeneratorConfig {
    const { config, errors } = checkConfig(input);
    if (config === undefined) throw configInvalid(errors);
    if (config.deviceIds === undefined) ensureAllDevices(principal, detail("action.create_generator_device"));
    else devices.ensureAllVisible(principal, config.deviceIds);
    return config;
  }

  /** Limits the total rate of the tenant's active generators, so that devices keep their own share. */
  function ensureRate(generator: Wanted): void {
    const sum = { messages: 0, values: 0 };
    const others = repository.list(generator.tenantId).filter(({ id }) => id !== generator.id);
    for (const active of [...others.filter(isRunning), generator]) {
      const { messages, values } = rateOf(active.config, Math.max(1, devicesOf(active).length));
      sum.messages += messages;
      sum.values += values;
    }
    const excess = tooFast(sum);
    if (excess !== undefined) throw rateLimit(excess);
  }

  /** Writes a generator, creating its device if necessary. */
  function save(principal: Principal, wanted: Wanted, write: (generator: Wanted) => Generator): Generator {
    const generator: Wanted = { ...wanted, status: wanted.enabled ? wanted.status : "paused" };
    if (!isRunning(generator)) return write(generator);
    ensureRate(generator);
    const running = { ...generator, lastError: null, lastErrorAt: null };
    if (devicesOf(running).length > 0) return write(running);
    if (running.config.deviceIds !== undefined) throw noDevices();
    const device = { name: running.name, deviceType: VIRTUAL_DEVICE_TYPE };
    let written: Generator | undefined;
    devices.createMany(principal, [device], ({ deviceId }) => {
      written = write({ ...running, virtualDeviceId: deviceId });
    });
    invariant(written !== undefined, "a device was created");
    return written;
  }

  function change(principal: Principal, current: Generator, changes: Changes<Generator>): VisibleGenerator {
    const wanted = { ...current, ...defined(changes) };
    const generator = save(principal, wanted, (changed) => repository.update(current, changed));
    const isSame = JSON.stringify(generator.config) === JSON.stringify(current.config);
    if (!isSame || isRunning(generator) !== isRunning(current)) engine.changed(generator);
    return find(principal, generator.id).visible;
  }

  function pauseWithoutDevices(
    generator: Generator,
    config: GeneratorConfig,
    virtualDeviceId: DeviceId | null,
  ): void {
    const paused = repository.update(generator, {
      config,
      virtualDeviceId,
      status: generator.status === "active" ? "paused" : generator.status,
      lastError: detail("generator_error.devices_deleted"),
      lastErrorAt: clock.now(),
    });
    engine.changed(paused);
    deps.log.warn("generator paused, its devices were deleted", {
      generator: generator.id,
      name: generator.name,
    });
  }

  function forgetDevice(generator: Generator, deviceId: DeviceId): void {
    const virtualDeviceId = generator.virtualDeviceId === deviceId ? null : generator.virtualDeviceId;
    const deviceIds = generator.config.deviceIds?.filter((id) => id !== deviceId);
    const config = deviceIds === undefined ? generator.config : { ...generator.config, deviceIds };
    const left: Generator = { ...generator, config, virtualDeviceId };
    if (devicesOf(left).length === 0 && devicesOf(generator).length > 0)
      pauseWithoutDevices(generator, config, virtualDeviceId);
    else {
      repository.update(generator, { config, virtualDeviceId });
      if (devicesOf(left).length < devicesOf(generator).length && isRunning(left)) engine.changed(left);
    }
  }

  deps.events.on("device.deleted", ({ tenantId, deviceId }) => {
    for (const generator of repository.listOfDevice(tenantId, deviceId)) forgetDevice(generator, deviceId);
  });

  deps.events.on("tenant.deleted", ({ tenantId }) => engine.tenantRemoved(tenantId));

  return {
    read(principal: Principal) {
      const all = mapRows(repository.rows(principal.tenantId), (row) => visibleTo(principal, row));
      return principal.devices === "all" ? all : withoutHidden(all);
    },
    get: (principal: Principal, id: string): VisibleGenerator => find(principal, id).visible,
    create(
      principal: Principal,
      { name, description, enabled, status, config }: NewGenerator,
    ): VisibleGenerator {
      const { tenantId } = principal;
      const wanted: Wanted = {
        tenantId,
        name,
        description: description ?? null,
        enabled,
        status,
        config: parse(principal, config),
        virtualDeviceId: null,
        lastError: null,
        lastErrorAt: null,
      };
      repository.ensureRoom(tenantId);
      const generator = save(principal, wanted, (fields) => repository.insert(tenantId, fields));
      if (isRunning(generator)) engine.changed(generator);
      return find(principal, generator.id).visible;
    },
    update(principal: Principal, id: string, changes: GeneratorChanges): VisibleGenerator {
      const current = ensureOwn(principal, id);
      const { name, description, enabled, status, config } = changes;
      return change(principal, current, {
        name,
        description,
        enabled,
        status,
        ...(config !== undefined && { config: parse(principal, config) }),
      });
    },
    delete(principal: Principal, id: string): void {
      const generator = ensureOwn(principal, id);
      repository.delete(generator);
      engine.removed(generator.id);
    },
    start: (principal: Principal, id: string): VisibleGenerator =>
      change(principal, ensureOwn(principal, id), { enabled: true, status: "active" }),
    pause: (principal: Principal, id: string): VisibleGenerator =>
      change(principal, ensureOwn(principal, id), { status: "paused" }),
    preview: (principal: Principal, input: unknown): Preview =>
      previewConfig(input, {
        now: clock.now(),
        isVisible: (deviceId) =>
          (principal.devices === "all" || principal.devices.has(deviceId)) &&
          deps.directory.find(deviceId)?.tenantId === principal.tenantId,
      }),
    /** Pauses a generator whose devices were all deleted, until a user selects others. */
    pauseOrphaned(generator: Generator): void {
      const current = repository.find(generator.tenantId, generator.id);
      if (current === undefined) {
        engine.removed(generator.id);
        return;
      }
      const config =
        current.config.deviceIds === undefined ? current.config : { ...current.config, deviceIds: [] };
      pauseWithoutDevices(current, config, null);
    },
  };
}

export type GeneratorsService = ReturnType<typeof createGeneratorsService>;
