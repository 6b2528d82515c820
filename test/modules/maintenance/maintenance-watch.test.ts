import { expect, test } from "bun:test";
import type { DeviceId, TenantId } from "../../../src/lib/core/ids.ts";
import type { DomainEvents } from "../../../src/modules/events.types.ts";
import { MaintenanceWatch } from "../../../src/modules/maintenance/maintenance-watch.ts";
import { createEventBus } from "../../../src/platform/core/event-bus.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { FakeClock } from "../../support/fake-clock.ts";

test("maintenance of many devices that ends at the same time ends in parts", () => {
  const clock = new FakeClock();
  const log = createLogger();
  const events = createEventBus<DomainEvents>(log);
  const stored = new Set<DeviceId>();
  const watch = new MaintenanceWatch({
    repository: {
      listAll: () => [],
      save: ({ deviceId }) => void stored.add(deviceId),
      delete: (deviceId) => void stored.delete(deviceId),
    },
    ...{ clock, events, log },
  });
  let ended = 0;
  events.on("device.maintenance", ({ until }) => {
    if (until === null) ended++;
  });
  watch.start();
  const since = clock.now();
  for (let index = 0; index < 1_000; index++)
    watch.begin({
      ...{ deviceId: `device ${index}` as DeviceId, tenantId: "tenant" as TenantId },
      ...{ since, until: since + 1_000, reason: "", by: "" },
    });
  clock.advance(1_000);
  expect(ended).toBe(100);
  expect(watch.ofItself("device 999" as DeviceId)).toBeUndefined();
  clock.advance(100);
  expect(ended).toBe(1_000);
  expect(stored.size).toBe(0);
  watch.stop();
});
