import type { DeviceId } from "../../lib/core/ids.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { Logger } from "../../platform/core/log.ts";
import { type Clock, createMonotonicNow } from "../../platform/time/clock.ts";
import type { DomainEvents } from "../events.types.ts";
import type { MaintenanceRepository } from "./maintenance.repository.ts";
import type { Maintenance } from "./maintenance.types.ts";

/** Longest delay until a changed clock is noticed. */
const POLL_MS = 15_000;
/** Devices whose maintenance ends before other work runs: that of thousands may end at the same time. */
const ENDED_PER_STEP = 100;

/** Device data relevant to maintenance; maintenance of a gateway includes its children. */
export interface MaintainedDevice {
  readonly deviceId: DeviceId;
  readonly parentDeviceId?: DeviceId | null | undefined;
}

interface MaintenanceWatchDeps {
  readonly repository: MaintenanceRepository;
  readonly clock: Clock;
  readonly events: EventBus<DomainEvents>;
  readonly log: Logger;
}

/**
 * Devices in maintenance. It ends at its time on the wall clock, but never later than by elapsed time, so that a gateway whose clock was set back
 * does not stay muted for years.
 */
export class MaintenanceWatch {
  /** Returns monotonic epoch ms. */
  readonly #now: () => number;
  /** Running maintenance by device; `endsAt` is monotonic. */
  readonly #running = new Map<DeviceId, { readonly maintenance: Maintenance; readonly endsAt: number }>();
  #cancel: () => void = () => undefined;
  #isStarted = false;

  readonly #deps: MaintenanceWatchDeps;

  constructor(deps: MaintenanceWatchDeps) {
    this.#deps = deps;
    this.#now = createMonotonicNow(deps.clock);
  }

  /** Subscribes to deletions of devices and tenants. The module calls it once, before anything is started. */
  subscribe(): void {
    const { events } = this.#deps;
    events.on("device.deleted", ({ deviceId }) => this.#running.delete(deviceId));
    events.on("tenant.deleted", ({ tenantId }) => {
      for (const [deviceId, { maintenance }] of this.#running)
        if (maintenance.tenantId === tenantId) this.#running.delete(deviceId);
    });
  }

  start(): void {
    for (const maintenance of this.#deps.repository.listAll()) this.#keep(maintenance);
    this.#isStarted = true;
    this.#poll();
  }

  stop(): void {
    this.#isStarted = false;
    this.#cancel();
  }

  /** Returns the maintenance of the device itself or of its gateway, whichever lasts longer. */
  of({ deviceId, parentDeviceId }: MaintainedDevice): Maintenance | undefined {
    const own = this.ofItself(deviceId);
    const ofGateway = parentDeviceId ? this.ofItself(parentDeviceId) : undefined;
    if (own === undefined || ofGateway === undefined) return own ?? ofGateway;
    return own.until >= ofGateway.until ? own : ofGateway;
  }

  /** Returns for how long the device stays muted, in ms; 0 if it is not muted. */
  remainingMs({ deviceId, parentDeviceId }: MaintainedDevice): number {
    if (this.#running.size === 0) return 0;
    return Math.max(this.#leftOf(deviceId), parentDeviceId ? this.#leftOf(parentDeviceId) : 0);
  }

  /** Returns the maintenance of the device itself, ignoring its gateway. */
  ofItself(deviceId: DeviceId): Maintenance | undefined {
    return this.#leftOf(deviceId) > 0 ? this.#running.get(deviceId)?.maintenance : undefined;
  }

  begin(maintenance: Maintenance): void {
    this.#deps.repository.save(maintenance);
    this.#keep(maintenance);
    this.#announce(maintenance, maintenance.until);
    this.#arm();
  }

  end(deviceId: DeviceId): void {
    this.#drop(deviceId);
    this.#arm();
  }

  #announce({ tenantId, deviceId }: Maintenance, until: number | null): void {
    this.#deps.events.emit("device.maintenance", { tenantId, deviceId, until });
  }

  /** Returns the remaining time of the maintenance in ms; 0 if there is none. */
  #leftOf(deviceId: DeviceId): number {
    const existing = this.#running.get(deviceId);
    if (existing === undefined) return 0;
    const { maintenance, endsAt } = existing;
    return Math.max(0, Math.min(maintenance.until - this.#deps.clock.now(), endsAt - this.#now()));
  }

  #keep(maintenance: Maintenance): void {
    const { since, until, deviceId } = maintenance;
    const leftMs = Math.min(until - this.#deps.clock.now(), until - since);
    this.#running.set(deviceId, { maintenance, endsAt: this.#now() + leftMs });
  }

  #drop(deviceId: DeviceId): void {
    const existing = this.#running.get(deviceId);
    if (existing === undefined) return;
    this.#deps.repository.delete(deviceId);
    this.#running.delete(deviceId);
    this.#announce(existing.maintenance, null);
  }

  #poll(): void {
    try {
      const ended = [...this.#running.keys()].filter((deviceId) => this.#leftOf(deviceId) === 0);
      for (const deviceId of ended.slice(0, ENDED_PER_STEP)) this.#drop(deviceId);
    } catch (error) {
      this.#deps.log.warn("writing the end of a maintenance failed, retrying", { error }); // a full disk, say
    }
    this.#arm();
  }

  #arm(): void {
    this.#cancel();
    if (!this.#isStarted || this.#running.size === 0) return;
    let next = POLL_MS;
    for (const deviceId of this.#running.keys()) next = Math.min(next, this.#leftOf(deviceId));
    this.#cancel = this.#deps.clock.schedule(Math.max(next, 1), () => this.#poll());
  }
}
