import { expect, test } from "bun:test";
import { comparableGroups, numericKeys } from "../../src/web/lib/explore-examples.ts";

test("values with limits come first, counters last, and texts are left out", () => {
  const metadata = new Map([
    ["cycles", { key: "cycles", kind: "counter" }],
    ["power", { key: "power", kind: "gauge" }],
    ["temperature", { key: "temperature", kind: "gauge", limits: { high: 60 } }],
  ] as const);
  const values = { cycles: 1, mode: "heat", other: 2, power: 3, temperature: 4 };
  expect(numericKeys(values, (key) => metadata.get(key as "power"))).toEqual([
    "temperature",
    "power",
    "other",
    "cycles",
  ]);
  expect(numericKeys({ e: 1, d: 1, c: 1, b: 1, a: 1 }, () => undefined)).toEqual(["a", "b", "c", "d"]);
});

test("two to four devices of one type are compared", () => {
  const devices = ["kiln", "press", "kiln", "pump", "press", "press", "press", "press"].map(
    (deviceType, index) => ({ deviceId: `${deviceType} ${index}`, deviceType }),
  );
  expect(comparableGroups(devices).map((group) => group.map(({ deviceId }) => deviceId))).toEqual([
    ["kiln 0", "kiln 2"],
    ["press 1", "press 4", "press 5", "press 6"],
  ]);
  expect(comparableGroups(devices.slice(0, 2))).toEqual([]);
});
