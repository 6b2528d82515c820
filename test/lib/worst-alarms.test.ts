import { expect, test } from "bun:test";
import { worstAlarms } from "../../src/lib/worst-alarms.ts";

test("a gateway has the most severe alarm of its children unless its own is as severe", () => {
  const worst = worstAlarms([
    { deviceId: "a", parentDeviceId: "gateway", severity: "MINOR" },
    { deviceId: "b", parentDeviceId: "gateway", severity: "MAJOR" },
    { deviceId: "gateway", severity: "WARNING" },
    { deviceId: "other", parentDeviceId: null, severity: "CRITICAL" },
    { deviceId: "equal", severity: "MAJOR" },
    { deviceId: "c", parentDeviceId: "equal", severity: "MAJOR" },
  ]);
  expect(worst.get("gateway")).toEqual({ severity: "MAJOR", isOfChild: true });
  expect(worst.get("equal")).toEqual({ severity: "MAJOR", isOfChild: false });
  expect(worst.get("a")).toEqual({ severity: "MINOR", isOfChild: false });
  expect(worst.has("none")).toBe(false);
});
