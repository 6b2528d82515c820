import { expect, test } from "bun:test";
import { timedOut } from "../../../src/lib/core/domain-error.ts";
import { UnitPoller } from "../../../src/modules/field/unit-poller.ts";
import { createModbusProtocol, type ModbusKind } from "../../../src/modules/modbus/modbus.protocol.ts";
import type { ModbusRegister, ModbusUnit } from "../../../src/modules/modbus/modbus.types.ts";
import type { ModbusConnection } from "../../../src/platform/modbus/modbus-connection.ts";
import type { Clock } from "../../../src/platform/time/clock.ts";
import { unitOf } from "../../support/modbus-line.ts";

test.each([
  [false, 3_000],
  [true, 60_000],
])("a unit that does not answer is left alone for long only where others answer (%p)", async (others, ms) => {
  let nowMs = 0;
  const clock = { now: () => nowMs, monotonic: () => nowMs } as Clock;
  const protocol = {
    ...createModbusProtocol({ isHost: () => true }),
    plan: (_: ModbusUnit, entries: readonly ModbusRegister[]) => [
      { entries, read: () => Promise.reject(timedOut("modbus.no_response", { unitId: 1, ms: 1 })) },
    ],
  };
  const poller = new UnitPoller<ModbusKind>({
    connection: {} as ModbusKind["connection"],
    protocol,
    unit: unitOf(),
    clock,
    othersAnswer: () => others,
    store: async () => undefined,
    onFailed: () => undefined,
  });
  const waits: number[] = [];
  for (let count = 0; count < 8; count++) {
    nowMs = poller.dueAt ?? 0;
    await poller.poll({ isOpen: true } as ModbusConnection, async () => undefined);
    waits.push((poller.dueAt ?? 0) - nowMs);
  }
  expect(Math.max(...waits)).toBe(ms);
});

test("a change is read as soon as it is its turn, and never before what has waited longer", async () => {
  let nowMs = 0;
  const clock = { now: () => nowMs, monotonic: () => nowMs } as Clock;
  let named = 0;
  const reads: string[] = [];
  const register = (key: string, intervalMs: number): ModbusRegister => ({
    ...{ key, intervalMs, area: "HOLDING_REGISTER", address: 0, type: "UINT16" },
  });
  const poller = new UnitPoller<ModbusKind>({
    connection: {} as ModbusKind["connection"],
    protocol: {
      ...createModbusProtocol({ isHost: () => true }),
      changeOf: ({ key }) => {
        named++;
        return key;
      },
      plan: (_: ModbusUnit, entries: readonly ModbusRegister[]) => [
        {
          entries,
          read: async () => {
            reads.push(entries.map(({ key }) => key).join());
            return { values: entries.map((entry) => [entry, [1]] as const) };
          },
        },
      ],
    },
    unit: { ...unitOf(), registers: [register("slow", 3_600_000), register("fast", 1_000)] },
    clock,
    store: async () => undefined,
    othersAnswer: () => false,
    onFailed: () => undefined,
  });
  const poll = () => poller.poll({ isOpen: true } as ModbusConnection, async () => undefined);
  await poll();
  await poll();
  poller.changed("other");
  expect(poller.dueAt).toBe(1_000);
  nowMs = 400;
  poller.changed("slow");
  expect(poller.dueAt).toBe(400);
  nowMs = 1_200;
  poller.changed("slow");
  await poll();
  poller.changed("slow");
  await poll();
  await poll();
  expect(reads).toEqual(["slow", "fast", "slow", "fast", "slow"]);
  // A device may report thousands of changes per second: none of them goes through all entries.
  expect(named).toBe(2);
});

test("a unit with more waiting values is due again immediately, and stores each part", async () => {
  let nowMs = 0;
  const clock = { now: () => nowMs, monotonic: () => nowMs } as Clock;
  const parts = [1, 2, 3];
  const stored: unknown[] = [];
  const poller = new UnitPoller<ModbusKind>({
    connection: {} as ModbusKind["connection"],
    protocol: {
      ...createModbusProtocol({ isHost: () => true }),
      plan: (_: ModbusUnit, entries: readonly ModbusRegister[]) => [
        {
          entries,
          read: async () => {
            const part = parts.shift();
            return { values: entries.map((entry) => [entry, [part]] as const), hasMore: parts.length > 0 };
          },
        },
      ],
    },
    unit: { ...unitOf(), registers: [{ key: "a", area: "HOLDING_REGISTER", address: 0, type: "UINT16" }] },
    clock,
    store: async (_, points) => void stored.push(points.map(({ value }) => value)),
    othersAnswer: () => false,
    onFailed: () => undefined,
  });
  const due: (number | undefined)[] = [];
  while (parts.length > 0) {
    nowMs += 10;
    await poller.poll({ isOpen: true } as ModbusConnection, async () => undefined);
    due.push((poller.dueAt ?? 0) - nowMs);
  }
  expect(stored).toEqual([[1], [2], [3]]);
  expect(due.slice(0, 2)).toEqual([0, 0]);
  expect(due[2]).toBeGreaterThan(0);
});

