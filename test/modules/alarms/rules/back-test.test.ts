import { expect, test } from "bun:test";
import { createAlarmRulesService } from "../../../../src/modules/alarms/rules/alarm-rules.service.ts";
import type { Principal } from "../../../../src/modules/users/users.types.ts";
import type { Clock } from "../../../../src/platform/time/clock.ts";

const owner = { tenantId: "t", role: "TENANT_OWNER", devices: "all" } as Principal;
const ROWS = 4_096;
const condition = { key: "t", op: "GT", value: 5 };
const request = {
  rule: { alarmType: "Hot", createRules: [{ severity: "MAJOR", condition }] },
  deviceIds: ["d"],
};

/** One chunk of telemetry, and a clock on which each look takes a millisecond. */
function serviceOver(onRow: (row: number) => void) {
  let ticks = 0;
  return createAlarmRulesService({
    store: {
      async *scan() {
        const atTime = (row: number) => {
          onRow(row);
          return row % 10;
        };
        const column = { key: "t", at: atTime };
        yield { deviceId: "d", ts: Float64Array.from({ length: ROWS }, (_, row) => row), columns: [column] };
      },
    },
    devices: { ensureAllVisible: () => ["d"] },
    ensureProfile: () => undefined,
    watchedDevices: () => ({ deviceIds: ["d"], total: 1 }),
    findDevice: () => ({ deviceId: "d", name: "Kiln" }),
    attribute: () => undefined,
    keysOf: () => new Map(),
    clock: { now: () => 1e6, monotonic: () => ticks++ } as unknown as Clock,
  } as unknown as Parameters<typeof createAlarmRulesService>[0]);
}

test("a test on much telemetry gives others their turn in the middle of it", async () => {
  let evaluated = 0;
  let seen = 0;
  const service = serviceOver((row) => {
    evaluated = row;
  });
  const tested = service.backTest(owner, request);
  await new Promise((resolve) => setImmediate(resolve));
  seen = evaluated;
  expect((await tested).rowCount).toBe(ROWS);
  expect(seen).toBeLessThan(ROWS / 2);
});

test("one that is called off ends", async () => {
  const controller = new AbortController();
  const service = serviceOver((row) => {
    if (row === 100) controller.abort();
  });
  expect((await service.backTest(owner, request, controller.signal)).rowCount).toBeLessThan(ROWS);
});

test("three run at once for a tenant", async () => {
  const service = serviceOver(() => undefined);
  const codes = await Promise.all(
    Array.from({ length: 5 }, () =>
      service.backTest(owner, request).then(
        () => "done",
        (error) => error.code,
      ),
    ),
  );
  expect(codes).toEqual(["done", "done", "done", "alarm.tests", "alarm.tests"]);
  expect((await service.backTest(owner, request)).alarmCount).toBeGreaterThan(0);
});
