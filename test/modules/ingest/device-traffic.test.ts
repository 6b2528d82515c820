import { expect, test } from "bun:test";
import fc from "fast-check";
import { TopK } from "../../../src/lib/data/top-k.ts";
import { DeviceTraffic } from "../../../src/modules/ingest/device-traffic.ts";
import type { IngestDevice } from "../../../src/modules/ingest/ingest.types.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const FIVE_MINUTES_MS = 5 * 60_000;
// The parts of a device that the counters look at.
const device = (deviceId: string) => ({ deviceId, tenantId: "t" }) as IngestDevice;

function createTraffic() {
  const clock = new FakeClock();
  const traffic = new DeviceTraffic({ clock, log: createLogger("traffic") });
  traffic.start();
  return { clock, traffic };
}

test("sums messages, values, bytes and rejections of each device", () => {
  const { traffic } = createTraffic();
  const [pump, press] = [device("pump"), device("press")];
  for (let index = 0; index < 3; index++) {
    traffic.received(pump, 100);
    traffic.accepted(pump);
    traffic.stored(pump, [{ ts: 1, values: { a: 1, b: 2 } }]);
  }
  traffic.received(press, 50);
  traffic.rejected(press);
  expect(traffic.top("messages")).toEqual([
    { deviceId: "pump", tenantId: "t", messages: 3, values: 6, bytes: 300, rejected: 0 },
  ] as never);
  expect(traffic.top("rejected")).toMatchObject([{ deviceId: "press", bytes: 50, rejected: 1 }]);
});

test("forgets what is older than an hour", () => {
  const { clock, traffic } = createTraffic();
  const pump = device("pump");
  traffic.accepted(pump);
  for (let interval = 0; interval < 11; interval++) clock.advance(FIVE_MINUTES_MS);
  traffic.accepted(pump);
  expect(traffic.top("messages")).toMatchObject([{ messages: 2 }]);
  clock.advance(FIVE_MINUTES_MS);
  expect(traffic.top("messages")).toMatchObject([{ messages: 1 }]);
});

test("counts a device that was loaded anew together with its earlier object", () => {
  const { traffic } = createTraffic();
  traffic.accepted(device("pump"));
  traffic.accepted(device("pump"));
  expect(traffic.top("messages")).toMatchObject([{ deviceId: "pump", messages: 2 }]);
});

test("keeps a bounded number of 100,000 devices, the busiest among them", () => {
  const { clock, traffic } = createTraffic();
  const devices = Array.from({ length: 100_000 }, (_, index) => device(`d${index}`));
  for (const each of devices) traffic.accepted(each);
  for (let index = 0; index < 100; index++) traffic.rejected(devices[70_000] as IngestDevice);
  for (let index = 0; index < 50; index++) traffic.accepted(devices[90_000] as IngestDevice);
  clock.advance(FIVE_MINUTES_MS);
  const top = traffic.top("messages");
  expect(top[0]).toMatchObject({ deviceId: "d90000", messages: 51 });
  expect(top.length).toBeLessThanOrEqual(4 * 500);
  expect(traffic.top("rejected")).toMatchObject([{ deviceId: "d70000", rejected: 100 }]);
});

test("the heap keeps the largest weights", () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), fc.integer({ min: 1, max: 20 }), (weights, max) => {
      const top = new TopK(max);
      for (const [index, weight] of weights.entries()) top.add(index, weight);
      const kept = top.items.map((index) => weights[index] ?? 0).sort((a, b) => b - a);
      expect(kept).toEqual(weights.toSorted((a, b) => b - a).slice(0, max));
    }),
  );
});
