import { expect, test } from "bun:test";
import { worstAlarms } from "../../../src/lib/alarms/worst-alarms.ts";

test("a gateway has the most severe alarm of its children unless its own is as severe", () => {
  const worst = worstAlarms([
    { deviceId: "a", deviceName: "Press 1", parentDeviceId: "gateway", severity: "MINOR" },
    { deviceId: "b", deviceName: "Press 2", parentDeviceId: "gateway", severity: "MAJOR" },
    { deviceId: "gateway", deviceName: "Gateway 1", severity: "WARNING" },
    { deviceId: "other", deviceName: "Meter", parentDeviceId: null, severity: "CRITICAL" },
    { deviceId: "equal", deviceName: "Gateway 2", severity: "MAJOR" },
    { deviceId: "c", deviceName: "Press 3", parentDeviceId: "equal", severity: "MAJOR" },
  ]);
  expect(worst.get("gateway")).toEqual({ severity: "MAJOR", childName: "Press 2" });
  expect(worst.get("equal")).toEqual({ severity: "MAJOR", childName: undefined });
  expect(worst.get("a")).toEqual({ severity: "MINOR", childName: undefined });
  expect(worst.has("none")).toBe(false);
});
