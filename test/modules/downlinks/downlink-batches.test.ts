import { expect, test } from "bun:test";
import { setTimeout } from "node:timers/promises";
import type { DeviceId, TenantId } from "../../../src/lib/core/ids.ts";
import type { Command } from "../../../src/modules/commands/commands.types.ts";
import { createDownlinkDelivery } from "../../../src/modules/downlinks/downlink-delivery.ts";
import type { DownlinksRepository } from "../../../src/modules/downlinks/downlinks.repository.ts";
import { createDownlinksService } from "../../../src/modules/downlinks/downlinks.service.ts";
import type { Downlink } from "../../../src/modules/downlinks/downlinks.types.ts";
import type { EventLog } from "../../../src/modules/integrations/events/event-log.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { systemClock } from "../../../src/platform/time/clock.ts";

const downlinkOf = (seq: number): Downlink => ({
  ...{ seq, downlinkId: `${seq}`, tenantId: "t" as TenantId, integrationId: "i", commandRpcId: seq },
  ...{ deviceId: `d${seq % 5}` as DeviceId, deviceKey: `${seq % 5}`, fPort: 1, confirmed: true },
  ...{ priority: null, payload: { data: "AA==" }, state: "QUEUED", networkId: null, attempts: 0 },
  ...{ error: null, createdBy: "", createdAt: 0, expiresAt: 0, dueAt: 0, changedAt: 0, bytes: 600 },
});

/** What each transaction and the end of each batch did. */
function createRig(count: number) {
  const open = new Map(Array.from({ length: count }, (_, index) => [`${index}`, downlinkOf(index)]));
  const transactions: number[] = [];
  const listening: DeviceId[] = [];
  let trims = 0;
  const repository = {
    find: (id: string) => open.get(id),
    update: (id: string) => void open.delete(id),
    listCarriers: (_: string, limit = Number.POSITIVE_INFINITY) => [...open.values()].slice(0, limit),
    trimSettled: () => void trims++,
    capDueTimes: () => undefined,
    targets: () => [{ targetId: "i", tenantId: "t" }],
    lanes: () => [{ orderKey: "0", dueAt: 0 }],
    waiting: () => ({
      rows: open.size,
      bytes: open.size * 600,
      expiresAt: open.size > 0 ? 0 : Number.POSITIVE_INFINITY,
    }),
    head: () => open.values().next().value,
    oldest: (_: string, { limit }: { limit: number }) => [...open.keys()].slice(0, limit).map(Number),
    listOf: (seqs: readonly number[]) => seqs.map((seq) => open.get(`${seq}`)),
    deleteSettled: () => 0,
  } as unknown as DownlinksRepository;
  const delivery = createDownlinkDelivery({
    repository,
    attempt: { run: () => Promise.reject(new Error("nothing may be sent")) },
    commands: {
      delivered: () => undefined,
      answered: () => true,
      listening: (deviceId) => void listening.push(deviceId),
    },
    transact(work) {
      const before = open.size;
      work();
      transactions.push(before - open.size);
    },
    eventLog: { add: () => ({ written: Promise.resolve() }) } as unknown as Pick<EventLog, "add">,
    readyOf: () => undefined,
    clock: systemClock,
    now: () => 0,
    retentionTime: () => 0,
    random: () => 0,
    log: createLogger("test"),
  });
  const { lifecycle } = delivery;
  return { open, transactions, listening, repository, delivery, lifecycle, trims: () => trims };
}

