import { expect, test } from "bun:test";
import { timedOut } from "../../../src/lib/core/domain-error.ts";
import { UnitPoller } from "../../../src/modules/field/unit-poller.ts";
import { createModbusProtocol, type ModbusKind } from "../../../src/modules/modbus/modbus.protocol.ts";
import type { ModbusRegister, ModbusUnit } from "../../../src/modules/modbus/modbus.types.ts";
import type { ModbusConnection } from "../../../src/platform/modbus/modbus-connection.ts";
import type { Clock } from "../../../src/platform/time/clock.ts";
import { unitOf } from "../../support/modbus-line.ts";

test("a unit that does not answer is left alone for no longer than the protocol says", async () => {
  let nowMs = 0;
  const clock = { now: () => nowMs, monotonic: () => nowMs } as Clock;
  const protocol = {
    ...createModbusProtocol({ isHost: () => true }),
    waitMsMax: 3_000,
    plan: (_: ModbusUnit, entries: readonly ModbusRegister[]) => [
      { entries, read: () => Promise.reject(timedOut("modbus.no_answer", { unitId: 1, ms: 1 })) },
    ],
  };
  const poller = new UnitPoller<ModbusKind>({
    protocol,
    unit: unitOf(),
    clock,
    store: async () => undefined,
    onFailed: () => undefined,
  });
  const waits: number[] = [];
  for (let count = 0; count < 8; count++) {
    nowMs = poller.dueAt ?? 0;
    await poller.poll({ isOpen: true } as ModbusConnection, async () => undefined);
    waits.push((poller.dueAt ?? 0) - nowMs);
  }
  expect(Math.max(...waits)).toBe(3_000);
});
