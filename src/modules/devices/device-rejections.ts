import type { DeviceId, TenantId } from "../../lib/ids.ts";
import { sampleText } from "../../lib/sample-text.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { Logger } from "../../platform/log.ts";
import { createPeriodic } from "../../platform/periodic.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestDevice, Rejection } from "../ingest/ingest.types.ts";
import type { Principal } from "../users/users.types.ts";
import type { DevicesService } from "./devices.service.ts";
import type { DeviceRejection } from "./devices.types.ts";
import { rejectionReason } from "./rejection-reason.ts";
import type { RejectionsRepository } from "./rejections.repository.ts";

const KEPT_PER_DEVICE = 50;
/** Interval at which rejections are written. In a flood only the newest of each device are written, a slice at a time. */
const FLUSH_INTERVAL_MS = 1_000;
const FLUSH_ENTRIES_MAX = 1_000;
/** About 1 KB each, of all devices together; beyond it a device's newest takes the place of its oldest … */
const PENDING_MAX = 10_000;
/** … as it does beyond this number of one tenant: its flood must not keep those of other tenants off their lists. */
const PENDING_PER_TENANT_MAX = PENDING_MAX / 4;
interface DeviceRejectionsDeps {
  readonly repository: RejectionsRepository;
  readonly devices: Pick<DevicesService, "ensureVisible">;
  readonly transact: (work: () => void) => void;
  readonly clock: Clock;
  readonly events: EventBus<DomainEvents>;
  readonly log: Logger;
}

/** Rejections of devices: of each the newest 50 with their reasons, and a count of all. */
export class DeviceRejections {
  /** Rejections that are not written yet, by device, oldest first. */
  private readonly pending = new Map<DeviceId, DeviceRejection[]>();
  private pendingCount = 0;
  /** Number of pending rejections by tenant, and the tenant of each device. */
  private readonly pendingOf = new Map<TenantId, number>();
  private readonly tenantOf = new Map<DeviceId, TenantId>();
  private recorded = 0;
  private readonly flushing: ReturnType<typeof createPeriodic>;

  constructor(private readonly deps: DeviceRejectionsDeps) {
    const { clock, log } = deps;
    this.flushing = createPeriodic({ clock, log, intervalMs: FLUSH_INTERVAL_MS, work: () => this.flush() });
  }

  /** Subscribes to the ends of devices. The module calls it once, before anything is started. */
  subscribe(): void {
    this.deps.events.on("device.deleted", ({ deviceId }) => this.forget(deviceId));
  }

  start(): void {
    this.flushing.start();
  }

  stop(): void {
    this.flushing.stop();
    this.flush(Number.POSITIVE_INFINITY);
  }

  record(device: IngestDevice, { source, where, code, params, sample }: Rejection): void {
    this.recorded++;
    if (device.revoked) return;
    const { clock, events } = this.deps;
    const { tenantId, deviceId } = device;
    const rejection: DeviceRejection = {
      at: new Date(clock.now()).toISOString(),
      source,
      where: where.slice(0, 256),
      code,
      params,
      reason: rejectionReason({ code, params }),
      ...(sample === undefined ? {} : { sample: sampleText(sample) }),
    };
    const list = this.pending.get(deviceId) ?? [];
    const ofTenant = this.pendingOf.get(tenantId) ?? 0;
    const isFull = this.pendingCount >= PENDING_MAX || ofTenant >= PENDING_PER_TENANT_MAX;
    if (isFull && list.length === 0) return;
    this.pending.set(deviceId, list);
    this.tenantOf.set(deviceId, tenantId);
    list.push(rejection);
    if (isFull || list.length > KEPT_PER_DEVICE) list.shift();
    else this.count(deviceId, 1);
    events.emit("device.rejected", { tenantId, deviceId, rejection });
  }

  /** Lists the rejections of a device, the newest first. */
  list(principal: Principal, deviceId: string): DeviceRejection[] {
    const id = this.deps.devices.ensureVisible(principal, deviceId);
    const fresh = [...(this.pending.get(id) ?? [])].reverse();
    return [...fresh, ...this.deps.repository.list(id, KEPT_PER_DEVICE)].slice(0, KEPT_PER_DEVICE);
  }

  /** Number of rejections of all devices since the start. */
  get total(): number {
    return this.recorded;
  }

  private count(deviceId: DeviceId, more: number): void {
    this.pendingCount += more;
    const tenantId = this.tenantOf.get(deviceId);
    if (tenantId === undefined) return;
    const left = (this.pendingOf.get(tenantId) ?? 0) + more;
    if (left > 0) this.pendingOf.set(tenantId, left);
    else this.pendingOf.delete(tenantId);
  }

  private forget(deviceId: DeviceId): void {
    this.count(deviceId, -(this.pending.get(deviceId)?.length ?? 0));
    this.pending.delete(deviceId);
    this.tenantOf.delete(deviceId);
  }

  /** Returns the devices whose turn it is, the longest waiting first. */
  private takeSlice(entriesMax: number): Array<[DeviceId, DeviceRejection[]]> {
    const slice: Array<[DeviceId, DeviceRejection[]]> = [];
    let entries = 0;
    for (const entry of this.pending) {
      if (entries >= entriesMax) break;
      slice.push(entry);
      entries += entry[1].length;
    }
    return slice;
  }

  private flush(entriesMax = FLUSH_ENTRIES_MAX): void {
    const slice = this.takeSlice(entriesMax);
    if (slice.length === 0) return;
    const { repository, transact } = this.deps;
    transact(() => {
      for (const [deviceId, rejections] of slice) {
        for (const rejection of rejections) repository.insert(deviceId, rejection);
        repository.trim(deviceId, KEPT_PER_DEVICE);
      }
    });
    for (const [deviceId] of slice) this.forget(deviceId);
  }
}
