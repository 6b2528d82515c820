// Controllers that do not keep to the protocol: every one ends its connection with an error, and none leaves a timer or ends the process.
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { createServer, type Server, Socket } from "node:net";
import fc from "fast-check";
import type { S7Range } from "../../../src/lib/s7/s7-plan.ts";
import { S7Connection, S7ProtocolError, S7Refusal } from "../../../src/platform/s7/s7-connection.ts";

const CONFIRM = "0300001611d00001000200c0010ac1020100c2020102";
const agreement = (packetBytes = 240, parallel = 1) => {
  const hex = (value: number) => value.toString(16).padStart(4, "0");
  return `0300001b02f080320300000000000800000000f000${hex(parallel)}${hex(parallel)}${hex(packetBytes)}`;
};
/** Answer to a read of one range. */
const response = (sequence: number, data: string) => {
  const bytes = data.length / 2;
  const hex = (value: number) => value.toString(16).padStart(4, "0");
  return `0300${hex(21 + bytes)}02f08032030000${hex(sequence)}0002${hex(bytes)}00000401`;
};

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Step = (socket: Socket, request: Buffer) => void;
const send =
  (hex: string): Step =>
  (socket) =>
    void socket.write(Buffer.from(hex, "hex"));

/** A controller that answers its requests one after the other with the steps. */
async function controller(...steps: Step[]): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    let index = 0;
    socket.on("data", (request: Buffer) => steps[Math.min(index++, steps.length - 1)]?.(socket, request));
  });
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  return (server.address() as { port: number }).port;
}

async function open(port: number, timeoutMs = 5_000): Promise<S7Connection> {
  const connection = await S7Connection.open({
    host: "controller",
    port,
    rack: 0,
    slot: 1,
    timeoutMs,
    addresses: { resolve: async () => ["127.0.0.1"] },
    signal: new AbortController().signal,
  });
  closing.push(() => connection.close());
  return connection;
}

const range: S7Range = { area: "DB", db: 1, byte: 0, count: 2 };
const connected = [send(CONFIRM), send(agreement())];
const reply =
  (data: string, cut?: number): Step =>
  (socket, request) => {
    const frame = Buffer.from(response(request.readUInt16BE(11), data) + data, "hex");
    if (cut === undefined) socket.write(frame);
    else {
      socket.setNoDelay(true);
      socket.write(frame.subarray(0, cut));
      setTimeout(() => socket.write(frame.subarray(cut)), 5);
    }
  };

test("reads bytes, also of an answer that comes in pieces", async () => {
  const port = await controller(...connected, reply("ff0400100102"), reply("ff0400100304", 9));
  const line = await open(port);
  for (const bytes of [
    [1, 2],
    [3, 4],
  ])
    expect(await line.read([range])).toEqual([Uint8Array.from(bytes)]);
});

test("reads of other ranges allocate only what they need", async () => {
  const line = await open(await controller(...connected, reply("ff0400100102")));
  const ranges = [1, 2, 3].map((db) => ({ ...range, db }));
  for (const each of ranges) await line.read([each]);
  const allocate = spyOn(Buffer, "alloc");
  for (const each of ranges) expect(await line.read([each])).toEqual([Uint8Array.of(1, 2)]);
  const largest = Math.max(...allocate.mock.calls.map(([bytes]) => bytes));
  allocate.mockRestore();
  expect(largest).toBeLessThan(1_024);
});

test.each([
  ["0a000000", 10],
  ["05000000", 5],
  ["03000000", 3],
  ["ff040008ff00", 0],
  ["ff09000201ff", 0],
  ["ff04", 0],
])("data %s are no value", async (data, code) => {
  const line = await open(await controller(...connected, reply(data)));
  expect(await line.read([range])).toEqual([new S7Refusal(code)]);
});

