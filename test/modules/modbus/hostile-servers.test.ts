// Servers that do not keep to the protocol, do not answer, or go away: no value may come to the wrong register, and no unit may hold up others.
import { afterEach, describe, expect, test } from "bun:test";
import { unavailable } from "../../../src/lib/core/domain-error.ts";
import type { DeviceId } from "../../../src/lib/core/ids.ts";
import type { TaskOwner } from "../../../src/platform/load/fair-share.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { endLines, ensureTrue, good, registersAt, run, server, unitOf } from "../../support/modbus-line.ts";
import {
  addressesPdu,
  exceptionOf,
  responseFrame,
  type ServerRequest,
  startModbusServer,
} from "../../support/modbus-server.ts";
import { until } from "../../support/until.ts";

afterEach(endLines);

describe.each(["TCP", "RTU"] as const)("answers over %s", (framing) => {
  test("come in pieces of one byte", async () => {
    const peer = await server((request) => {
      for (const byte of good(framing)(request) ?? []) request.socket.write(Uint8Array.of(byte));
      return undefined;
    }, framing);
    const { stored } = run(peer, { framing, units: [unitOf({ registers: registersAt(7, 500) })] });
    await until(() => stored.length >= 2);
    expect(stored[0]?.values).toEqual({ r7: 7, r500: 500 });
  });

  test("come twice, and the second one is not taken for the next answer", async () => {
    const peer = await server((request) => {
      const response = good(framing)(request) ?? Uint8Array.of();
      return Uint8Array.of(...response, ...response);
    }, framing);
    const { stored } = run(peer, { framing, units: [unitOf({ registers: registersAt(7, 500, 900) })] });
    await until(() => stored.some(({ values }) => "r900" in values));
    ensureTrue(stored);
  });

  test("come late, and are never the value of another register", async () => {
    const late: ServerRequest[] = [];
    const peer = await server((request) => {
      if (request.address === 500 && late.length < 3) {
        late.push(request); // answered only when the next request comes
        return undefined;
      }
      const before = late.at(-1);
      if (before !== undefined && !before.socket.destroyed)
        before.socket.write(good(framing)(before) ?? Uint8Array.of());
      return good(framing)(request);
    }, framing);
    const registers = registersAt(7, 500, 900);
    const { stored } = run(peer, { framing, timeoutMs: 60, units: [unitOf({ registers })] });
    await until(() => stored.some(({ values }) => "r500" in values));
    ensureTrue(stored);
  });

  test.each([
    ["of another unit", (request: ServerRequest) => ({ ...request, unitId: 9, pdu: addressesPdu(request) })],
    [
      "of another function",
      (request: ServerRequest) => ({ ...request, pdu: addressesPdu({ ...request, functionCode: 4 }) }),
    ],
    [
      "of another length",
      (request: ServerRequest) => ({ ...request, pdu: addressesPdu({ ...request, count: 2 }) }),
    ],
  ])("%s are errors, and their values are dropped", async (_, wrong) => {
    const peer = await server((request) => responseFrame(framing, wrong(request)), framing);
    const { stored, health } = run(peer, { framing });
    await until(() => health()?.lastError?.code === "modbus.bad_response");
    expect(stored).toEqual([]);
    peer.use(good(framing));
    await until(() => stored.length > 0);
    ensureTrue(stored);
  });
});

test("an answer of a wrong length on a serial line ends the connection before the right one comes late", async () => {
  const peer = await server((request) => {
    if (request.address !== 7) return good("RTU")(request);
    return responseFrame("RTU", { ...request, pdu: addressesPdu({ ...request, count: 2 }) });
  }, "RTU");
  const { stored } = run(peer, { framing: "RTU", units: [unitOf({ registers: registersAt(7, 500) })] });
  await until(() => stored.length > 0);
  const last = Map.groupBy(peer.requests, ({ connection }) => connection)
    .values()
    .map((requests) => requests.findIndex(({ address }) => address === 7) === requests.length - 1);
  expect([...last].slice(0, -1)).not.toContain(false);
  ensureTrue(stored);
});

