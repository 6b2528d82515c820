import { expect, test } from "bun:test";
import type { AlarmLifecycle } from "../../../src/modules/alarms/alarm-lifecycle.ts";
import type { AlarmsRepository } from "../../../src/modules/alarms/alarms.repository.ts";
import { createAlarmsService } from "../../../src/modules/alarms/alarms.service.ts";
import type { Alarm } from "../../../src/modules/alarms/alarms.types.ts";
import type { Principal } from "../../../src/modules/users/users.types.ts";

const owner = { tenantId: "t", role: "TENANT_OWNER", email: "owner@example", devices: "all" } as Principal;

function serviceOver(alarms: Map<string, Partial<Alarm>>) {
  const acknowledged: Alarm[] = [];
  const service = createAlarmsService({
    repository: {
      findMany: (_: string, ids: readonly string[]) => ids.flatMap((id) => alarms.get(id) ?? []),
    } as unknown as AlarmsRepository,
    lifecycle: {
      commit(work: () => unknown) {
        work();
        Bun.sleepSync(10); // longer than the share of a round
      },
      acknowledge: (alarm: Alarm) => acknowledged.push(alarm),
    } as unknown as AlarmLifecycle,
    devices: { ensureVisible: () => "d" as never },
    onEscalationChanged: () => undefined,
  });
  return { service, acknowledged };
}

const many = () =>
  new Map(
    Array.from({ length: 500 }, (_, index) => [
      `a${index}`,
      { alarmId: `a${index}`, clearedAt: null } as Partial<Alarm>,
    ]),
  );

test("while very many alarms are acknowledged, others get their turn", async () => {
  const alarms = many();
  const { service, acknowledged } = serviceOver(alarms);
  let seen = Number.NaN;
  setImmediate(() => {
    seen = acknowledged.length;
  });
  await service.acknowledge(owner, [...alarms.keys()]);
  expect(acknowledged.map(({ alarmId }) => alarmId)).toEqual([...alarms.keys()]);
  expect(seen).toBeLessThan(100);
});

test("an alarm that a rule clears meanwhile is acknowledged as it is then, and one that is gone is left out", async () => {
  const alarms = many();
  const { service, acknowledged } = serviceOver(alarms);
  const ids = [...alarms.keys()];
  setImmediate(() => {
    alarms.set("a499", { alarmId: "a499", clearedAt: 5 });
    alarms.delete("a498");
  });
  await service.acknowledge(owner, ids);
  expect(acknowledged).toHaveLength(499);
  expect(acknowledged.at(-1)).toMatchObject({ alarmId: "a499", clearedAt: 5 });
});

test("none is acknowledged where one is not there", async () => {
  const alarms = many();
  const { service, acknowledged } = serviceOver(alarms);
  const failed = await service.acknowledge(owner, [...alarms.keys(), "unknown"]).catch((error) => error.code);
  expect(failed).toBe("alarm.not_found");
  expect(acknowledged).toEqual([]);
});
