import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DeviceId } from "../../../src/lib/core/ids.ts";
import type { JsonValue } from "../../../src/lib/json/json.ts";
import { CommandEngine } from "../../../src/modules/commands/command-engine.ts";
import { createCommandsRepository } from "../../../src/modules/commands/commands.repository.ts";
import type { Command } from "../../../src/modules/commands/commands.types.ts";
import type { DomainEvents } from "../../../src/modules/events.types.ts";
import { createEventBus } from "../../../src/platform/core/event-bus.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { workShare } from "../../../src/platform/load/fair-share.ts";
import { systemClock } from "../../../src/platform/time/clock.ts";
import { until } from "../../support/until.ts";
import { openRig, type Rig, tenantId } from "../scheduler/rig.ts";

const log = createLogger("test");
const FULL = { code: "SQLITE_READONLY" };

let directory: string;
let rig: Rig;
let devices: DeviceId[];
let engine: CommandEngine;
let events: ReturnType<typeof createEventBus<DomainEvents>>;
/** What went out to the devices, in this order. */
let sent: Command[];
/** Called with each command that goes out. */
let onSend: (command: Command) => void;
let isListening: boolean;

function createEngine(): CommandEngine {
  const created = new CommandEngine({
    repository: createCommandsRepository(rig.database),
    transport: {
      send(command) {
        if (!isListening) return false;
        sent.push(command);
        onSend(command);
        return true;
      },
      keepsFor: () => false,
    },
    relay: { gatewayOf: () => undefined, send: () => false, keepsFor: () => false },
    clock: systemClock,
    now: () => 1_000,
    retentionTime: () => 0,
    events,
    log,
  });
  created.subscribe();
  return created;
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "lineside-commands-"));
  rig = openRig(directory, { clock: systemClock });
  rig.addTenant();
  devices = rig.addDevices(3);
  events = createEventBus<DomainEvents>(log);
  sent = [];
  onSend = () => undefined;
  isListening = true;
  engine = createEngine();
  engine.start();
});
afterEach(async () => {
  engine.stop();
  rig.close();
  await rm(directory, { recursive: true, force: true });
});

let count = 0;
const create = (deviceId: DeviceId, waitMs = 0, requestId?: string, params: JsonValue = {}) =>
  engine.create(
    {
      commandId: `command ${++count}`,
      tenantId,
      deviceId,
      requestId,
      method: "m",
      params,
      retries: 0,
      retryIntervalMs: 1,
      timeoutMs: 60_000,
      createdBy: "",
      createdAt: 1_000,
      expiresAt: 90_000,
    },
    waitMs,
  );

/** States that are committed, as a connection of its own sees them. */
function stored(): string[] {
  const other = new Database(join(directory, "lineside.db"), { readonly: true });
  const rows = other.query<{ status: string }, []>("SELECT status FROM commands ORDER BY rpc_id").all();
  other.close();
  return rows.map(({ status }) => status);
}

/** Lets every write fail as on a disk that takes none, or not any longer. */
const breakDisk = (isBroken: boolean) =>
  rig.database.sqlite.run(`PRAGMA query_only=${isBroken ? "ON" : "OFF"}`);

/** Records the transitions that are announced, and what was committed then. */
function watch(): Array<[string, string[]]> {
  const seen: Array<[string, string[]]> = [];
  events.on("command.changed", ({ status }) => void seen.push([status, stored()]));
  return seen;
}

test("commands of one turn are committed before they go out, and as sent before they are answered for", async () => {
  const storedWhenSent: string[][] = [];
  onSend = () => void storedWhenSent.push(stored());
  const commands = await Promise.all(devices.map((deviceId) => create(deviceId)));
  expect(storedWhenSent).toEqual(devices.map(() => ["QUEUED", "QUEUED", "QUEUED"]));
  expect(commands.map(({ status }) => status)).toEqual(["SENT", "SENT", "SENT"]);
  expect(stored()).toEqual(["SENT", "SENT", "SENT"]);
});

test("every transition is announced in order and after its commit, also where one commit has several", async () => {
  const seen = watch();
  const [deviceId] = devices as [DeviceId];
  onSend = ({ rpcId }) =>
    queueMicrotask(() => {
      engine.delivered(deviceId, rpcId);
      engine.answered(deviceId, rpcId, { ok: true });
    });
  expect(await create(deviceId, 10_000)).toMatchObject({ status: "SUCCESSFUL", attempts: 1 });
  expect(seen).toEqual([
    ["QUEUED", ["QUEUED"]],
    ["SENT", ["SUCCESSFUL"]],
    ["DELIVERED", ["SUCCESSFUL"]],
    ["SUCCESSFUL", ["SUCCESSFUL"]],
  ]);
});