test.each([
  ["another protocol", Uint8Array.of(0, 1, 0, 9, 0, 5, 1, 3, 2, 0, 0)],
  ["text", Buffer.from("SSH-2.0-OpenSSH_9.6 hello and welcome\r\n")],
  ["a length of 65535", Uint8Array.of(0, 1, 0, 0, 255, 255, 1, 3, 2, 0, 0)],
])("%s ends the connection, and the next one is read", async (_, bytes) => {
  const peer = await server(() => bytes);
  const { runner, stored } = run(peer);
  await until(() => runner.state.status === "waiting");
  expect(runner.state.problem?.code).toBe("modbus.bad_response");
  peer.use(good());
  await until(() => stored.length > 0);
});

test("33 answers that no request waits for end the connection before the awaited one comes", async () => {
  const strays = Buffer.alloc(33 * 11, Uint8Array.of(238, 238, 0, 0, 0, 5, 1, 3, 2, 0, 1));
  const peer = await server((request) => Buffer.concat([strays, good()(request) ?? Buffer.alloc(0)]));
  const { runner, stored } = run(peer);
  await until(() => runner.state.status === "waiting");
  expect([stored, runner.state.problem?.code]).toEqual([[], "modbus.bad_response"]);
  peer.use((request) => Buffer.concat([strays.subarray(11), good()(request) ?? Buffer.alloc(0)]));
  await until(() => stored.length > 0);
});

describe.each(["TCP", "RTU"] as const)("a silent unit on %s", (framing) => {
  test("is asked more and more seldom, and the others keep their interval", async () => {
    const peer = await server(
      (request) => (request.unitId === 9 ? undefined : good(framing)(request)),
      framing,
    );
    const units = [unitOf(), unitOf({ unitId: 9 })];
    const { stored, runner } = run(peer, { framing, units, timeoutMs: 50 });
    await until(() => peer.requests.filter(({ unitId }) => unitId === 9).length >= 3);
    await until(() => stored.length >= 15);
    expect(peer.requests.filter(({ unitId }) => unitId === 9).length).toBeLessThan(6);
    expect(runner.state.status).toBe("connected");
  });
});

test("a gateway that says that a unit does not answer is asked for it more seldom", async () => {
  const peer = await server((request) =>
    request.unitId === 9
      ? responseFrame("TCP", { ...request, pdu: exceptionOf(request, 11) })
      : good()(request),
  );
  const { stored, health } = run(peer, { units: [unitOf(), unitOf({ unitId: 9 })] });
  await until(() => stored.length >= 25);
  expect(peer.requests.filter(({ unitId }) => unitId === 9).length).toBeLessThan(6);
  expect(health(9)?.refused.size).toBe(0);
});

test("a server that forgets a connection without a word is connected to again", async () => {
  const peer = await server((request) => (request.connection === 1 ? undefined : good()(request)));
  const { stored } = run(peer, {
    timeoutMs: 50,
    units: [1, 2, 3, 4, 5, 6].map((unitId) => unitOf({ unitId })),
  });
  await until(() => stored.length > 0);
  expect(peer.connections).toBeGreaterThan(1); // more if an answer took longer than the limit
});

test("a server that closes after each answer is read whole, block by block", async () => {
  const peer = await server((request) => {
    request.socket.end(good()(request) ?? Uint8Array.of());
    return undefined;
  });
  const { stored } = run(peer, { units: [unitOf({ registers: registersAt(7, 500, 900) })] });
  await until(() => new Set(stored.flatMap(({ values }) => Object.keys(values))).size === 3);
  ensureTrue(stored);
});

test("a block that is never answered does not keep the blocks behind it from being read", async () => {
  const peer = await server((request) => (request.address === 500 ? undefined : good()(request)));
  const { stored, health } = run(peer, {
    timeoutMs: 50,
    units: [unitOf({ registers: registersAt(7, 500, 900) })],
  });
  await until(
    () => stored.some(({ values }) => "r900" in values) && stored.some(({ values }) => "r7" in values),
  );
  await until(() => health()?.lastError?.code === "modbus.no_response");
});

