import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandom } from "../../../src/lib/data/random.ts";
import type { Clock } from "../../../src/platform/time/clock.ts";
import { TrustedClock } from "../../../src/platform/time/trusted-clock.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.parse("2027-06-01T12:00:00Z");

/** A system clock that is set by hand. */
class SystemClock implements Clock {
  wall: number;
  elapsed = 0;
  timers: { dueAt: number; callback: () => void }[] = [];
  constructor(wall: number) {
    this.wall = wall;
  }
  now = () => this.wall;
  monotonic = () => this.elapsed;
  schedule(ms: number, callback: () => void) {
    const timer = { dueAt: this.elapsed + ms, callback };
    this.timers.push(timer);
    return () => void this.timers.splice(this.timers.indexOf(timer), 1);
  }
  run(ms: number): void {
    this.wall += ms;
    this.elapsed += ms;
    const due = this.timers.filter(({ dueAt }) => dueAt <= this.elapsed);
    this.timers = this.timers.filter(({ dueAt }) => dueAt > this.elapsed);
    for (const { callback } of due) callback();
  }
}

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lineside-clock-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const saved = () => Number(readFileSync(join(directory, "clock"), "utf8").split(" ")[0]);
/** Lets a gateway run until a time, and stop. */
function runUntil(wall: number): void {
  const clock = new TrustedClock(new SystemClock(wall), directory);
  clock.start();
  clock.stop();
}

describe("a clock that is right", () => {
  test("is taken as it is", () => {
    const system = new SystemClock(NOW);
    const clock = new TrustedClock(system, directory);
    expect([clock.now(), clock.problem()]).toEqual([NOW, undefined]);
    system.run(HOUR_MS);
    expect(clock.now()).toBe(NOW + HOUR_MS);
  });

  test("is reported for an hour when it is set by more than a minute", () => {
    const system = new SystemClock(NOW);
    const clock = new TrustedClock(system, directory);
    expect(clock.problem()).toBeUndefined();
    for (const [stepMs, seconds] of [
      [30_000, undefined],
      [-2 * HOUR_MS, -7_200],
    ] as const) {
      system.wall += stepMs;
      expect(clock.problem()?.params.seconds).toBe(seconds);
    }
    system.run(HOUR_MS);
    expect(clock.problem()?.code).toBe("system.clock_stepped");
    system.run(1_000);
    expect(clock.problem()).toBeUndefined();
  });

  test("may be set forward and back while the gateway runs", () => {
    runUntil(NOW);
    const system = new SystemClock(NOW + DAY_MS);
    const clock = new TrustedClock(system, directory);
    for (const step of [90 * DAY_MS, -800 * DAY_MS + 400 * DAY_MS, 2 * HOUR_MS]) {
      system.wall += step;
      expect([clock.now(), clock.isSet()]).toEqual([system.wall, true]);
    }
  });
});

