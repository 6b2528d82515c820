import { expect, test } from "bun:test";
import type { DeviceId } from "../../../src/lib/core/ids.ts";
import { UnknownTelemetry } from "../../../src/modules/telemetry/unknown-telemetry.service.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { until } from "../../support/until.ts";

const [gone, present, lost, early] = ["gone", "present", "lost", "early"] as [
  DeviceId,
  DeviceId,
  DeviceId,
  DeviceId,
]; // any string is an id

function rig() {
  const removed: DeviceId[] = [];
  const forgotten: DeviceId[] = [];
  const table = new Set([present]);
  const unknown = new UnknownTelemetry({
    store: {
      deviceIds: async () => [gone, present, lost],
      deleteDevice: async (deviceId) => void removed.push(deviceId),
    },
    devices: {
      listAllIds: () => table,
      listDeleted: () => [gone, early],
      forgetDeleted: (ids) => void forgotten.push(...ids),
    },
    log: createLogger("test"),
  });
  return { unknown, removed, forgotten, table };
}

test("a start finishes the deletion of devices that were deleted, and keeps the telemetry of those that are unknown", async () => {
  const { unknown, removed, forgotten } = rig();
  unknown.start();
  await until(() => forgotten.length === 2);
  expect([removed, forgotten, unknown.count]).toEqual([[gone], [gone, early], 1]);
  expect(unknown.problem()).toEqual({
    severity: "WARNING",
    code: "storage.unknown_devices",
    params: { count: 1 },
  });
});

test("what is unknown is deleted when a person says so, except a device that has come back", async () => {
  const { unknown, removed, forgotten, table } = rig();
  unknown.start();
  await until(() => forgotten.length === 2);
  table.add(lost);
  await unknown.delete();
  expect([removed, unknown.count, unknown.problem()]).toEqual([[gone], 0, undefined]);
});
