import { expect, test } from "bun:test";
import { comparableGroups } from "../../../src/web/lib/explore-examples.ts";

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