describe("a gateway that boots in the past", () => {
  test.each([0, Date.parse("2026-12-01T00:00:00Z")])(
    "goes on from the newest time that it knows (%d)",
    (boot) => {
      runUntil(NOW);
      const system = new SystemClock(boot);
      const clock = new TrustedClock(system, directory);
      expect(clock.now()).toBe(NOW);
      expect(clock.problem()).toMatchObject({ severity: "WARNING", code: "system.clock_unset" });
      system.run(5 * HOUR_MS);
      expect(clock.now()).toBe(NOW + 5 * HOUR_MS);
    },
  );

  test("takes the time at which its clock is set, if that is plausible", () => {
    runUntil(NOW);
    const system = new SystemClock(0);
    const clock = new TrustedClock(system, directory);
    system.run(HOUR_MS);
    system.wall = NOW + 20 * HOUR_MS;
    expect([clock.now(), clock.problem()]).toEqual([NOW + 20 * HOUR_MS, undefined]);
  });

  test("doubts a clock that is set years ahead, and deletes nothing by it", () => {
    runUntil(NOW);
    const system = new SystemClock(0);
    const clock = new TrustedClock(system, directory);
    system.run(HOUR_MS);
    system.wall = NOW + 730 * DAY_MS;
    expect([clock.now(), clock.isSet(), clock.retentionTime()]).toEqual([NOW + 730 * DAY_MS, false, 0]);
    expect(clock.problem()?.code).toBe("system.clock_ahead");
    expect(clock.confirm()).toBe(true);
    expect(clock.problem()).toBeUndefined();
  });

  test("goes on from the newest time, too, if its clock was set back before", () => {
    runUntil(NOW);
    const system = new SystemClock(NOW);
    const clock = new TrustedClock(system, directory);
    clock.start();
    system.wall -= 365 * DAY_MS;
    system.run(3 * HOUR_MS);
    clock.stop();
    const next = new TrustedClock(new SystemClock(NOW - 364 * DAY_MS), directory);
    expect([next.now(), next.problem()?.code]).toEqual([NOW + 3 * HOUR_MS, "system.clock_unset"]);
    expect(next.confirm()).toBe(true);
    expect(next.now()).toBe(NOW - 364 * DAY_MS);
  });

  test("keeps its own time over further boots without a clock", () => {
    runUntil(NOW);
    for (let boot = 1; boot <= 3; boot++) {
      const system = new SystemClock(0);
      const clock = new TrustedClock(system, directory);
      clock.start();
      system.run(2 * HOUR_MS);
      clock.stop();
      expect(saved()).toBe(NOW + boot * 2 * HOUR_MS);
    }
  });

  test("starts with the year of the first Lineside where nothing is known", () => {
    const clock = new TrustedClock(new SystemClock(0), directory);
    expect(clock.now()).toBe(Date.UTC(2026, 0, 1));
  });
});

describe("the time that is kept", () => {
  test("does not follow a jump of years", () => {
    runUntil(NOW);
    const system = new SystemClock(NOW);
    const clock = new TrustedClock(system, directory);
    clock.start();
    system.wall += 730 * DAY_MS;
    system.run(HOUR_MS);
    expect(saved()).toBe(NOW + HOUR_MS);
    clock.stop();
  });

  test("is forgotten when it is no number", () => {
    writeFileSync(join(directory, "clock"), "tomorrow");
    expect(new TrustedClock(new SystemClock(NOW), directory).now()).toBe(NOW);
  });
});

describe("a gateway that boots ahead of the last known time", () => {
  test("uses the system's time, but is not set until a person confirms it", () => {
    runUntil(NOW);
    const system = new SystemClock(NOW + 730 * DAY_MS);
    const clock = new TrustedClock(system, directory);
    expect([clock.now(), clock.isSet()]).toEqual([NOW + 730 * DAY_MS, false]);
    expect(clock.problem()).toMatchObject({
      code: "system.clock_ahead",
      params: { time: new Date(NOW).toISOString() },
    });
    expect([clock.confirm(), clock.isSet(), clock.problem()]).toEqual([true, true, undefined]);
    expect(saved()).toBe(NOW + 730 * DAY_MS);
  });

  test("is set as soon as a time server keeps the clock, and the next boot knows that time", () => {
    runUntil(NOW);
    let isSynchronized = false;
    const system = new SystemClock(NOW + 20 * DAY_MS);
    const clock = new TrustedClock(system, directory, { isSynchronized: () => isSynchronized });
    expect(clock.isSet()).toBe(false);
    isSynchronized = true;
    system.run(10_000);
    expect(clock.isSet()).toBe(true);
    clock.stop();
    expect(saved()).toBe(NOW + 20 * DAY_MS + 10_000);
  });

  test("loses no hour: the next boot with the right time is set, whatever the wrong one did", () => {
    runUntil(NOW);
    const wrong = new SystemClock(NOW + 730 * DAY_MS);
    const clock = new TrustedClock(wrong, directory);
    clock.start();
    wrong.run(3 * HOUR_MS);
    clock.stop();
    const right = new SystemClock(NOW + 3 * HOUR_MS + 60_000);
    const next = new TrustedClock(right, directory);
    expect([next.now(), next.problem()]).toEqual([right.wall, undefined]);
  });

  test("a restart after the clock jumped in a running gateway is such a boot", () => {
    runUntil(NOW);
    const system = new SystemClock(NOW);
    const clock = new TrustedClock(system, directory);
    clock.start();
    system.wall += 730 * DAY_MS;
    clock.stop();
    expect(new TrustedClock(new SystemClock(system.wall), directory).isSet()).toBe(false);
    expect(new TrustedClock(new SystemClock(NOW + 60_000), directory).isSet()).toBe(true);
  });

  test.each(["", "1811937600000", "9811937600000 00000000"])(
    "with a lost or damaged time of earlier runs (%j), waits for somebody who knows",
    (content) => {
      writeFileSync(join(directory, "clock"), content);
      const clock = new TrustedClock(new SystemClock(NOW), directory, { hasHistory: true });
      expect([clock.now(), clock.isSet(), clock.problem()?.code]).toEqual([
        NOW,
        false,
        "system.clock_unknown",
      ]);
    },
  );
});

