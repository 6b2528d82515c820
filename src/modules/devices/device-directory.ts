import type { DeviceId, ProfileId, TenantId } from "../../lib/core/ids.ts";
import { RateMeter } from "../../lib/data/rate-meter.ts";
import { StringPool } from "../../lib/data/string-pool.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { ProfileSettings } from "../profiles/profiles.resource.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import type { StoreDevice } from "../telemetry/telemetry.types.ts";
import type { Principal } from "../users/users.types.ts";
import { isVisible } from "./device-building.ts";
import { deviceNotFound } from "./devices.errors.ts";
import type { DevicesRepository } from "./devices.repository.ts";
import type { Device } from "./devices.types.ts";

/** Max. cached devices for the hot path, even if no session holds them. */
const CACHED_MAX = 200_000;

interface DeviceDirectoryDeps {
  readonly repository: DevicesRepository;
  readonly profiles: ProfilesService;
  readonly storeDevice: (device: Device) => StoreDevice;
  readonly metersOf: (tenantId: TenantId) => { readonly messages: RateMeter; readonly bytes: RateMeter };
  /** Limit of a device if its profile sets none; 0 for no limit. */
  readonly messagesPerSecond: number;
  /** Limit of every device; 0 for no limit. */
  readonly bytesPerSecond: number;
  readonly events: EventBus<DomainEvents>;
}

/**
 * Devices for sessions and device routes: one shared object per device, created on first use and updated by events, so that a deleted or re-keyed
 * device is `revoked` for all its holders.
 */
