import type { DeviceId, TenantId } from "../../lib/ids.ts";
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
/** Of a flood only the newest of each device are written, this often, a slice at a time that nobody feels. */
const FLUSH_INTERVAL_MS = 1_000;
const FLUSH_ENTRIES_MAX = 1_000;
/** About 1 KB each, of all devices together; beyond it a device's newest takes the place of its oldest … */
const PENDING_MAX = 10_000;
/** … as it does beyond this number of one tenant: its flood must not keep those of other tenants off their lists. */
const PENDING_PER_TENANT_MAX = PENDING_MAX / 4;
const SAMPLE_BYTES_MAX = 256;

function sampleText(sample: Uint8Array): string {
  const bytes = sample.subarray(0, SAMPLE_BYTES_MAX);
  const text = new TextDecoder().decode(bytes);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what tells a binary body
  return /[\u0000-\u0008\u000e-\u001f\ufffd]/.test(text) ? `hex ${Buffer.from(bytes).toString("hex")}` : text;
}

/** Creates the list of a device's rejections: the newest 50 with their reasons, and a count of all. */
export function createDeviceRejections(deps: {
  repository: RejectionsRepository;
  devices: Pick<DevicesService, "ensureVisible">;
  transact: (work: () => void) => void;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}) {
  const { repository, clock, events } = deps;
  /** Rejections that are not written yet, by device, oldest first. */
  const pending = new Map<DeviceId, DeviceRejection[]>();
  let pendingCount = 0;
  /** Number of pending rejections by tenant, and the tenant of each device. */
  const pendingOf = new Map<TenantId, number>();
  const tenantOf = new Map<DeviceId, TenantId>();
  let total = 0;

  function count(deviceId: DeviceId, more: number): void {
    pendingCount += more;
    const tenantId = tenantOf.get(deviceId);
    if (tenantId === undefined) return;
    const left = (pendingOf.get(tenantId) ?? 0) + more;
    if (left > 0) pendingOf.set(tenantId, left);
    else pendingOf.delete(tenantId);
  }

  function forget(deviceId: DeviceId): void {
    count(deviceId, -(pending.get(deviceId)?.length ?? 0));
    pending.delete(deviceId);
    tenantOf.delete(deviceId);
  }

  /** The devices whose turn it is, the longest waiting first. */
  function takeSlice(entriesMax: number): Array<[DeviceId, DeviceRejection[]]> {
    const slice: Array<[DeviceId, DeviceRejection[]]> = [];
    let entries = 0;
    for (const entry of pending) {
      if (entries >= entriesMax) break;
      slice.push(entry);
      entries += entry[1].length;
    }
    return slice;
  }

  function flush(entriesMax = FLUSH_ENTRIES_MAX): void {
    const slice = takeSlice(entriesMax);
    if (slice.length === 0) return;
    deps.transact(() => {
      for (const [deviceId, rejections] of slice) {
        for (const rejection of rejections) repository.insert(deviceId, rejection);
        repository.trim(deviceId, KEPT_PER_DEVICE);
      }
    });
    for (const [deviceId] of slice) forget(deviceId);
  }

  const flushing = createPeriodic({
    clock,
    log: deps.log,
    intervalMs: FLUSH_INTERVAL_MS,
    work: () => flush(),
  });

  events.on("device.deleted", ({ deviceId }) => forget(deviceId));

  return {
    start: flushing.start,
    stop(): void {
      flushing.stop();
      flush(Number.POSITIVE_INFINITY);
    },
    record(device: IngestDevice, { source, where, code, params, sample }: Rejection): void {
      total++;
      if (device.revoked) return;
      const rejection: DeviceRejection = {
        at: new Date(clock.now()).toISOString(),
        source,
        where: where.slice(0, 256),
        code,
        params,
        reason: rejectionReason({ code, params }),
        ...(sample === undefined ? {} : { sample: sampleText(sample) }),
      };
      const list = pending.get(device.deviceId) ?? [];
      const ofTenant = pendingOf.get(device.tenantId) ?? 0;
      const isFull = pendingCount >= PENDING_MAX || ofTenant >= PENDING_PER_TENANT_MAX;
      if (isFull && list.length === 0) return;
      pending.set(device.deviceId, list);
      tenantOf.set(device.deviceId, device.tenantId);
      list.push(rejection);
      if (isFull || list.length > KEPT_PER_DEVICE) list.shift();
      else count(device.deviceId, 1);
      events.emit("device.rejected", { tenantId: device.tenantId, deviceId: device.deviceId, rejection });
    },
    /** Newest first. */
    list(principal: Principal, deviceId: string): DeviceRejection[] {
      const id = deps.devices.ensureVisible(principal, deviceId);
      const fresh = [...(pending.get(id) ?? [])].reverse();
      return [...fresh, ...repository.list(id, KEPT_PER_DEVICE)].slice(0, KEPT_PER_DEVICE);
    },
    /** All since the start. */
    get total(): number {
      return total;
    },
  };
}

export type DeviceRejections = ReturnType<typeof createDeviceRejections>;