const hexOf = (value: number) => value.toString(16).padStart(4, "0");
const refusing =
  (kind: number, error: string): Step =>
  (socket, request) =>
    void socket.write(
      Buffer.from(`0300001302f080320${kind}0000${hexOf(request.readUInt16BE(11))}00000000${error}`, "hex"),
    );
const written: Step = (socket, request) =>
  void socket.write(
    Buffer.from(`0300001602f08032030000${hexOf(request.readUInt16BE(11))}0002000100000501ff`, "hex"),
  );
const twice =
  (step: Step): Step =>
  (socket, request) => {
    step(socket, request);
    step(socket, request);
  };

describe.each([
  [2, "8104"],
  [3, "8104"],
  [2, "8500"],
])("a request refused as a whole, by an answer of kind %i with error %s", (kind, error) => {
  const refusal = new S7Refusal(Number.parseInt(error, 16));
  const failure = (promise: Promise<unknown>) => promise.catch((reason: unknown) => reason);

  test("leaves the connection open for the next one", async () => {
    const steps = [refusing(kind, error), refusing(kind, error), reply("ff0400100102")];
    const line = await open(await controller(...connected, ...steps));
    expect(await failure(line.read([range]))).toEqual(refusal);
    expect(await failure(line.writeBytes({ ...range, count: 1 }, Uint8Array.of(7)))).toEqual(refusal);
    expect(await line.read([range])).toEqual([Uint8Array.of(1, 2)]);
    expect([line.isOpen, line.hasResponded]).toEqual([true, true]);
  });

  test("may need several packets", async () => {
    const line = await open(await controller(...connected, refusing(kind, error)));
    const ranges = Array.from({ length: 40 }, (_, index) => ({ ...range, byte: 100 * index, count: 100 }));
    expect(await failure(line.read(ranges))).toEqual(refusal);
    expect(line.isOpen).toBe(true);
  });
});

test("a write that is answered twice is not sent again, and ends the connection", async () => {
  let requests = 0;
  const port = await controller(...connected, (socket, request) => {
    requests++;
    twice(written)(socket, request);
  });
  const line = await open(port);
  await line.writeBytes({ ...range, count: 1 }, Uint8Array.of(7)).catch(() => undefined);
  await line.closed;
  expect(line.failure).toEqual(new S7ProtocolError({ code: "s7_protocol.unexpected", params: {} }));
  expect(requests).toBe(1);
});

test("the second answer to a write is none to the read after it", async () => {
  let request: Buffer;
  const late: Step = (socket) => written(socket, request);
  const first: Step = (socket, data) => {
    request = data;
    written(socket, data);
  };
  const line = await open(await controller(...connected, first, late));
  await line.writeBytes({ ...range, count: 1 }, Uint8Array.of(7));
  expect(await line.read([range]).catch((error: unknown) => error)).toBeInstanceOf(S7ProtocolError);
});

/** Code of a text, of the network or of the protocol. */
const codeOf = (error: unknown): unknown =>
  error instanceof S7ProtocolError ? error.reason.code : (error as { code?: unknown }).code;

