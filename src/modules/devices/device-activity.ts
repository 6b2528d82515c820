import { DeadlineQueue } from "../../lib/deadline-queue.ts";
import type { DeviceId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { Logger } from "../../platform/log.ts";
import { createPeriodic } from "../../platform/periodic.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import type { ActivityRepository } from "./activity.repository.ts";
import type { DevicesRepository } from "./devices.repository.ts";
import { type DeviceActivity, noActivity } from "./devices.types.ts";

/** Interval at which changes are written, a slice at a time: no message costs a write, and no slice delays others. */
const FLUSH_INTERVAL_MS = 1_000;
const FLUSH_ENTRIES_MAX = 500;
/** A device that just goes on reporting is written this seldom: after a crash its last activity is at most this old. */
const REFRESH_INTERVAL_MS = 300_000;

interface Tracked {
  readonly device: IngestDevice;
  timeoutMs: number;
  /** Monotonic ms of the newest message. */
  seenAt: number;
  /** Monotonic ms when it was written last. */
  savedAt: number;
  /** The one deadline in the queue that counts; an earlier entry of the device is stale. */
  dueAt: number;
  activity: { -readonly [K in keyof DeviceActivity]: DeviceActivity[K] };
}

/**
 * Which devices are alive. A message only stamps its device; a deadline that falls due looks whether the device has been
 * heard of since and, if so, moves on. A device turns inactive by its deadline, never by a poll over all devices.
 */
export function createDeviceActivityTracker(deps: {
  repository: ActivityRepository;
  devices: DevicesRepository;
  profiles: ProfilesService;
  findDevice: (deviceId: DeviceId) => IngestDevice | undefined;
  transact: (work: () => void) => void;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}) {
  const { repository, clock, events } = deps;
  /** Keyed by device id: every device heard of since the start, and those that were active before it. */
  const tracked = new Map<DeviceId, Tracked>();
  const dirty = new Set<Tracked>();
  const deadlines = new DeadlineQueue<Tracked>();
  let cancelTimer: () => void = () => undefined;
  let timerDueAt = Number.POSITIVE_INFINITY;

  function timeoutOf(device: IngestDevice): number {
    const own = deps.devices.find(device.deviceId)?.inactivityTimeoutMs;
    return own ?? deps.profiles.ensure(device.tenantId, device.profileId).inactivityTimeoutMs;
  }

  function track(device: IngestDevice): Tracked {
    const existingTracked = tracked.get(device.deviceId);
    if (existingTracked !== undefined) return existingTracked;
    const activity = { ...(repository.find(device.deviceId) ?? noActivity) };
    const newTracked: Tracked = {
      device,
      timeoutMs: timeoutOf(device),
      seenAt: clock.monotonic(),
      dueAt: 0,
      savedAt: clock.monotonic(),
      activity,
    };
    tracked.set(device.deviceId, newTracked);
    return newTracked;
  }

  function set(entry: Tracked, change: Partial<DeviceActivity>): void {
    Object.assign(entry.activity, change);
    dirty.add(entry);
  }

  function announce({ device, activity }: Tracked): void {
    const { tenantId, deviceId } = device;
    events.emit("device.state", {
      tenantId,
      deviceId,
      active: activity.active,
      lastActivityAt: activity.lastActivityAt,
    });
  }

  function watch(entry: Tracked): void {
    entry.dueAt = entry.seenAt + entry.timeoutMs;
    deadlines.add(entry.dueAt, entry);
    arm();
  }

  function arm(): void {
    const dueAt = deadlines.nextAt();
    if (dueAt === undefined || dueAt >= timerDueAt) return;
    cancelTimer();
    timerDueAt = dueAt;
    // setTimeout takes 31 bits; a longer wait wakes early and is armed again.
    cancelTimer = clock.schedule(Math.min(Math.max(dueAt - clock.monotonic(), 0), 0x7fffffff), onDeadline);
  }

  function onDeadline(): void {
    timerDueAt = Number.POSITIVE_INFINITY;
    const now = clock.monotonic();
    for (let due = deadlines.takeDue(now); due !== undefined; due = deadlines.takeDue(now)) {
      const entry = due.item;
      if (due.dueAt !== entry.dueAt || tracked.get(entry.device.deviceId) !== entry) continue;
      entry.timeoutMs = timeoutOf(entry.device);
      if (entry.seenAt + entry.timeoutMs > now) watch(entry);
      else {
        set(entry, { active: false, inactivityAlarmAt: clock.now() });
        announce(entry);
      }
    }
    arm();
  }

  /** Writes some of what changed; what could not be written stays for the next time. */
  function flush(entriesMax = FLUSH_ENTRIES_MAX): void {
    const entries = [...dirty.keys().take(entriesMax)];
    const kept = entries.filter((entry) => !entry.device.revoked || deps.devices.find(entry.device.deviceId));
    if (kept.length > 0)
      deps.transact(() => {
        for (const entry of kept) repository.save(entry.device.deviceId, entry.activity);
      });
    for (const entry of entries) {
      entry.savedAt = clock.monotonic();
      dirty.delete(entry);
    }
  }

  const flushing = createPeriodic({
    clock,
    log: deps.log,
    intervalMs: FLUSH_INTERVAL_MS,
    work: () => flush(),
  });

  events.on("device.deleted", ({ deviceId }) => {
    const entry = tracked.get(deviceId);
    tracked.delete(deviceId);
    if (entry !== undefined) dirty.delete(entry);
  });
  events.on("device.updated", ({ deviceId }) => {
    const entry = tracked.get(deviceId);
    if (entry === undefined) return;
    entry.timeoutMs = timeoutOf(entry.device);
    if (entry.activity.active) watch(entry); // a shorter timeout falls due before the deadline that is queued
  });

  return {
    start(): void {
      // Whoever was active when the program ended gets one whole timeout to be heard of again.
      for (const deviceId of repository.listActive()) {
        const device = deps.findDevice(deviceId);
        if (device !== undefined) watch(track(device));
      }
      flushing.start();
    },
    stop(): void {
      cancelTimer();
      flushing.stop();
      for (const entry of tracked.values()) if (entry.seenAt > entry.savedAt) dirty.add(entry);
      flush(Number.POSITIVE_INFINITY);
    },
    /** Called for every accepted message. */
    touch(device: IngestDevice): void {
      const entry = tracked.get(device.deviceId) ?? track(device);
      entry.seenAt = clock.monotonic();
      entry.activity.lastActivityAt = clock.now();
      if (entry.activity.active) {
        if (entry.seenAt - entry.savedAt >= REFRESH_INTERVAL_MS) dirty.add(entry);
        return;
      }
      entry.activity.active = true;
      dirty.add(entry);
      watch(entry);
      announce(entry);
    },
    connected: (device: IngestDevice): void => set(track(device), { lastConnectedAt: clock.now() }),
    disconnected(device: IngestDevice): void {
      // One that is deleted is disconnected for it, and has no activity any more.
      if (deps.devices.find(device.deviceId) === undefined) return;
      set(track(device), { lastDisconnectedAt: clock.now() });
    },
    /** The newest knowledge, not only what is written already. */
    get: (deviceId: DeviceId): DeviceActivity | undefined => tracked.get(deviceId)?.activity,
  };
}

export type DeviceActivityTracker = ReturnType<typeof createDeviceActivityTracker>;