test("the downlinks of a deleted integration fail in batches, with other work in between", async () => {
  const rig = createRig(1_050);
  const service = createDownlinksService({
    repository: rig.repository,
    lifecycle: rig.lifecycle,
  } as unknown as Parameters<typeof createDownlinksService>[0]);
  const perTurn: number[] = [];
  let isOver = false;
  let left = rig.open.size;
  const turn = () => {
    perTurn.push(left - rig.open.size);
    left = rig.open.size;
    if (!isOver) setImmediate(turn);
  };
  turn();
  await service.abandon("i", () => expect(rig.open.size).toBe(0));
  isOver = true;
  turn();
  expect(Math.max(...perTurn)).toBe(100);
  expect(rig.transactions).toEqual([...Array.from({ length: 10 }, () => 100), 50]);
  // Once per device and batch.
  expect(rig.listening).toHaveLength(11 * 5);
  expect(rig.trims()).toBeLessThanOrEqual(11);
});

test("no command waits for an integration after a deletion that failed", async () => {
  const rig = createRig(1);
  const service = createDownlinksService({
    repository: { ...rig.repository, countQueued: () => 0, hasCommand: () => true, insert: () => undefined },
    lifecycle: rig.lifecycle,
    queue: { isStarted: true, loadOf: () => ({ rows: 0, bytes: 0 }) },
    ways: { keyOf: () => "key", integrationFor: () => ({ integrationId: "i" }) },
    readyOf: () => ({ settings: {} }),
    now: () => 0,
  } as unknown as Parameters<typeof createDownlinksService>[0]);
  const command = { rpcId: 1, method: "downlink", params: { hex: "00" } };
  const carried = () => service.carry(command as unknown as Command);
  let during: boolean | undefined;
  const failing = service.abandon("i", () => {
    during = carried();
    throw new Error("the disk is full");
  });
  await expect(failing).rejects.toThrow("the disk is full");
  expect([during, carried()]).toEqual([false, true]);
});

test("downlinks that expire together are given up in batches, with other work in between", async () => {
  const rig = createRig(250);
  rig.delivery.start();
  while (rig.open.size > 0) await setTimeout(1);
  await rig.delivery.stop();
  expect(rig.transactions).toEqual([100, 100, 50]);
  expect(rig.listening).toHaveLength(3 * 5);
});

test("a command that has expired is not carried", () => {
  const service = createDownlinksService({
    repository: { countQueued: () => 0, insert: () => undefined },
    queue: { isStarted: true, loadOf: () => ({ rows: 0, bytes: 0 }) },
    ways: { keyOf: () => "key", integrationFor: () => ({ integrationId: "i" }) },
    readyOf: () => ({ settings: {} }),
    now: () => 1_000,
  } as unknown as Parameters<typeof createDownlinksService>[0]);
  const carried = (expiresAt: number) =>
    service.carry({ rpcId: 1, expiresAt, method: "downlink", params: { hex: "00" } } as unknown as Command);
  expect([carried(1_000), carried(1_001)]).toEqual([false, true]);
});

test("commands are held to nine tenths of the limits of an integration, and wait for the start of the queue", () => {
  const queue = { isStarted: true, load: { rows: 0, bytes: 0 }, loadOf: () => queue.load };
  const service = createDownlinksService({
    repository: { countQueued: () => 0, hasCommand: (rpcId: number) => rpcId === 2, insert: () => undefined },
    queue,
    ways: { keyOf: () => "key", integrationFor: () => ({ integrationId: "i" }) },
    readyOf: () => ({ settings: {} }),
    now: () => 0,
  } as unknown as Parameters<typeof createDownlinksService>[0]);
  const carried = (rpcId: number) =>
    service.carry({
      rpcId,
      expiresAt: 1,
      method: "downlink",
      params: { hex: "00" },
    } as unknown as Command);
  expect(carried(1)).toBe(true);
  queue.load = { rows: 8_999, bytes: 0 };
  expect(carried(1)).toBe(true);
  queue.load = { rows: 9_000, bytes: 0 };
  expect(carried(1)).toBe(false);
  queue.load = { rows: 0, bytes: 7.2 * 1024 * 1024 };
  expect(carried(1)).toBe(false);
  // Carried already, before a crash.
  expect(carried(2)).toBe(true);
  queue.isStarted = false;
  expect(carried(1)).toBe(false);
});
