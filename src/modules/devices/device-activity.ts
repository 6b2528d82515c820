import type { DeviceId } from "../../lib/core/ids.ts";
import { DeadlineQueue } from "../../lib/data/deadline-queue.ts";
import { observeGap, silenceTimeoutOf } from "../../lib/time/observed-interval.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { createPeriodic } from "../../platform/time/periodic.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import type { ActivityRepository } from "./activity.repository.ts";
import type { DevicesRepository } from "./devices.repository.ts";
import { type Device, type DeviceActivity, noActivity } from "./devices.types.ts";
import { type Inactivity, inactivityOf } from "./inactivity.ts";

/** Max. devices whose deadlines are checked in one turn of the event loop. */
const DUE_PER_STEP = 2_000;
/** Interval in ms at which changes are written in slices, so that messages cause no write and slices delay nothing. */
const FLUSH_INTERVAL_MS = 1_000;
const FLUSH_ENTRIES_MAX = 500;
/** Interval at which unchanged activity is written; after a crash, the last activity is at most this old. */
const REFRESH_INTERVAL_MS = 300_000;

interface Tracked {
  readonly device: IngestDevice;
  timeoutMs: number;
  /** True if neither the device nor its profile sets the timeout. */
  isAutomatic: boolean;
  /** Monotonic ms of the newest message, or of startup. */
  seenAt: number;
  /** True if a message has arrived since startup. Time for which the gateway was off does not count as a gap between messages. */
  hasReported: boolean;
  /** Monotonic ms of the last write. */
  savedAt: number;
  /** Valid deadline in the queue; an earlier entry of the device is stale. */
  dueAt: number;
  activity: { -readonly [K in keyof DeviceActivity]: DeviceActivity[K] };
}

interface DeviceActivityTrackerDeps {
  readonly repository: ActivityRepository;
  readonly devices: DevicesRepository;
  readonly profiles: ProfilesService;
  readonly findDevice: (deviceId: DeviceId) => IngestDevice | undefined;
  readonly transact: (work: () => void) => void;
  readonly clock: Clock;
  readonly events: EventBus<DomainEvents>;
  readonly log: Logger;
}

/**
 * Tracks which devices are active. A message only stamps its device; a due deadline moves on if the device has sent data since. A device becomes
 * inactive at its deadline, without polling all devices.
 */
export class DeviceActivityTracker {
  /** Devices seen since startup or active before it, by id. */
  readonly #tracked = new Map<DeviceId, Tracked>();
  /** Devices whose activity is not yet written. */
  readonly #dirty = new Set<Tracked>();
  readonly #deadlines = new DeadlineQueue<Tracked>();
  readonly #flushing: ReturnType<typeof createPeriodic>;
  #cancelTimer: () => void = () => undefined;
  #timerDueAt = Number.POSITIVE_INFINITY;

  readonly #deps: DeviceActivityTrackerDeps;

  constructor(deps: DeviceActivityTrackerDeps) {
    this.#deps = deps;
    const { clock, log } = deps;
    this.#flushing = createPeriodic({ clock, log, intervalMs: FLUSH_INTERVAL_MS, work: () => this.#flush() });
  }

