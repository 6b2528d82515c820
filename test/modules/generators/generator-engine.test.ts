import { beforeEach, describe, expect, test } from "bun:test";
import { DomainError } from "../../../src/lib/core/domain-error.ts";
import type { DeviceId, TenantId } from "../../../src/lib/core/ids.ts";
import { createRandom } from "../../../src/lib/data/random.ts";
import { GeneratorEngine } from "../../../src/modules/generators/generator-engine.ts";
import type { Generator } from "../../../src/modules/generators/generators.resource.ts";
import type { IngestDevice } from "../../../src/modules/ingest/ingest.types.ts";
import type { LatestSnapshot, Reading } from "../../../src/modules/telemetry/telemetry.types.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const START = Date.parse("2026-03-01T00:00:00Z");
const counter = { key: "n", min: 0, max: 1_000_000, pattern: "counter" as const };

const generatorOf = (config: Partial<Generator["config"]> = {}): Generator => ({
  id: "chain",
  tenantId: "tenant" as TenantId,
  name: "demo",
  description: null,
  enabled: true,
  status: "active",
  config: { intervalSeconds: 10, metrics: [counter], deviceIds: ["one" as DeviceId], ...config },
  virtualDeviceId: null,
  lastError: null,
  lastErrorAt: null,
  createdAt: START,
  updatedAt: START,
});