describe.each([1, 2, 3])("exception %i", (code) => {
  test("leaves out the registers that the device refuses, and no other", async () => {
    const peer = await server((request) => {
      const hasRefused = request.address <= 3 && request.address + request.count > 3;
      return hasRefused
        ? responseFrame("TCP", { ...request, pdu: exceptionOf(request, code) })
        : good()(request);
    });
    const { stored, health } = run(peer, { units: [unitOf({ registers: registersAt(0, 1, 2, 3, 4, 5) })] });
    await until(() => stored.length > 0);
    expect(stored[0]?.values).toEqual({ r0: 0, r1: 1, r2: 2, r4: 4, r5: 5 });
    expect([...(health()?.refused ?? [])]).toEqual([["r3", code]]);
  });
});

test("what the device refused is asked for again when the connection is back", async () => {
  let has = false;
  const peer = await server((request) => {
    if (!has && request.address === 3)
      return responseFrame("TCP", { ...request, pdu: exceptionOf(request, 2) });
    if (has && peer.connections === 1) request.socket.destroy();
    return good()(request);
  });
  const units = [unitOf({ registers: registersAt(3, 500) })];
  const { stored, health } = run(peer, { units });
  await until(() => health()?.refused.size === 1);
  has = true;
  await until(() => stored.some(({ values }) => values.r3 === 3));
  expect([health()?.refused.size, peer.connections]).toEqual([0, 2]);
});

test("a block that is refused as a whole is read in its parts, and no register counts as refused", async () => {
  const peer = await server((request) =>
    request.count > 2 ? responseFrame("TCP", { ...request, pdu: exceptionOf(request, 3) }) : good()(request),
  );
  const { stored, health } = run(peer, {
    units: [unitOf({ registers: registersAt(0, 1, 2, 3, 4, 5, 6, 7) })],
  });
  await until(() => stored.length >= 2);
  expect(Object.keys(stored[0]?.values ?? {})).toHaveLength(8);
  expect(health()?.refused.size).toBe(0);
  const splits = peer.requests.filter(({ count }) => count > 2).length;
  await until(() => stored.length >= 4);
  expect(peer.requests.filter(({ count }) => count > 2).length).toBe(splits);
});

describe.each([4, 5, 6])("exception %i", (code) => {
  test("is a problem of that read only: the other blocks are read, and the health says it", async () => {
    const peer = await server((request) =>
      request.address === 7
        ? responseFrame("TCP", { ...request, pdu: exceptionOf(request, code) })
        : good()(request),
    );
    const { stored, health } = run(peer, { units: [unitOf({ registers: registersAt(7, 500) })] });
    await until(() => stored.length >= 2);
    expect(stored[0]?.values).toEqual({ r500: 500 });
    expect(health()?.refused.size).toBe(0);
    await until(() => health()?.lastError?.code === "modbus.exception");
  });
});

test("a device that refuses everything for a while is read in few requests again", async () => {
  const clock = new FakeClock();
  const peer = await server((request) => responseFrame("TCP", { ...request, pdu: exceptionOf(request, 2) }));
  const registers = registersAt(...Array.from({ length: 40 }, (_, index) => index));
  const units = [unitOf({ registers, intervalMs: 10_000 })];
  const { stored, health } = run(peer, { clock, units, timeoutMs: 60_000 });
  await until(() => health()?.refused.size === 40);
  peer.use(good());
  await until(async () => {
    clock.advance(10_000);
    return stored.length >= 3;
  });
  expect(peer.requests.at(-1)?.count).toBe(40);
});

test("slow answers neither pile up nor are made up for", async () => {
  const clock = new FakeClock();
  const waiting: (() => void)[] = [];
  const peer = await server((request) => {
    waiting.push(() => request.socket.write(good()(request) ?? Uint8Array.of()));
    return undefined;
  });
  const { stored } = run(peer, { clock, timeoutMs: 10_000 });
  for (let count = 1; count <= 4; count++) {
    await until(() => waiting.length === 1);
    expect(peer.requests.length).toBe(count);
    clock.advance(300);
    waiting.shift()?.();
    await until(() => stored.length === count);
  }
  await until(() => waiting.length === 1);
  peer.use(good()); // once the request has arrived: an answer at once would leave nothing to wait for
  clock.advance(9_000);
  waiting.shift()?.();
  await until(() => stored.length === 6); // the one that was due meanwhile, once
  expect(peer.requests.length).toBe(6);
});