test("the time is a whole number of milliseconds, set or not", () => {
  runUntil(NOW);
  const system = new SystemClock(0);
  const clock = new TrustedClock(system, directory);
  system.run(1_234.567);
  expect(clock.now()).toBe(NOW + 1_234);
  system.wall = NOW + HOUR_MS + 0.25;
  expect([clock.now(), clock.systemNow()]).toEqual([NOW + HOUR_MS, NOW + HOUR_MS]);
});

test("over random boots and jumps, time is never set wrongly and never moves the known time past the true one", () => {
  const random = createRandom(Number(process.env.LINESIDE_SEED ?? 4));
  const boots = Number(process.env.LINESIDE_CLOCK_BOOTS ?? 300);
  let truth = NOW;
  runUntil(truth);
  for (let boot = 0; boot < boots; boot++) {
    const savedBefore = saved();
    truth += random() * (random() < 0.2 ? 40 * DAY_MS : 10 * HOUR_MS); // switched off
    const kind = random();
    const shown = kind < 0.5 ? truth : kind < 0.7 ? random() * DAY_MS : truth + (2 + random() * 700) * DAY_MS;
    const system = new SystemClock(shown);
    let isSynchronized = false;
    let jumped = 0;
    const clock = new TrustedClock(system, directory, { isSynchronized: () => isSynchronized });
    clock.start();
    for (let step = 0; step < 5; step++) {
      const ms = random() * 3 * HOUR_MS;
      truth += ms;
      system.run(ms);
      // A clock that is set is right, unless somebody has set it to a wrong time just now.
      if (clock.isSet() && jumped === 0) expect(Math.abs(clock.now() - truth)).toBeLessThan(2);
      // Nothing is deleted for its age that is not as old as that, give or take the hours of this run.
      expect(clock.retentionTime()).toBeLessThan(truth + 2 * system.elapsed + 2);
      if (jumped !== 0) {
        system.wall -= jumped;
        jumped = 0;
      } else if (clock.isSet() && random() < 0.2) {
        jumped = (random() - 0.3) * 1_000 * DAY_MS;
        system.wall += jumped;
        isSynchronized = false;
      } else if (Math.abs(system.wall - shown - system.elapsed) < 1 && random() < 0.2) {
        system.wall = truth; // a time server sets it
        isSynchronized = true;
      }
    }
    clock.stop();
    expect(saved()).toBeLessThan(truth + 60_000);
    expect(saved()).toBeGreaterThanOrEqual(savedBefore);
  }
});

describe("the time that retention goes by", () => {
  test("is 0 until the clock is set", () => {
    runUntil(NOW);
    const clock = new TrustedClock(new SystemClock(NOW + 730 * DAY_MS), directory);
    expect(clock.retentionTime()).toBe(0);
    clock.confirm();
    expect(clock.retentionTime()).toBe(NOW + 730 * DAY_MS);
  });

  test("follows a jump in a running gateway twice as fast as time passes, however often it is asked for", () => {
    const system = new SystemClock(NOW);
    const clock = new TrustedClock(system, directory);
    expect(clock.retentionTime()).toBe(NOW);
    system.wall += 730 * DAY_MS;
    for (let ask = 0; ask < 4; ask++) {
      system.run(HOUR_MS / 4);
      clock.retentionTime();
    }
    expect(clock.retentionTime()).toBe(NOW + 2 * HOUR_MS);
    system.wall = NOW + HOUR_MS; // set right again
    expect(clock.retentionTime()).toBe(NOW + HOUR_MS);
  });
});