describe("a connection ends with an error", () => {
  /** Timers of the library, which are longer than those of this test. */
  const timers = new Set<unknown>();
  let restore: () => void;
  beforeEach(() => {
    timers.clear();
    const { setTimeout: set, clearTimeout: clear } = globalThis;
    const setting = spyOn(globalThis, "setTimeout").mockImplementation(((
      action: (...args: unknown[]) => void,
      ms: number,
      ...args: unknown[]
    ) => {
      const timer = set(() => {
        timers.delete(timer);
        action(...args);
      }, ms);
      if (ms >= 50) timers.add(timer);
      return timer;
    }) as never);
    const clearing = spyOn(globalThis, "clearTimeout").mockImplementation(((timer: never) => {
      timers.delete(timer);
      clear(timer);
    }) as never);
    restore = () => {
      setting.mockRestore();
      clearing.mockRestore();
    };
  });
  afterEach(() => {
    restore();
    expect([...timers]).toEqual([]);
  });

  test.each([
    ["refuses the connection", "s7_protocol.response", [send("0300000b06d00001000200")]],
    ["confirms with something else", "s7_protocol.frame", [send("000102030405060708090a0b0c0d0e0f")]],
    ["offers packets of 20 bytes", "s7_protocol.packets", [send(CONFIRM), send(agreement(20))]],
    ["offers packets of 0 bytes", "s7_protocol.packets", [send(CONFIRM), send(agreement(0))]],
    ["offers negative packets", "s7_protocol.packets", [send(CONFIRM), send(agreement(0xffff))]],
    ["takes no request", "s7_protocol.packets", [send(CONFIRM), send(agreement(240, 0))]],
    [
      "agrees with a frame that is too short",
      "s7_protocol.response",
      [send(CONFIRM), send("0300000802f08032")],
    ],
    [
      "agrees with a frame of the wrong length",
      "s7_protocol.response",
      [send(CONFIRM), send("0300000c02f0803203000000")],
    ],
    ["closes at once", "ECONNRESET", [(socket: Socket) => void socket.destroy()]],
  ] as const)("when the controller %s", async (_, code, steps) => {
    const port = await controller(...steps);
    expect(codeOf(await open(port).catch((error: unknown) => error))).toBe(code);
  });

  test.each([
    ["a frame of no length", "s7_protocol.frame", "03000000"],
    ["a frame of the greatest length", "s7_protocol.frame", "0300ffff"],
    ["a frame that is too short for its header", "s7_protocol.response", "0300000802f08032"],
    ["another protocol", "s7_protocol.frame", "474554202f20485454502f312e310d0a"],
    [
      "a header with lengths that do not fit",
      "s7_protocol.unexpected",
      "0300001b02f08032030000000100ff00ff0000f0000001000100f0",
    ],
    [
      "an answer to another request",
      "s7_protocol.unexpected",
      "0300001902f0803203000000000002000400000401ff040000",
    ],
    ["frames without end", "s7_protocol.endless", "0300000702f000".repeat(2_000)],
  ])("when it answers with %s", async (_, code, hex) => {
    const line = await open(await controller(...connected, send(hex)));
    expect(codeOf(await line.read([range]).catch((error: unknown) => error))).toBe(code);
    expect(line.isOpen).toBe(false);
    await line.closed;
  });

  test("when it does not answer", async () => {
    const line = await open(await controller(...connected, () => undefined), 50);
    const failure = await line.read([range]).catch(codeOf);
    expect([failure, line.isOpen]).toEqual(["s7.no_response", false]);
  });

  test("whatever bytes come", async () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(bytes, fc.nat(2), async (junk, after) => {
        const frame = Buffer.concat([Buffer.of(3, 0, 0, junk.length + 4), junk]);
        const steps = [...connected.slice(0, after), (socket: Socket) => void socket.end(frame)];
        const port = await controller(...steps);
        const line = await open(port).catch(() => undefined);
        const read = await line?.read([range]).catch(() => undefined);
        expect(read === undefined || read[0] instanceof S7Refusal).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

test("a controller that is off gives no answer on the network, rather than the wrong one", async () => {
  // The connection of TCP ends in the middle: its time-out comes before there is any.
  const connecting = spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket) {
    return this;
  });
  try {
    expect(await open(1, 50).catch(codeOf)).toBe("network_error.timed_out");
  } finally {
    connecting.mockRestore();
  }
});

test("an attempt to connect ends when the connection is stopped", async () => {
  const stopping = new AbortController();
  const port = await controller(() => stopping.abort());
  const opened = S7Connection.open({
    host: "controller",
    port,
    rack: 0,
    slot: 1,
    timeoutMs: 60_000,
    addresses: { resolve: async () => ["127.0.0.1"] },
    signal: stopping.signal,
  });
  expect(await opened.catch((error: Error) => error.message)).toBe("closed");
});
