import type { DeviceId, TenantId } from "../../lib/ids.ts";
import { RateMeter } from "../../lib/rate-meter.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import type { DeviceProfile } from "../profiles/profiles.types.ts";
import type { StoreDevice } from "../telemetry/telemetry.types.ts";
import type { DevicesRepository } from "./devices.repository.ts";
import type { Device } from "./devices.types.ts";

/** Devices kept ready for the hot path even when no session holds them. */
const CACHED_MAX = 200_000;

/**
 * Devices as sessions and device routes see them: one shared object each, made on first use and kept current by events, so
 * that a deleted or re-keyed device is `revoked` wherever it is held.
 */
export function createDeviceDirectory(deps: {
  repository: DevicesRepository;
  profiles: ProfilesService;
  storeDevice: (device: Device) => StoreDevice;
  rates: {
    metersOf: (tenantId: TenantId) => { readonly messages: RateMeter; readonly bytes: RateMeter };
    /** Messages a second of a device whose profile says nothing; 0 for no limit. */
    perDevice: number;
    /** Bytes a second of a device; 0 for no limit. */
    bytesPerDevice: number;
  };
  events: EventBus<DomainEvents>;
}) {
  const { repository, events } = deps;
  /** Every device object that somebody still holds, by device id: whoever holds one hears of its end. */
  const byId = new Map<DeviceId, WeakRef<IngestDevice>>();
  const forgotten = new FinalizationRegistry<DeviceId>((deviceId) => {
    if (byId.get(deviceId)?.deref() === undefined) byId.delete(deviceId);
  });
  /** The newest of them, so that they stay. */
  const ready = new Set<IngestDevice>();
  /**
   * Device by its token: only tokens that were used, so that hashing is not repeated for each message. One that was revoked since is not
   * good any more.
   */
  const byToken = new Map<string, IngestDevice>();

  const ofProfile = ({ payload, telemetryTopic, sessionsMax }: DeviceProfile) => ({
    payload,
    telemetryTopic,
    sessionsMax,
  });

  /** Sets the limits of a device. The used budget stays used, so that a changed limit cannot be exploited. */
  function limit(device: IngestDevice, { messagesPerSecond, messagesBurst }: DeviceProfile): void {
    const perSecond = messagesPerSecond ?? (deps.rates.perDevice || null);
    if (perSecond === null) device.limiter = undefined;
    else {
      device.limiter ??= new RateMeter();
      device.limiter.perSecond = perSecond;
      device.limiter.burst = messagesBurst;
    }
  }

  function describe(device: Device) {
    const { name, profileId, role, parentDeviceId, childName, commandTransport } = device;
    const profile = deps.profiles.ensure(device.tenantId, profileId);
    return {
      name,
      profileId,
      role,
      parentDeviceId,
      childName,
      commandTransport,
      ...ofProfile(profile),
    };
  }

  function keep(device: Device): IngestDevice {
    const ingestDevice = byId.get(device.deviceId)?.deref();
    if (ingestDevice !== undefined) return ingestDevice;
    if (ready.size >= CACHED_MAX) ready.delete(ready.values().next().value as IngestDevice); // the set is not empty
    const { deviceId, tenantId } = device;
    const newIngestDevice: IngestDevice = {
      deviceId,
      tenantId,
      ...describe(device),
      store: deps.storeDevice(device),
      meters: deps.rates.metersOf(tenantId),
      revoked: false,
    };
    if (deps.rates.bytesPerDevice > 0) {
      newIngestDevice.byteLimiter = new RateMeter();
      newIngestDevice.byteLimiter.perSecond = deps.rates.bytesPerDevice;
    }
    limit(newIngestDevice, deps.profiles.ensure(tenantId, device.profileId));
    byId.set(deviceId, new WeakRef(newIngestDevice));
    forgotten.register(newIngestDevice, deviceId);
    ready.add(newIngestDevice);
    return newIngestDevice;
  }

  function revoke(deviceId: DeviceId): void {
    const device = byId.get(deviceId)?.deref();
    if (device !== undefined) {
      device.revoked = true;
      ready.delete(device);
    }
    byId.delete(deviceId);
  }

  events.on("device.deleted", ({ deviceId }) => revoke(deviceId));
  events.on("device.credentials", ({ deviceId }) => revoke(deviceId));
  events.on("device.updated", ({ deviceId }) => {
    const kept = byId.get(deviceId)?.deref();
    const device = kept && repository.find(deviceId);
    if (!kept || !device) return;
    Object.assign(kept, describe(device));
    limit(kept, deps.profiles.ensure(device.tenantId, device.profileId));
  });
  events.on("profile.changed", ({ tenantId, profileId }) => {
    const profile = deps.profiles.ensure(tenantId, profileId);
    for (const reference of byId.values()) {
      const device = reference.deref();
      if (device?.profileId !== profileId) continue;
      Object.assign(device, ofProfile(profile));
      limit(device, profile);
    }
  });

  return {
    findByToken(token: string): IngestDevice | undefined {
      if (token.startsWith("!")) return undefined; // what stands in place of a token opens nothing
      const ingestDevice = byToken.get(token);
      if (ingestDevice?.revoked === false) return ingestDevice;
      byToken.delete(token);
      const device = repository.findByTokenHash(repository.hashOf(token));
      if (device === undefined) return undefined;
      if (byToken.size >= CACHED_MAX) byToken.clear();
      const kept = keep(device);
      byToken.set(token, kept);
      return kept;
    },
    find(deviceId: DeviceId): IngestDevice | undefined {
      const kept = byId.get(deviceId)?.deref();
      if (kept !== undefined) return kept;
      const device = repository.find(deviceId);
      return device && keep(device);
    },
  };
}

export type DeviceDirectory = ReturnType<typeof createDeviceDirectory>;