test.each([3_600_000, -3_600_000])("a wall clock that jumps by %i ms changes nothing", async (jump) => {
  const clock = new FakeClock();
  const peer = await server(good());
  const { stored, runner } = run(peer, { clock, timeoutMs: 10_000, units: [unitOf({ intervalMs: 1_000 })] });
  await until(() => stored.length === 1);
  clock.jump(jump);
  clock.advance(999);
  expect(peer.requests.length).toBe(1);
  clock.advance(1);
  await until(() => stored.length === 2);
  peer.drop();
  await until(() => runner.state.status === "waiting");
  expect(runner.state.nextAttemptAt).toBe(clock.now() + 500);
});

test("values are dropped while the storage is full, the health says so, and reading goes on", async () => {
  let isFull = true;
  const peer = await server(good());
  const store = async () => {
    if (isFull) throw unavailable("network_error.no_address");
  };
  const { stored, health, runner } = run(peer, { store });
  await until(() => peer.requests.length >= 3);
  expect(health()?.lastError?.code).toBe("network_error.no_address");
  expect(health()?.lastReadAt).toBeNull();
  isFull = false;
  await until(() => stored.length > 0 && health()?.lastError === null);
  expect(runner.state.status).toBe("connected");
});

test.each([
  ["removed", ({ runner }: ReturnType<typeof run>) => runner.removeUnit("unit 1")],
  [
    "deleted with its device",
    ({ runner }: ReturnType<typeof run>) => runner.removeDevice("device 1" as DeviceId),
  ],
])("values that come after the unit was %s are dropped", async (_, remove) => {
  const waiting: (() => void)[] = [];
  const peer = await server((request) => {
    if (request.unitId === 2) return good()(request);
    waiting.push(() => request.socket.write(good()(request) ?? Uint8Array.of()));
    return undefined;
  });
  const line = run(peer, { units: [unitOf(), unitOf({ unitId: 2 })], timeoutMs: 60_000 });
  await until(() => waiting.length === 1);
  remove(line);
  waiting.shift()?.();
  await until(() => line.stored.length >= 2);
  expect(line.stored.map(({ unitId }) => unitId)).not.toContain(1);
});

describe("a connection that is stopped", () => {
  test("while a request is in flight ends at once", async () => {
    const peer = await server(() => undefined);
    const { runner } = run(peer, { timeoutMs: 60_000 });
    await until(() => peer.requests.length === 1);
    await runner.stop();
    expect(runner.state.status).toBe("off");
  });

  test("while it waits for the next attempt ends at once", async () => {
    const peer = await startModbusServer(good());
    await peer.stop();
    const clock = new FakeClock();
    const { runner } = run(peer, { clock });
    await until(() => runner.state.status === "waiting");
    expect(runner.state.problem?.code).toBe("network_error.refused");
    await runner.stop();
    expect(runner.state.status).toBe("off");
  });

  test("while its name is looked up ends at once", async () => {
    const { runner } = run({ port: 1 }, { resolve: () => new Promise(() => undefined) });
    await runner.stop();
    expect(runner.state.status).toBe("off");
  });
});

test("a fast server gets only its share of the event loop: each read and each message waits for its turn", async () => {
  const turns: { owner: string; begin: () => void }[] = [];
  const share = {
    enter: (owner: TaskOwner | undefined) =>
      new Promise<void>((begin) => turns.push({ owner: `${owner?.tenantId}/${owner?.userId}`, begin })),
  };
  let requests = 0;
  const peer = await server((request) => {
    requests++;
    return good()(request);
  });
  const units = [unitOf({ registers: registersAt(7) })];
  // A response that comes late on a busy machine would begin a second turn.
  const { stored } = run(peer, { share, timeoutMs: 60_000, units });
  for (const counts of [
    [0, 0], // before the first read
    [1, 0], // before what it read is stored
    [1, 1], // before the next read
    [2, 1],
  ]) {
    await until(() => turns.length === 1);
    expect([requests, stored.length]).toEqual(counts);
    const [turn] = turns.splice(0);
    expect(turn?.owner).toBe("tenant/line");
    turn?.begin();
  }
  await until(() => stored.length === 2);
});