test("what a device says about an entry is kept while it says so, and reported when it begins", async () => {
  const clock = { now: () => 0, monotonic: () => 0 } as Clock;
  const reported: string[] = [];
  let note: string | undefined;
  const poller = new UnitPoller<ModbusKind>({
    connection: {} as ModbusKind["connection"],
    protocol: {
      ...createModbusProtocol({ isHost: () => true }),
      plan: (_: ModbusUnit, entries: readonly ModbusRegister[]) => [
        {
          entries,
          read: async () => ({
            values: entries.map((entry) => [entry, [1]] as const),
            notes: new Map(
              note === undefined ? [] : entries.map((entry) => [entry, { code: note ?? "", params: {} }]),
            ),
          }),
        },
      ],
    },
    unit: { ...unitOf(), registers: [{ key: "a", area: "HOLDING_REGISTER", address: 0, type: "UINT16" }] },
    clock,
    store: async () => undefined,
    othersAnswer: () => false,
    onFailed: (_, { code }) => reported.push(code),
  });
  const noted: (string | undefined)[] = [];
  for (const next of [undefined, "one", "one", "two", undefined, "two"]) {
    note = next;
    await poller.poll({ isOpen: true } as ModbusConnection, async () => undefined);
    noted.push(poller.health.notes.get("a")?.code);
  }
  expect(noted).toEqual([undefined, "one", "one", "two", undefined, "two"]);
  expect(reported).toEqual(["field.entry_note", "field.entry_note", "field.entry_note"]);
});

test("a value that the device says the time of is stored once, and one that changed while the time stands still has that of its receipt", async () => {
  const stored: (readonly [value: unknown, sampledAt: number | undefined])[] = [];
  const answers = [
    [5, 1_000],
    [5, 1_000],
    [undefined, 1_000],
    [5, 1_000],
    [6, 1_000],
    [6, 1_000],
    [6, 2_000],
  ] as const;
  let nowMs = 0;
  const reads = answers.values();
  const poller = new UnitPoller<ModbusKind>({
    connection: {} as ModbusKind["connection"],
    protocol: {
      ...createModbusProtocol({ isHost: () => true }),
      plan: (_: ModbusUnit, entries: readonly ModbusRegister[]) => [
        {
          entries,
          read: async () => {
            const [value, time] = reads.next().value ?? [];
            return {
              values: entries.map((entry) => [entry, [value], time ?? 0] as const),
            };
          },
        },
      ],
    },
    unit: unitOf(),
    clock: { now: () => nowMs, monotonic: () => nowMs } as Clock,
    store: async (_, points) => {
      for (const { value, sampledAt } of points) stored.push([value, sampledAt]);
    },
    othersAnswer: () => false,
    onFailed: () => undefined,
  });
  for (const _ of answers) {
    nowMs = poller.dueAt ?? 0;
    await poller.poll({ isOpen: true } as ModbusConnection, async () => undefined);
  }
  expect(stored).toEqual([
    [5, 1_000],
    [6, undefined],
    [6, 2_000],
  ]);
});

test("an entry that stands as it was read before is a sign of life, and one without a value is none", async () => {
  const stored: number[] = [];
  const answers = [[[5]], [], [[undefined]], []] as const;
  const reads = answers.values();
  const poller = new UnitPoller<ModbusKind>({
    connection: {} as ModbusKind["connection"],
    protocol: {
      ...createModbusProtocol({ isHost: () => true }),
      plan: (_: ModbusUnit, entries: readonly ModbusRegister[]) => [
        {
          entries,
          read: async () => {
            const values = reads.next().value ?? [];
            return { values: entries.flatMap((entry) => values.map((own) => [entry, own, 1_000] as const)) };
          },
        },
      ],
    },
    unit: { ...unitOf(), registers: [{ key: "a", area: "HOLDING_REGISTER", address: 0, type: "UINT16" }] },
    clock: { now: () => 0, monotonic: () => 0 } as Clock,
    store: async (_, points) => void stored.push(points.length),
    othersAnswer: () => false,
    onFailed: () => undefined,
  });
  for (const _ of answers) await poller.poll({ isOpen: true } as ModbusConnection, async () => undefined);
  expect(stored).toEqual([1, 0]);
});

test("an entry that a change shows to be readable again is read with the others again", async () => {
  let nowMs = 0;
  const clock = { now: () => nowMs, monotonic: () => nowMs } as Clock;
  const reads: string[] = [];
  let isRefused = true;
  const poller = new UnitPoller<ModbusKind>({
    connection: {} as ModbusKind["connection"],
    protocol: {
      ...createModbusProtocol({ isHost: () => true }),
      changeOf: ({ key }) => key,
      plan: (_: ModbusUnit, entries: readonly ModbusRegister[]) => [
        {
          entries,
          read: async () => {
            reads.push(entries.map(({ key }) => key).join());
            const refused = entries.filter(({ key }) => isRefused && key === "b");
            return {
              values: entries
                .filter((entry) => !refused.includes(entry))
                .map((entry) => [entry, [1]] as const),
              refused: new Map(refused.map((entry) => [entry, 2])),
            };
          },
        },
      ],
    },
    unit: {
      ...unitOf(),
      registers: ["a", "b"].map((key) => ({ key, area: "HOLDING_REGISTER", address: 0, type: "UINT16" })),
    },
    clock,
    store: async () => undefined,
    othersAnswer: () => false,
    onFailed: () => undefined,
  });
  const poll = async () => {
    reads.length = 0;
    await poller.poll({ isOpen: true } as ModbusConnection, async () => undefined);
    return [...reads];
  };
  expect(await poll()).toEqual(["a,b", "b"]);
  isRefused = false;
  poller.askAgain();
  poller.changed("b");
  expect(await poll()).toEqual(["b"]);
  nowMs = poller.dueAt ?? 0;
  expect(await poll()).toEqual(["a,b"]);
});
