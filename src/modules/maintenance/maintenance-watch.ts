import type { DeviceId } from "../../lib/ids.ts";
import { type Clock, createSteadyNow } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { Logger } from "../../platform/log.ts";
import type { DomainEvents } from "../events.types.ts";
import type { MaintenanceRepository } from "./maintenance.repository.ts";
import type { Maintenance } from "./maintenance.types.ts";

/** How long at most until a clock that was set is noticed. */
const POLL_MS = 15_000;

/** A device, as far as its maintenance needs it: what holds for a gateway holds for its children. */
export interface MaintainedDevice {
  readonly deviceId: DeviceId;
  readonly parentDeviceId?: DeviceId | null | undefined;
}

/**
 * Devices that are worked on now. It ends at its time on the wall clock, and never later than it would have by the time that has
 * passed: a gateway whose clock was set back must not stay mute for years.
 */
export function createMaintenanceWatch(deps: {
  repository: MaintenanceRepository;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}) {
  const { repository, clock, events, log } = deps;
  const now = createSteadyNow(clock);
  /** Keyed by device; `endsAt` is steady time. */
  const running = new Map<DeviceId, { readonly maintenance: Maintenance; readonly endsAt: number }>();
  let cancel: () => void = () => undefined;
  let isStarted = false;

  const announce = ({ tenantId, deviceId }: Maintenance, until: number | null) =>
    events.emit("device.maintenance", { tenantId, deviceId, until });

  function leftOf(deviceId: DeviceId): number {
    const existing = running.get(deviceId);
    if (existing === undefined) return 0;
    return Math.max(0, Math.min(existing.maintenance.until - clock.now(), existing.endsAt - now()));
  }

  const ofItself = (deviceId: DeviceId) =>
    leftOf(deviceId) > 0 ? running.get(deviceId)?.maintenance : undefined;

  function keep(maintenance: Maintenance): void {
    const { since, until, deviceId } = maintenance;
    const leftMs = Math.min(until - clock.now(), until - since);
    running.set(deviceId, { maintenance, endsAt: now() + leftMs });
  }

  function drop(deviceId: DeviceId): void {
    const existing = running.get(deviceId);
    if (existing === undefined) return;
    repository.delete(deviceId);
    running.delete(deviceId);
    announce(existing.maintenance, null);
  }

  function poll(): void {
    try {
      for (const deviceId of [...running.keys()]) if (leftOf(deviceId) === 0) drop(deviceId);
    } catch (error) {
      log.warn("the end of a maintenance could not be written and is retried", { error }); // a full disk, say
    }
    arm();
  }

  function arm(): void {
    cancel();
    if (!isStarted || running.size === 0) return;
    const next = Math.min(POLL_MS, ...[...running.keys()].map(leftOf));
    cancel = clock.schedule(Math.max(next, 1), poll);
  }

  events.on("device.deleted", ({ deviceId }) => running.delete(deviceId));
  events.on("tenant.deleted", ({ tenantId }) => {
    for (const [deviceId, { maintenance }] of running)
      if (maintenance.tenantId === tenantId) running.delete(deviceId);
  });

  return {
    start(): void {
      for (const maintenance of repository.listAll()) keep(maintenance);
      isStarted = true;
      poll();
    },
    stop(): void {
      isStarted = false;
      cancel();
    },
    /** Of the device itself or of its gateway, whichever lasts longer. */
    of({ deviceId, parentDeviceId }: MaintainedDevice): Maintenance | undefined {
      const own = ofItself(deviceId);
      const ofGateway = parentDeviceId ? ofItself(parentDeviceId) : undefined;
      if (own === undefined || ofGateway === undefined) return own ?? ofGateway;
      return own.until >= ofGateway.until ? own : ofGateway;
    },
    /** Returns how long the device stays mute; 0 when it is not. */
    remainingMs({ deviceId, parentDeviceId }: MaintainedDevice): number {
      if (running.size === 0) return 0;
      return Math.max(leftOf(deviceId), parentDeviceId ? leftOf(parentDeviceId) : 0);
    },
    ofItself,
    begin(maintenance: Maintenance): void {
      repository.save(maintenance);
      keep(maintenance);
      announce(maintenance, maintenance.until);
      arm();
    },
    end(deviceId: DeviceId): void {
      drop(deviceId);
      arm();
    },
  };
}

export type MaintenanceWatch = ReturnType<typeof createMaintenanceWatch>;
