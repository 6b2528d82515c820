import { expect, test } from "bun:test";
import type { DeviceId } from "../../../src/lib/ids.ts";
import { createOrphanRemoval } from "../../../src/modules/telemetry/orphans.ts";
import { createLogger } from "../../../src/platform/log.ts";
import { until } from "../../support/until.ts";

test("a start deletes the telemetry of devices that are gone, and asks once which there are", async () => {
  const [gone, present] = ["gone", "present"] as DeviceId[]; // any text is an id
  const deleted: DeviceId[] = [];
  let asked = 0;
  const removal = createOrphanRemoval({
    store: {
      deviceIds: async () => [gone!, present!],
      deleteDevice: async (deviceId) => void deleted.push(deviceId),
    },
    listDevices: () => {
      asked++;
      return new Set([present!]);
    },
    log: createLogger("test"),
  });
  await removal.start?.();
  await until(() => deleted.length > 0);
  expect(deleted).toEqual([gone!]);
  expect(asked).toBe(1);
});