/** The engine beside a store that keeps what it is sent, and commits when told where `holds`. */
function createRig() {
  const clock = new FakeClock(START);
  const sent: Array<{ deviceId: string; ts: number; n: unknown }> = [];
  const newest = new Map<DeviceId, LatestSnapshot>();
  const devices = new Map(
    ["one", "two"].map((deviceId) => [deviceId, { deviceId, revoked: false } as unknown as IngestDevice]),
  );
  const orphaned: string[] = [];
  const rig = { refusal: undefined as DomainError | undefined, commit: Promise.resolve(), readFails: false };
  const engine = new GeneratorEngine({
    ingest: {
      admit() {
        if (rig.refusal !== undefined) throw rig.refusal;
      },
      readings(device: IngestDevice, readings: readonly Reading[]) {
        for (const { ts, values } of readings) {
          sent.push({ deviceId: device.deviceId, ts: ts - START, n: values.n });
          const { deviceId } = device;
          newest.set(deviceId, { deviceId, values: { ...values }, timestamps: { n: ts }, ts });
        }
        return rig.commit;
      },
    },
    findDevice: (deviceId) => devices.get(deviceId),
    async *latest(ids) {
      if (rig.readFails) throw new Error("no such table");
      yield ids.flatMap((id) => newest.get(id) ?? []);
    },
    onOrphaned: ({ id }) => orphaned.push(id),
    clock,
    random: createRandom(1),
    log: createLogger(),
  });
  /** Everything that waits for promises alone. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    rig,
    engine,
    clock,
    sent,
    devices,
    orphaned,
    settle,
    async advance(ms: number) {
      for (let left = ms; left > 0; left -= 1_000) {
        clock.advance(Math.min(1_000, left));
        await settle();
      }
    },
  };
}

let it: ReturnType<typeof createRig>;
beforeEach(() => {
  it = createRig();
});
const numbers = () => it.sent.map(({ n }) => n);
const times = () => it.sent.map(({ ts }) => ts);

async function run(generator = generatorOf()) {
  it.engine.start([]);
  it.engine.changed(generator);
  await it.settle();
  it.clock.advance(0);
  await it.settle();
}

describe("when readings are made", () => {
  test("a chain sends at once, and then every interval of the steady clock", async () => {
    await run();
    await it.advance(35_000);
    expect(times()).toEqual([0, 10_000, 20_000, 30_000]);
    expect(it.engine.activityOf("chain")).toMatchObject({ readings: 4, refused: 0, lastError: null });
  });

  test("a wall clock that jumps changes stamps and nothing else", async () => {
    await run();
    it.clock.jump(86_400_000);
    await it.advance(10_000);
    it.clock.jump(-86_400_000);
    await it.advance(10_000);
    expect(times()).toEqual([0, 86_410_000, 20_000]);
  });

  test("what could not be made in time is left out, and the grid stays", async () => {
    await run();
    // The whole program slept: timers fire late, all of them at once.
    const late = it.clock.monotonic.bind(it.clock);
    let sleptMs = 0;
    it.clock.monotonic = () => late() + sleptMs;
    sleptMs = 34_000;
    await it.advance(10_000);
    expect(it.sent).toHaveLength(2);
    sleptMs = 34_000;
    await it.advance(5_000);
    expect(it.sent).toHaveLength(2);
    await it.advance(1_000);
    expect(it.sent).toHaveLength(3);
  });

  test("storage that is slower than the interval is not given more, and that is told", async () => {
    let commit: () => void = () => undefined;
    it.rig.commit = new Promise((resolve) => {
      commit = resolve;
    });
    await run();
    await it.advance(30_000);
    expect(it.sent).toHaveLength(1);
    expect(it.engine.activityOf("chain")?.lastError).toEqual({ code: "generator.slow", params: {} });
    it.rig.commit = Promise.resolve();
    commit();
    await it.settle();
    await it.advance(10_000);
    expect(numbers()).toEqual([0, 1]);
    expect(it.engine.activityOf("chain")?.lastError).toBeNull();
  });

  test("after a restart the grid goes on from the newest reading, and the counter from its value", async () => {
    await run();
    await it.advance(24_000);
    await it.engine.stop();
    it.engine.start([generatorOf()]);
    await it.settle();
    await it.advance(16_000);
    expect(times()).toEqual([0, 10_000, 20_000, 30_000, 40_000]);
    expect(numbers()).toEqual([0, 1, 2, 3, 4]);
  });

  test("after days without power there is one reading at once, and none for the days", async () => {
    await run();
    await it.engine.stop();
    it.clock.advance(5 * 86_400_000);
    it.engine.start([generatorOf()]);
    await it.settle();
    await it.advance(10_000);
    expect(times().map((ts) => ts - 5 * 86_400_000)).toEqual([-5 * 86_400_000, 0, 10_000]);
  });

  test("a clock that was ahead before a restart keeps nothing waiting for longer than an interval", async () => {
    await run();
    it.clock.jump(365 * 86_400_000);
    await it.advance(10_000);
    await it.engine.stop();
    it.clock.jump(-365 * 86_400_000);
    it.engine.start([generatorOf()]);
    await it.settle();
    await it.advance(10_000);
    expect(it.sent).toHaveLength(3);
  });

  test("a chain begins anew when the store cannot say what it sent last", async () => {
    it.rig.readFails = true;
    await run();
    expect(numbers()).toEqual([0]);
  });
});

describe("changes", () => {
  test("started twice it sends once", async () => {
    it.engine.start([]);
    it.engine.changed(generatorOf());
    it.engine.changed(generatorOf());
    await it.settle();
    await it.advance(20_000);
    expect(times()).toEqual([0, 10_000, 20_000]);
  });

  test("a new interval holds at once, and the counter goes on", async () => {
    await run();
    await it.advance(12_000);
    it.engine.changed(generatorOf({ intervalSeconds: 2 }));
    await it.settle();
    await it.advance(4_000);
    expect(times()).toEqual([0, 10_000, 12_000, 14_000, 16_000]);
    expect(numbers()).toEqual([0, 1, 2, 3, 4]);
  });

  test("a chain that is paused or deleted sends nothing more", async () => {
    await run();
    it.engine.changed({ ...generatorOf(), status: "paused" });
    await it.advance(20_000);
    expect(it.sent).toHaveLength(1);
    it.engine.changed(generatorOf());
    it.engine.removed("chain");
    await it.settle();
    await it.advance(20_000);
    expect(it.sent).toHaveLength(1);
    expect(it.engine.activityOf("chain")).toBeUndefined();
  });

  test("chains of a tenant that is deleted end, those of others go on", async () => {
    await run();
    const other = { ...generatorOf({ deviceIds: ["two" as DeviceId] }), id: "b", tenantId: "b" as TenantId };
    it.engine.changed(other);
    await it.settle();
    await it.advance(1_000);
    it.engine.tenantRemoved("tenant" as TenantId);
    await it.advance(10_000);
    expect(it.sent.map(({ deviceId }) => deviceId)).toEqual(["one", "two", "two"]);
    expect(it.engine.activityOf("chain")).toBeUndefined();
  });

  test("a chain that is paused has nothing to complain of any more", async () => {
    it.rig.refusal = new DomainError("unavailable", { code: "storage.disk_full", params: {} });
    await run();
    it.engine.changed({ ...generatorOf(), status: "paused" });
    expect(it.engine.activityOf("chain")).toMatchObject({ refused: 1, lastError: null });
  });

  test("nothing is sent once the engine has stopped, also by what is started later", async () => {
    await run();
    await it.engine.stop();
    it.engine.changed(generatorOf());
    await it.settle();
    await it.advance(20_000);
    expect(it.sent).toHaveLength(1);
  });
});

describe("what is refused", () => {
  test("it is counted and told, and over when readings are taken again", async () => {
    it.rig.refusal = new DomainError("unavailable", { code: "storage.disk_full", params: {} });
    await run();
    await it.advance(10_000);
    expect(it.engine.activityOf("chain")).toMatchObject({
      readings: 0,
      refused: 2,
      lastError: { code: "storage.disk_full", params: {} },
    });
    it.rig.refusal = undefined;
    await it.advance(10_000);
    expect(it.engine.activityOf("chain")).toMatchObject({ readings: 1, refused: 2, lastError: null });
  });

  test("a commit that fails is told without its insides", async () => {
    it.rig.commit = Promise.reject(new Error("SQLITE_IOERR /data/telemetry.db"));
    it.rig.commit.catch(() => undefined);
    await run();
    expect(it.engine.activityOf("chain")?.lastError?.code).toBe("generator_error.not_stored");
  });
});

describe("devices", () => {
  const both = () => generatorOf({ deviceIds: ["one", "two"] as DeviceId[] });

  test("each device has its own counter, and the other goes on when one is gone", async () => {
    await run(both());
    it.devices.delete("one");
    await it.advance(10_000);
    expect(it.sent.map(({ deviceId, n }) => [deviceId, n])).toEqual([
      ["one", 0],
      ["two", 0],
      ["two", 1],
    ]);
    expect(it.orphaned).toEqual([]);
  });

  test("a chain whose devices are all gone is told of", async () => {
    it.devices.clear();
    await run(both());
    expect(it.orphaned).toEqual(["chain"]);
    expect(it.sent).toEqual([]);
  });
});
