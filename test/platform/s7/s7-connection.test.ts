// Controllers that do not keep to the protocol: every one ends its connection with an error, and none leaves a timer or ends the process.
import { afterEach, describe, expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import fc from "fast-check";
import type { S7Range } from "../../../src/lib/s7/s7-plan.ts";
import { S7Connection, S7Refusal } from "../../../src/platform/s7/s7-connection.ts";

const CONFIRM = "0300001611d00001000200c0010ac1020100c2020102";
const agreement = (packetBytes = 240, parallel = 1) => {
  const hex = (value: number) => value.toString(16).padStart(4, "0");
  return `0300001b02f080320300000000000800000000f000${hex(parallel)}${hex(parallel)}${hex(packetBytes)}`;
};
/** Answer to a read of one range. */
const answer = (sequence: number, data: string) => {
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
    const frame = Buffer.from(answer(request.readUInt16BE(11), data) + data, "hex");
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

describe("a connection ends with an error", () => {
  test.each([
    ["refuses the connection", [send("0300000b06d00001000200")]],
    ["confirms with something else", [send("000102030405060708090a0b0c0d0e0f")]],
    ["offers packets of 20 bytes", [send(CONFIRM), send(agreement(20))]],
    ["offers packets of 0 bytes", [send(CONFIRM), send(agreement(0))]],
    ["offers negative packets", [send(CONFIRM), send(agreement(0xffff))]],
    ["takes no request", [send(CONFIRM), send(agreement(240, 0))]],
    ["agrees with a frame that is too short", [send(CONFIRM), send("0300000802f08032")]],
    ["agrees with a frame of the wrong length", [send(CONFIRM), send("0300000c02f0803203000000")]],
    ["closes at once", [(socket: Socket) => void socket.destroy()]],
  ] as const)("when the controller %s", async (_, steps) => {
    const port = await controller(...steps);
    expect(await open(port).catch((error: unknown) => error)).toBeInstanceOf(Error);
  });

  test.each([
    ["a frame of no length", "03000000"],
    ["a frame of the greatest length", "0300ffff"],
    ["a frame that is too short for its header", "0300000802f08032"],
    ["another protocol", "474554202f20485454502f312e310d0a"],
    ["a header with lengths that do not fit", "0300001b02f08032030000000100ff00ff0000f0000001000100f0"],
    [
      "frames without end",
      "030000190 2f0803203000000000002000400000401ff040000".replace(" ", "").repeat(2_000),
    ],
  ])("when it answers with %s", async (_, hex) => {
    const line = await open(await controller(...connected, send(hex)));
    expect(await line.read([range]).catch((error: unknown) => error)).toBeInstanceOf(Error);
    expect(line.isOpen).toBe(false);
    await line.closed;
  });

  test("when it does not answer, and no timer stays", async () => {
    const line = await open(await controller(...connected, () => undefined), 50);
    const failure = await line.read([range]).catch((error: { code: string }) => error.code);
    expect([failure, line.isOpen]).toEqual(["s7.no_answer", false]);
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
