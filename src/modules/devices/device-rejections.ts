import type { DeviceId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { Logger } from "../../platform/log.ts";
import { createPeriodic } from "../../platform/periodic.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestDevice, Rejection } from "../ingest/ingest.types.ts";
import type { Principal } from "../users/users.types.ts";
import type { DevicesService } from "./devices.service.ts";
import type { DeviceRejection } from "./devices.types.ts";
import type { RejectionsRepository } from "./rejections.repository.ts";

const KEPT_PER_DEVICE = 50;
/** Of a flood only the newest of each device are written, this often. */
const FLUSH_INTERVAL_MS = 1_000;
const DEVICES_PENDING_MAX = 10_000;
const SAMPLE_BYTES_MAX = 256;

/** What a device sent that was refused, with the reason: the newest 50 a device, and a count of all. */
export interface DeviceRejections {
  start(): void;
  stop(): void;
  record(device: IngestDevice, rejection: Rejection): void;
  /** Newest first. */
  list(principal: Principal, deviceId: string): DeviceRejection[];
  /** All since the start. */
  readonly total: number;
}

function sampleText(sample: Uint8Array): string {
  const bytes = sample.subarray(0, SAMPLE_BYTES_MAX);
  const text = new TextDecoder().decode(bytes);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what tells a binary body
  return /[\u0000-\u0008\u000e-\u001f\ufffd]/.test(text) ? `hex ${Buffer.from(bytes).toString("hex")}` : text;
}

export function createDeviceRejections(deps: {
  repository: RejectionsRepository;
  devices: Pick<DevicesService, "ensureVisible">;
  transact: (work: () => void) => void;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}): DeviceRejections {
  const { repository, clock, events } = deps;
  /** Not yet written, by device, oldest first. */
  const pending = new Map<DeviceId, DeviceRejection[]>();
  let total = 0;

  function flush(): void {
    if (pending.size === 0) return;
    deps.transact(() => {
      for (const [deviceId, rejections] of pending) {
        for (const rejection of rejections) repository.insert(deviceId, rejection);
        repository.trim(deviceId, KEPT_PER_DEVICE);
      }
    });
    pending.clear();
  }

  const flushing = createPeriodic({ clock, log: deps.log, intervalMs: FLUSH_INTERVAL_MS, work: flush });

  events.on("device.deleted", ({ deviceId }) => pending.delete(deviceId));

  return {
    start: flushing.start,
    stop() {
      flushing.stop();
      flush();
    },
    record(device, { source, where, code, reason, sample }) {
      total++;
      if (device.revoked) return;
      const rejection: DeviceRejection = {
        at: new Date(clock.now()).toISOString(),
        source,
        where: where.slice(0, 256),
        code,
        reason,
        ...(sample === undefined ? {} : { sample: sampleText(sample) }),
      };
      const list = pending.get(device.deviceId) ?? [];
      if (list.length === 0 && pending.size >= DEVICES_PENDING_MAX) return;
      pending.set(device.deviceId, list);
      if (list.push(rejection) > KEPT_PER_DEVICE) list.shift();
      events.emit("device.rejected", { tenantId: device.tenantId, deviceId: device.deviceId, rejection });
    },
    list(principal, deviceId) {
      const id = deps.devices.ensureVisible(principal, deviceId);
      const fresh = [...(pending.get(id) ?? [])].reverse();
      return [...fresh, ...repository.list(id, KEPT_PER_DEVICE)].slice(0, KEPT_PER_DEVICE);
    },
    get total() {
      return total;
    },
  };
}