test("when new commands cannot be committed all requests fail, nothing goes out, and nothing stays", async () => {
  const seen = watch();
  breakDisk(true);
  const results = await Promise.allSettled(devices.map((deviceId) => create(deviceId, 10_000)));
  for (const result of results) expect(result).toMatchObject({ status: "rejected", reason: FULL });
  breakDisk(false);
  expect([sent, seen, stored()]).toEqual([[], [], []]);
  for (const deviceId of devices) engine.listening(deviceId);
  expect(sent).toEqual([]);
  expect(await create(devices[0] as DeviceId)).toMatchObject({ status: "SENT" });
});

test("a command whose sending cannot be committed stays queued, and goes out again under its number", async () => {
  const [deviceId] = devices as [DeviceId];
  const seen = watch();
  onSend = () => breakDisk(true);
  await expect(create(deviceId, 10_000)).rejects.toMatchObject(FULL);
  breakDisk(false);
  onSend = () => undefined;
  expect([stored(), seen.map(([status]) => status)]).toEqual([["QUEUED"], ["QUEUED"]]);
  const [first] = sent as [Command];
  expect(engine.answered(deviceId, first.rpcId, {})).toBe(false);
  engine.listening(deviceId);
  await engine.committed();
  expect(stored()).toEqual(["SENT"]);
  expect(sent.map(({ rpcId }) => rpcId)).toEqual([first.rpcId, first.rpcId]);
});

test("an answer that cannot be committed is not acknowledged, and counts when it comes again", async () => {
  const [deviceId] = devices as [DeviceId];
  const { rpcId } = await create(deviceId);
  breakDisk(true);
  expect(engine.answered(deviceId, rpcId, { n: 1 })).toBe(true);
  await expect(rig.database.durable()).rejects.toMatchObject(FULL);
  breakDisk(false);
  expect(stored()).toEqual(["SENT"]);
  expect(engine.answered(deviceId, rpcId, { n: 2 })).toBe(true);
  await rig.database.durable();
  expect(stored()).toEqual(["SUCCESSFUL"]);
});

test("a command is not sent twice by whoever looks before its sending is committed", async () => {
  const [deviceId] = devices as [DeviceId];
  const created = create(deviceId);
  onSend = () => queueMicrotask(() => engine.listening(deviceId));
  engine.listening(deviceId);
  await created;
  expect(sent.length).toBe(1);
});

test("a poll gets a command once it is stored as sent, and an error where that fails", async () => {
  isListening = false;
  const [deviceId] = devices as [DeviceId];
  const { signal } = new AbortController();
  const polled = engine.next(deviceId, 10_000, signal).then((command) => [command?.status, stored()]);
  await create(deviceId);
  expect(await polled).toEqual(["SENT", ["SENT"]]);
  const next = engine.next(deviceId, 10_000, signal);
  const caught = next.catch((error: unknown) => error);
  events.on("command.changed", () => breakDisk(true));
  await expect(create(deviceId)).rejects.toMatchObject(FULL);
  expect(await caught).toMatchObject(FULL);
  breakDisk(false);
  expect(stored()).toEqual(["SENT", "QUEUED"]);
});

test("only the command of a device that is deleted meanwhile fails", async () => {
  const [gone, other] = devices as [DeviceId, DeviceId];
  const results = Promise.allSettled([create(gone), create(other)]);
  rig.database.sqlite.run("DELETE FROM devices WHERE device_id = ?", [gone]);
  events.emit("device.deleted", { tenantId, deviceId: gone } as DomainEvents["device.deleted"]);
  expect(await results).toMatchObject([
    { status: "rejected", reason: { code: "device.not_found" } },
    { status: "fulfilled" },
  ]);
});

test("nothing answers for a command of a device that is deleted", async () => {
  const [gone] = devices as [DeviceId];
  const { rpcId } = await create(gone);
  expect(engine.deviceOf(rpcId)).toBe(gone);
  rig.database.sqlite.run("DELETE FROM devices WHERE device_id = ?", [gone]);
  events.emit("device.deleted", { tenantId, deviceId: gone } as DomainEvents["device.deleted"]);
  expect(engine.deviceOf(rpcId)).toBeUndefined();
  expect(engine.answered(gone, rpcId, { ok: true })).toBe(false);
});

test("the limit of waiting commands holds within one turn", async () => {
  isListening = false;
  const [deviceId] = devices as [DeviceId];
  const results = await Promise.allSettled(Array.from({ length: 1_002 }, () => create(deviceId)));
  expect(results.filter(({ status }) => status === "fulfilled").length).toBe(1_000);
  expect(results.at(-1)).toMatchObject({ reason: { code: "command.too_many" } });
});

