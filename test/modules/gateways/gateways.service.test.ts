import { describe, expect, test } from "bun:test";
import { unavailable } from "../../../src/lib/core/domain-error.ts";
import type { DeviceId } from "../../../src/lib/core/ids.ts";
import { createGatewaysService } from "../../../src/modules/gateways/gateways.service.ts";
import type { IngestDevice } from "../../../src/modules/ingest/ingest.types.ts";
import { createDevice } from "../../mqtt/mqtt-fixture.ts";

const gateway = createDevice("gateway", "GATEWAY");
const topic = "v1/gateway/telemetry";
const telemetry = (...names: string[]) => ({
  source: "mqtt" as const,
  topic,
  bytes: new TextEncoder().encode(JSON.stringify(Object.fromEntries(names.map((name) => [name, { t: 1 }])))),
});

/** The service over stand-ins whose disks write when the test says so. */
function setUp(readings: (child: IngestDevice) => Promise<void> = () => Promise.resolve()) {
  const devices = new Map<string, IngestDevice>();
  const saves: PromiseWithResolvers<void>[] = [];
  const rejected: string[] = [];
  const existing = new Map<string, IngestDevice>();
  const service = createGatewaysService({
    claiming: { check: () => ({ secretKey: "", durationMs: 1 }), request: () => Promise.resolve() },
    children: {
      listIds: () => [...devices.values()].map(({ deviceId }) => deviceId),
      ensureChildren: (_, refs) =>
        refs.map(({ name }) => {
          const child = createDevice(name);
          devices.set(child.deviceId, child);
          existing.set(name, child);
          return child.deviceId;
        }),
      findChild: (_, name) => existing.get(name)?.deviceId,
    },
    directory: { find: (deviceId: DeviceId) => devices.get(deviceId) },
    sessions: {
      find: (_, name) => existing.get(name),
      reported: () => false,
      left: () => undefined,
    },
    ingest: {
      admit: () => undefined,
      toReadings: () => [{ ts: 1, values: { t: 1 } }],
      readings,
      clientAttributes: () => Promise.resolve(),
      reject: (_, { code }) => void rejected.push(code),
    },
    attributes: { readEach: () => Promise.resolve([]) },
    touch: () => undefined,
    transact: (work) => work(),
    durable: () => {
      const save = Promise.withResolvers<void>();
      saves.push(save);
      return save.promise;
    },
    onReachable: () => undefined,
    commands: { deviceOf: () => undefined, answered: () => false },
  });
  return { service, saves, rejected };
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  await Bun.sleep(0);
  return settled;
}

describe("a message of a gateway is acknowledged", () => {
  test("when the child that it made is on the disk, and so is every message that comes meanwhile", async () => {
    const { service, saves } = setUp();
    const first = service.telemetry(gateway, telemetry("a"));
    const second = service.telemetry(gateway, telemetry("a"));
    expect([await isSettled(first), await isSettled(second)]).toEqual([false, false]);
    saves[0]?.resolve();
    await Promise.all([first, second]);
    await service.telemetry(gateway, telemetry("a"));
    expect(saves.length).toBe(1);
  });

  test("when the points of every child are on the disk", async () => {
    const commits = new Map<string, PromiseWithResolvers<void>>();
    const { service, saves } = setUp(({ name }) => {
      const commit = Promise.withResolvers<void>();
      commits.set(name, commit);
      return commit.promise;
    });
    const taken = service.telemetry(gateway, telemetry("a", "b"));
    saves[0]?.resolve();
    commits.get("a")?.resolve();
    expect(await isSettled(taken)).toBe(false);
    commits.get("b")?.resolve();
    await taken;
  });

  test("never, when a child cannot be written: the gateway resends", async () => {
    const { service, saves } = setUp();
    const taken = service.telemetry(gateway, telemetry("a"));
    const failure = unavailable("storage.failed");
    saves[0]?.reject(failure);
    expect(await taken.catch((error) => error)).toBe(failure);
  });

  test("never, when storage takes no more in the middle of it; nothing is listed as refused", () => {
    const failure = unavailable("storage.disk_full");
    const { service, rejected } = setUp(({ name }) => {
      if (name === "b") throw failure;
      return Promise.resolve();
    });
    expect(() => service.telemetry(gateway, telemetry("a", "b", "c"))).toThrow(failure);
    expect(rejected).toEqual([]);
  });
});

describe("a message with many parts", () => {
  const many = Array.from({ length: 60 }, (_, index) => `child ${index}`);

  test("is taken before those that came after it", async () => {
    const taken: string[] = [];
    const { service, saves } = setUp(async ({ deviceId }) => void taken.push(deviceId));
    const buffer = telemetry("late").bytes;
    const all = [
      service.telemetry(gateway, telemetry(...many)),
      service.telemetry(gateway, { ...telemetry(), bytes: buffer }),
      service.telemetry(gateway, telemetry(...many)),
      service.telemetry(gateway, telemetry("last")),
    ];
    buffer.fill(0); // the connection reads its next bytes
    while (!(await isSettled(Promise.all(all)))) for (const save of saves) save.resolve();
    const ids = many.map((name) => createDevice(name).deviceId);
    const [late, last] = ["late", "last"].map((name) => createDevice(name).deviceId);
    expect(taken).toEqual([...ids, late, ...ids, last] as typeof taken);
  });

  test("does not hold up another gateway", async () => {
    const taken: string[] = [];
    const { service } = setUp(async ({ deviceId }) => void taken.push(deviceId));
    const long = service.telemetry(gateway, telemetry(...many));
    service.telemetry(createDevice("other", "GATEWAY"), telemetry("theirs"));
    expect(taken).toContain(createDevice("theirs").deviceId);
    expect(await isSettled(long)).toBe(false);
  });

  test("is refused as a whole if nothing of it is good", async () => {
    const { service, saves } = setUp(() => Promise.reject(unavailable("storage.failed")));
    const refused = service.telemetry(gateway, telemetry(...many)).catch((error) => error.code);
    for (const save of saves) save.resolve();
    expect(await refused).toBe("storage.failed");
  });
});
