import { expect, test } from "bun:test";
import type { DeviceId, TenantId } from "../../../../src/lib/core/ids.ts";
import { AlarmEscalation } from "../../../../src/modules/alarms/actions/alarm-escalation.ts";
import type { AlarmsRepository } from "../../../../src/modules/alarms/alarms.repository.ts";
import { escalationDefaults } from "../../../../src/modules/alarms/alarms.types.ts";
import { AlarmTime } from "../../../../src/modules/alarms/engine/alarm-time.ts";
import type { DomainEvents } from "../../../../src/modules/events.types.ts";
import { createEventBus } from "../../../../src/platform/core/event-bus.ts";
import { createLogger } from "../../../../src/platform/core/log.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

test("the open alarms of a site are read once after the maintenance of many devices", () => {
  const log = createLogger("test");
  const clock = new FakeClock();
  const events = createEventBus<DomainEvents>(log);
  const read: Array<TenantId | undefined> = [];
  const escalation = new AlarmEscalation({
    repository: {
      listEscalating(tenantId?: TenantId) {
        read.push(tenantId);
        return [];
      },
    } as unknown as AlarmsRepository,
    lifecycle: { commit: (work: () => unknown) => work() } as never,
    settingsOf: () => escalationDefaults,
    mutedMs: () => 0,
    clock: Object.assign(clock, { isSet: () => true }),
    time: new AlarmTime(clock),
    events,
    log,
  });
  escalation.subscribe();
  const end = (tenantId: string, deviceId: string) =>
    events.emit("device.maintenance", {
      tenantId: tenantId as TenantId,
      deviceId: deviceId as DeviceId,
      until: null,
    });
  for (let index = 0; index < 100; index++) end("first", `device ${index}`);
  end("second", "device");
  clock.advance(10_000);
  expect(read).toEqual(["first", "second"] as TenantId[]);
  end("first", "device");
  clock.advance(10_000);
  expect(read).toEqual(["first", "second", "first"] as TenantId[]);
  escalation.stop();
});