test("of large commands that end at the same time, few are read together", async () => {
  isListening = false;
  const params = Array.from({ length: 20_000 }, () => ({})); // 60 KB
  const created = await Promise.all(
    devices.flatMap((deviceId) => [1, 2, 3].map(() => create(deviceId, 0, undefined, params))),
  );
  const repository = createCommandsRepository(rig.database);
  expect(repository.listDue(89_999, 200)).toEqual([]);
  expect(repository.listDue(90_000, 2)).toHaveLength(2);
  expect(repository.listDue(90_000, 200)).toHaveLength(4);
  const ids = [...repository.eachIn("QUEUED")].map(({ commandId }) => commandId);
  expect(ids.toSorted()).toEqual(created.map(({ commandId }) => commandId).toSorted());
});

test("of two commands of one turn with the same request id the second one fails alone", async () => {
  const [deviceId, other] = devices as [DeviceId, DeviceId];
  const requested = [create(deviceId, 0, "a"), create(deviceId, 0, "a"), create(other, 0, "a")];
  expect(await Promise.allSettled(requested)).toMatchObject([
    { status: "fulfilled", value: { rpcId: 1 } },
    { status: "rejected", reason: { code: "command.request_id_taken" } },
    { status: "fulfilled", value: { deviceId: other } },
  ]);
  expect(stored()).toEqual(["SENT", "SENT"]);
});

test("a command whose device answers within milliseconds is not stored as sent before", async () => {
  const seen = watch();
  const [deviceId] = devices as [DeviceId];
  // A microtask: a busy machine may take longer than those milliseconds for a turn of the event loop.
  onSend = ({ rpcId }) => queueMicrotask(() => engine.answered(deviceId, rpcId, {}));
  expect(await create(deviceId, 10_000)).toMatchObject({ status: "SUCCESSFUL", attempts: 1 });
  expect(seen).toEqual([
    ["QUEUED", ["QUEUED"]],
    ["SENT", ["SUCCESSFUL"]],
    ["SUCCESSFUL", ["SUCCESSFUL"]],
  ]);
});

test("a command whose device does not answer is stored as sent, without anyone asking for it", async () => {
  const [deviceId] = devices as [DeviceId];
  const announced = new Promise<string[]>((resolve) =>
    events.on("command.changed", ({ status }) => status === "SENT" && resolve(stored())),
  );
  const waiting = create(deviceId, 60_000);
  expect(await announced).toEqual(["SENT"]);
  engine.stop();
  expect(await waiting).toMatchObject({ status: "SENT" });
});

test("commands that were sent a moment ago do not count as waiting", async () => {
  const [deviceId] = devices as [DeviceId];
  const first = Array.from({ length: 600 }, () => create(deviceId, 60_000));
  await new Promise(setImmediate);
  const next = Array.from({ length: 600 }, () => create(deviceId));
  expect((await Promise.allSettled(next)).every(({ status }) => status === "fulfilled")).toBe(true);
  engine.stop();
  await Promise.all(first);
});

test("the queues of many devices go out in turns, however often a way opens, and end with the engine", async () => {
  isListening = false;
  const many = rig.addDevices(300, "valve");
  await Promise.all(many.map((deviceId) => create(deviceId)));
  isListening = true;
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  onSend = () => Bun.sleepSync(1); // as slow as a disk or a broker
  for (let opened = 0; opened < 5; opened++) engine.wayOpened();
  expect(sent.length).toBeLessThan(300);
  await until(() => sent.length === 300);
  isDone = true;
  expect(new Set(sent.map(({ deviceId }) => deviceId)).size).toBe(300);
  expect(turns).toBeGreaterThan(1);
});

test("a way that opens twice in one turn is looked at twice", async () => {
  isListening = false;
  const [deviceId] = rig.addDevices(1, "valve");
  await create(deviceId as DeviceId);
  engine.wayOpened(); // nobody listens yet
  isListening = true;
  engine.wayOpened();
  await until(() => sent.some((command) => command.deviceId === deviceId));
});

test("a round ends with the engine", async () => {
  isListening = false;
  const many = rig.addDevices(300, "valve");
  await Promise.all(many.map((deviceId) => create(deviceId)));
  isListening = true;
  onSend = () => Bun.sleepSync(1);
  engine.wayOpened();
  engine.stop();
  const sentBefore = sent.length;
  for (let turn = 0; turn < 5; turn++) await workShare.next();
  expect(sent).toHaveLength(sentBefore);
});
