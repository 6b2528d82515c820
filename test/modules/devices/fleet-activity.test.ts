import { expect, test } from "bun:test";
import type { DeviceId, ProfileId, TenantId } from "../../../src/lib/core/ids.ts";
import { createRandom } from "../../../src/lib/data/random.ts";
import { DeviceActivityTracker } from "../../../src/modules/devices/device-activity.ts";
import type { DevicesRepository } from "../../../src/modules/devices/devices.repository.ts";
import type { DomainEvents } from "../../../src/modules/events.types.ts";
import type { IngestDevice } from "../../../src/modules/ingest/ingest.types.ts";
import type { ProfilesService } from "../../../src/modules/profiles/profiles.service.ts";
import { createEventBus } from "../../../src/platform/core/event-bus.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const DEVICES = 100_000;
const STEP_MS = 1_000;
const STEPS = 40;

/** Counts how often it is asked to wake somebody. */
class CountingClock extends FakeClock {
  timers = 0;

  override schedule(ms: number, callback: () => void): () => void {
    this.timers++;
    return super.schedule(ms, callback);
  }
}

function createFleet(clock: FakeClock, timeoutOf: (index: number) => number) {
  const log = createLogger("test");
  const events = createEventBus<DomainEvents>(log);
  const devices = Array.from(
    { length: DEVICES },
    (_, index) =>
      ({
        deviceId: `device-${index}` as DeviceId,
        tenantId: "tenant" as TenantId,
        profileId: "profile" as ProfileId,
        revoked: false,
      }) as IngestDevice, // what activity looks at of a device
  );
  const indexOf = (deviceId: DeviceId) => Number(deviceId.slice("device-".length));
  const tracker = new DeviceActivityTracker({
    repository: { find: () => undefined, save: () => undefined, listActive: () => [] },
    devices: {
      find: (deviceId: DeviceId) => ({ inactivityTimeoutMs: timeoutOf(indexOf(deviceId)) }),
    } as unknown as DevicesRepository, // only the timeout is asked for
    profiles: {} as ProfilesService, // every device has a timeout of its own
    findDevice: () => undefined,
    transact: (work) => work(),
    clock,
    events,
    log,
  });
  tracker.subscribe();
  return { devices, tracker, events, indexOf };
}

test("100,000 devices: each turns inactive at its own deadline to the millisecond, and none else", () => {
  const clock = new CountingClock();
  const random = createRandom(7);
  const timeouts = Array.from({ length: DEVICES }, () => 500 + Math.floor(random() * 20_000));
  const { devices, tracker, events, indexOf } = createFleet(clock, (index) => timeouts[index] ?? 0);
  /** What must happen: by device, when it was last heard of and whether it is thought to be active. */
  const seenAt = new Float64Array(DEVICES);
  const active = new Uint8Array(DEVICES);
  const wrong: string[] = [];
  let changes = 0;
  events.on("device.state", ({ deviceId, active: isActive }) => {
    const index = indexOf(deviceId);
    const dueAt = (seenAt[index] ?? 0) + (timeouts[index] ?? 0);
    if (!isActive && clock.monotonic() !== dueAt)
      wrong.push(`${deviceId} at ${clock.monotonic()}, due at ${dueAt}`);
    if ((active[index] === 1) === isActive) wrong.push(`${deviceId} twice`);
    active[index] = isActive ? 1 : 0;
    changes++;
  });
  tracker.start();
  for (let step = 0; step < STEPS; step++) {
    for (let count = 0; count < DEVICES / 10; count++) {
      const index = Math.floor(random() * DEVICES);
      seenAt[index] = clock.monotonic();
      tracker.touch(devices[index] as IngestDevice);
    }
    clock.advance(STEP_MS);
    if (step % 10 !== 9) continue;
    for (let index = 0; index < DEVICES; index++) {
      const isDue = clock.monotonic() >= (seenAt[index] ?? 0) + (timeouts[index] ?? 0);
      if (active[index] === 1 && isDue) wrong.push(`device-${index} is late`);
    }
  }
  expect(wrong).toEqual([]);
  expect(changes).toBeGreaterThan(DEVICES);
  tracker.stop();
});

test("a quiet fleet wakes nobody before its first deadline", () => {
  const clock = new CountingClock();
  const { devices, tracker } = createFleet(clock, () => 600_000);
  tracker.start();
  for (const device of devices) tracker.touch(device);
  const before = clock.timers;
  clock.advance(590_000);
  // Once a second what is new is written; nothing else runs.
  expect(clock.timers - before).toBeLessThanOrEqual(591);
  tracker.stop();
});

test("devices that are due together are checked in several turns, and all become inactive", () => {
  class CallCountingClock extends FakeClock {
    readonly states: number[] = [];

    override schedule(ms: number, callback: () => void): () => void {
      return super.schedule(ms, () => {
        this.states.push(0);
        callback();
      });
    }
  }
  const clock = new CallCountingClock();
  const { devices, tracker, events } = createFleet(clock, () => 1_500);
  events.on("device.state", ({ active }) => {
    if (!active) clock.states[clock.states.length - 1] = (clock.states.at(-1) ?? 0) + 1;
  });
  tracker.start();
  for (const device of devices) tracker.touch(device);
  clock.advance(2_000);
  expect(Math.max(...clock.states)).toBeLessThanOrEqual(2_000);
  expect(clock.states.reduce((sum, count) => sum + count, 0)).toBe(DEVICES);
  tracker.stop();
});