  /** Subscribes to changes of devices. The module calls it once, before anything is started. */
  subscribe(): void {
    const { events } = this.#deps;
    events.on("device.deleted", ({ deviceId }) => this.#forget(deviceId));
    events.on("device.updated", ({ deviceId }) => this.#applyTimeout(deviceId));
  }

  start(): void {
    // Devices that were active at the last exit get a full timeout to send again.
    for (const deviceId of this.#deps.repository.listActive()) {
      const device = this.#deps.findDevice(deviceId);
      if (device !== undefined) this.#watch(this.#track(device));
    }
    this.#flushing.start();
  }

  stop(): void {
    this.#cancelTimer();
    this.#flushing.stop();
    for (const entry of this.#tracked.values()) if (entry.seenAt > entry.savedAt) this.#dirty.add(entry);
    this.#flush(Number.POSITIVE_INFINITY);
  }

  /** Marks a device as active, for every accepted message. */
  touch(device: IngestDevice): void {
    const { clock } = this.#deps;
    const entry = this.#tracked.get(device.deviceId) ?? this.#track(device);
    this.#stamp(entry, clock.monotonic());
    entry.activity.lastActivityAt = clock.now();
    if (entry.activity.active) {
      if (entry.seenAt - entry.savedAt >= REFRESH_INTERVAL_MS) this.#dirty.add(entry);
      return;
    }
    entry.activity.active = true;
    this.#dirty.add(entry);
    this.#watch(entry);
    this.#announce(entry);
  }

  connected(device: IngestDevice): void {
    this.#set(this.#track(device), { lastConnectedAt: this.#deps.clock.now() });
  }

  disconnected(device: IngestDevice): void {
    // Deleting a device disconnects it, and its activity is no longer tracked.
    if (this.#deps.devices.find(device.deviceId) === undefined) return;
    this.#set(this.#track(device), { lastDisconnectedAt: this.#deps.clock.now() });
  }

  /** Returns the newest activity, including unwritten changes; `undefined` for an untracked device. */
  get(deviceId: DeviceId): DeviceActivity | undefined {
    return this.#tracked.get(deviceId)?.activity;
  }

  /** Returns the effective timeout of a device with this activity. */
  inactivityOf(
    device: Pick<Device, "tenantId" | "profileId" | "inactivityTimeoutMs">,
    activity: DeviceActivity,
  ): Inactivity {
    const { inactivityTimeoutMs: deviceMs, tenantId, profileId } = device;
    const profileMs =
      deviceMs === null ? this.#deps.profiles.settingsOf(tenantId, profileId).inactivityTimeoutMs : null;
    return inactivityOf({ deviceMs, profileMs }, activity);
  }

  #track(device: IngestDevice): Tracked {
    const existing = this.#tracked.get(device.deviceId);
    if (existing !== undefined) return existing;
    const { repository, clock } = this.#deps;
    const entry: Tracked = {
      device,
      timeoutMs: 0,
      isAutomatic: false,
      seenAt: clock.monotonic(),
      hasReported: false,
      dueAt: 0,
      savedAt: clock.monotonic(),
      activity: { ...(repository.find(device.deviceId) ?? noActivity) },
    };
    this.#updateTimeout(entry);
    this.#tracked.set(device.deviceId, entry);
    return entry;
  }

  /** Stamps a message, and updates the interval with the time since the previous one. */
  #stamp(entry: Tracked, now: number): void {
    if (entry.hasReported) observeGap(entry.activity, now - entry.seenAt);
    entry.hasReported = true;
    entry.seenAt = now;
    if (!entry.isAutomatic) return;
    const { timeoutMs } = silenceTimeoutOf(entry.activity);
    // An imprecise deadline is corrected when it is due.
    if (timeoutMs > entry.timeoutMs / 2) return;
    entry.timeoutMs = timeoutMs;
    if (entry.activity.active) this.#watch(entry);
  }

  #updateTimeout(entry: Tracked): void {
    const { device, activity } = entry;
    const deviceMs = this.#deps.devices.find(device.deviceId)?.inactivityTimeoutMs ?? null;
    const { timeoutMs, source } = this.inactivityOf({ ...device, inactivityTimeoutMs: deviceMs }, activity);
    entry.timeoutMs = timeoutMs;
    entry.isAutomatic = source === "OBSERVED" || source === "DEFAULT";
  }

  #set(entry: Tracked, change: Partial<DeviceActivity>): void {
    Object.assign(entry.activity, change);
    this.#dirty.add(entry);
  }

  #announce({ device, activity }: Tracked): void {
    const { tenantId, deviceId } = device;
    const { active, lastActivityAt } = activity;
    this.#deps.events.emit("device.state", { tenantId, deviceId, active, lastActivityAt });
  }

  #watch(entry: Tracked): void {
    entry.dueAt = entry.seenAt + entry.timeoutMs;
    this.#deadlines.add(entry.dueAt, entry);
    this.#arm();
  }

  #arm(): void {
    const { clock } = this.#deps;
    const dueAt = this.#deadlines.nextAt();
    if (dueAt === undefined || dueAt >= this.#timerDueAt) return;
    this.#cancelTimer();
    this.#timerDueAt = dueAt;
    // setTimeout takes 31 bits; a longer wait wakes early and is armed again.
    const waitMs = Math.min(Math.max(dueAt - clock.monotonic(), 0), 0x7fffffff);
    this.#cancelTimer = clock.schedule(waitMs, () => this.#onDeadline());
  }

  #onDeadline(): void {
    const deadlines = this.#deadlines;
    this.#timerDueAt = Number.POSITIVE_INFINITY;
    const now = this.#deps.clock.monotonic();
    // The timer fires again for the rest, for example all devices that are silent after a restart.
    for (let left = DUE_PER_STEP; left > 0; left--) {
      const due = deadlines.takeDue(now);
      if (due === undefined) break;
      const entry = due.item;
      if (due.dueAt !== entry.dueAt || this.#tracked.get(entry.device.deviceId) !== entry) continue;
      this.#checkDue(entry, now);
    }
    this.#arm();
  }

  /** Makes a device inactive at its deadline, unless it has sent data meanwhile. */
  #checkDue(entry: Tracked, now: number): void {
    this.#updateTimeout(entry);
    if (entry.seenAt + entry.timeoutMs > now) {
      this.#watch(entry);
      return;
    }
    this.#set(entry, { active: false, inactivityAlarmAt: this.#deps.clock.now() });
    this.#announce(entry);
  }

  /** Writes some of the changes; failed writes are retried at the next flush. */
  #flush(entriesMax = FLUSH_ENTRIES_MAX): void {
    const { devices, repository, transact, clock } = this.#deps;
    const entries = [...this.#dirty.keys().take(entriesMax)];
    const kept = entries.filter(({ device }) => !device.revoked || devices.find(device.deviceId));
    if (kept.length > 0)
      transact(() => {
        for (const { device, activity } of kept) repository.save(device.deviceId, activity);
      });
    for (const entry of entries) {
      entry.savedAt = clock.monotonic();
      this.#dirty.delete(entry);
    }
  }

  #forget(deviceId: DeviceId): void {
    const entry = this.#tracked.get(deviceId);
    this.#tracked.delete(deviceId);
    if (entry !== undefined) this.#dirty.delete(entry);
  }

  #applyTimeout(deviceId: DeviceId): void {
    const entry = this.#tracked.get(deviceId);
    if (entry === undefined) return;
    this.#updateTimeout(entry);
    if (entry.activity.active) this.#watch(entry); // a shorter timeout is due before the queued deadline
  }
}