export class DeviceDirectory {
  /** Devices still in use, by id, so that their holders see their end. */
  readonly #byId = new Map<DeviceId, WeakRef<IngestDevice>>();
  /** Removes unused devices from `byId`. */
  readonly #forgotten = new FinalizationRegistry<DeviceId>((deviceId) => {
    if (this.#byId.get(deviceId)?.deref() === undefined) this.#byId.delete(deviceId);
  });
  /** Most recently used devices, which are kept. */
  readonly #ready = new Set<IngestDevice>();
  /** Devices by token, for used tokens only, so that hashing is not repeated for each message. Revoked devices are invalid. */
  readonly #byToken = new Map<string, IngestDevice>();
  /** Interned ids of tenants and profiles and profile settings, which many devices share. */
  readonly #strings = new StringPool();

  readonly #deps: DeviceDirectoryDeps;

  constructor(deps: DeviceDirectoryDeps) {
    this.#deps = deps;
  }

  /** Subscribes to changes of devices and profiles. The module calls it once, before anything is started. */
  subscribe(): void {
    const { events } = this.#deps;
    events.on("device.deleted", ({ deviceId }) => this.#revoke(deviceId));
    events.on("device.credentials", ({ deviceId }) => this.#revoke(deviceId));
    events.on("device.updated", ({ deviceId }) => this.#deviceUpdated(deviceId));
    events.on("profile.changed", ({ tenantId, profileId }) => this.#profileChanged(tenantId, profileId));
  }

  findByToken(token: string): IngestDevice | undefined {
    const { repository } = this.#deps;
    if (token.startsWith("!")) return undefined; // what stands in place of a token opens nothing
    const cached = this.#byToken.get(token);
    if (cached?.revoked === false) return cached;
    this.#byToken.delete(token);
    const device = repository.findByTokenHash(repository.hashOf(token));
    if (device === undefined) return undefined;
    if (this.#byToken.size >= CACHED_MAX) this.#byToken.clear();
    const kept = this.#keep(device);
    this.#byToken.set(token, kept);
    return kept;
  }

  find(deviceId: DeviceId): IngestDevice | undefined {
    const kept = this.#byId.get(deviceId)?.deref();
    if (kept !== undefined) return kept;
    const device = this.#deps.repository.find(deviceId);
    return device && this.#keep(device);
  }

  /** Returns a device that the caller may see. @throws DomainError `not_found` */
  ensureVisible(principal: Principal, deviceId: string): IngestDevice {
    const device = this.find(deviceId as DeviceId); // a wrong id is simply not found
    if (device?.tenantId !== principal.tenantId || !isVisible(principal, device.deviceId))
      throw deviceNotFound(deviceId);
    return device;
  }

  #keep(device: Device): IngestDevice {
    const { deviceId } = device;
    const existing = this.#byId.get(deviceId)?.deref();
    if (existing !== undefined) return existing;
    const ready = this.#ready;
    if (ready.size >= CACHED_MAX) ready.delete(ready.values().next().value as IngestDevice); // the set is not empty
    const ingestDevice = this.#create(device);
    this.#byId.set(deviceId, new WeakRef(ingestDevice));
    this.#forgotten.register(ingestDevice, deviceId);
    ready.add(ingestDevice);
    return ingestDevice;
  }

  #create(device: Device): IngestDevice {
    const { storeDevice, metersOf, bytesPerSecond, profiles } = this.#deps;
    const { deviceId, profileId } = device;
    const tenantId = this.#strings.of(device.tenantId);
    const profile = profiles.settingsOf(tenantId, profileId);
    const ingestDevice: IngestDevice = {
      deviceId,
      tenantId,
      ...this.#describe(device, profile),
      store: storeDevice({ ...device, tenantId }),
      meters: metersOf(tenantId),
      revoked: false,
    };
    if (bytesPerSecond > 0) {
      ingestDevice.byteLimiter = new RateMeter();
      ingestDevice.byteLimiter.perSecond = bytesPerSecond;
    }
    this.#limit(ingestDevice, profile);
    return ingestDevice;
  }

  #describe(device: Device, profile: ProfileSettings) {
    const { name, profileId, role, parentDeviceId, childName, commandTransport } = device;
    return {
      name,
      profileId: this.#strings.of(profileId),
      role: this.#strings.of(role),
      parentDeviceId,
      childName,
      commandTransport,
      ...this.#ofProfile(profile),
    };
  }

  /** Returns the fields that a device inherits from its profile, except limits. */
  #ofProfile(profile: ProfileSettings) {
    const { telemetryTopic, convertsNumericText, commandTimeoutMs, sessionsMax } = profile;
    return {
      payload: this.#strings.of(profile.payload),
      telemetryTopic,
      convertsNumericText,
      commandTimeoutMs,
      sessionsMax,
      sessionsWhenFull: this.#strings.of(profile.sessionsWhenFull),
    };
  }

  /** Sets the limits of a device. The used budget stays used, so that a changed limit cannot be exploited. */
  #limit(device: IngestDevice, { messagesPerSecond, messagesBurst }: ProfileSettings): void {
    const perSecond = messagesPerSecond ?? (this.#deps.messagesPerSecond || null);
    if (perSecond === null) device.limiter = undefined;
    else {
      device.limiter ??= new RateMeter();
      device.limiter.perSecond = perSecond;
      device.limiter.burst = messagesBurst;
    }
  }

  #revoke(deviceId: DeviceId): void {
    const device = this.#byId.get(deviceId)?.deref();
    if (device !== undefined) {
      device.revoked = true;
      this.#ready.delete(device);
    }
    this.#byId.delete(deviceId);
  }

  #deviceUpdated(deviceId: DeviceId): void {
    const { repository, profiles } = this.#deps;
    const kept = this.#byId.get(deviceId)?.deref();
    const device = kept && repository.find(deviceId);
    if (!kept || !device) return;
    const profile = profiles.settingsOf(device.tenantId, device.profileId);
    Object.assign(kept, this.#describe(device, profile));
    this.#limit(kept, profile);
  }

  #profileChanged(tenantId: TenantId, profileId: ProfileId): void {
    const profile = this.#deps.profiles.settingsOf(tenantId, profileId);
    for (const reference of this.#byId.values()) {
      const device = reference.deref();
      if (device?.profileId !== profileId) continue;
      Object.assign(device, this.#ofProfile(profile));
      this.#limit(device, profile);
    }
  }
}
