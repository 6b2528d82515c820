import { afterEach, expect, test } from "bun:test";
import fc from "fast-check";
import { createWebSocketWire } from "../../../../src/platform/broker/broker-stream.ts";
import { hasty, rigBridge } from "./bridge-fixture.ts";

const stops: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A packet of any type with any body. */
const packet = fc
  .record({ header: fc.integer({ min: 0x10, max: 0xff }), body: fc.uint8Array({ maxLength: 40 }) })
  .map(({ header, body }) => Buffer.from([header, body.length, ...body]));
const accepted: Record<4 | 5, Buffer> = {
  4: Buffer.from([0x20, 2, 0, 0]),
  5: Buffer.from([0x20, 3, 0, 0, 0]),
};
const conversation = fc.record({
  isAccepted: fc.boolean(),
  packets: fc.array(packet, { maxLength: 8 }),
  cut: fc.integer({ min: 1, max: 64 }),
});

test.each([4, 5] as const)(
  "a broker that says anything harms nothing but its own connection, MQTT version %p",
  async (version) => {
    const said = fc.sample(conversation, { numRuns: 250, seed: version });
    let next = 0;
    const over = Promise.withResolvers<void>();
    const server = Bun.listen<undefined>({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        open(socket) {
          const item = said[next++];
          if (item === undefined) return over.resolve();
          const bytes = Buffer.concat([...(item.isAccepted ? [accepted[version]] : []), ...item.packets]);
          for (let index = 0; index < bytes.length; index += item.cut)
            socket.write(bytes.subarray(index, index + item.cut));
          setImmediate(() => socket.end());
        },
        data: () => undefined,
      },
    });
    const failures: unknown[] = [];
    const note = (error: unknown) => failures.push(error);
    process.on("uncaughtException", note);
    process.on("unhandledRejection", note);
    const rig = rigBridge(
      { brokerUrl: `mqtt://127.0.0.1:${server.port}`, topicFilter: "#", protocolVersion: version },
      { clock: { ...hasty, schedule: (ms, callback) => hasty.schedule(Math.min(ms, 1), callback) } },
    );
    stops.push(
      () => rig.bridge.stop(),
      async () => void server.stop(true),
    );
    rig.bridge.start();
    await over.promise;
    process.off("uncaughtException", note);
    process.off("unhandledRejection", note);
    expect(failures).toEqual([]);
  },
);

/** A frame as servers send them: not masked. */
function frame(opcode: number, content: Uint8Array): Buffer {
  const { length } = content;
  const head =
    length < 126
      ? [length]
      : length < 65_536
        ? [126, length >> 8, length & 255]
        : [127, 0, 0, 0, 0, ...u32(length)];
  return Buffer.concat([Buffer.from([0x80 | opcode, ...head]), content]);
}
const u32 = (value: number) => [(value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];

/** A wire that reads all that is there. */
function createWire(reply: (bytes: Buffer) => void = () => undefined) {
  const wire = createWebSocketWire(new URL("ws://broker/mqtt"), reply);
  return {
    ...wire,
    get isOpen() {
      return wire.isOpen;
    },
    readAll(bytes: Buffer): Buffer[] {
      wire.add(bytes);
      const contents: Buffer[] = [];
      for (let content = wire.read(); content !== undefined; content = wire.read()) contents.push(content);
      return contents;
    },
  };
}

/** The wire after the other side has agreed. */
async function openWire(replies: Buffer[]) {
  const wire = createWire((bytes) => replies.push(bytes));
  const key = /Sec-WebSocket-Key: (\S+)/.exec(wire.request.toString())?.[1] ?? "";
  const accept = new Bun.CryptoHasher("sha1")
    .update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest("base64");
  wire.readAll(
    Buffer.from(`HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nSEC-websocket-accept:${accept}\r\n\r\n`),
  );
  return wire;
}

test("a WebSocket gives what its frames carry, however they are cut, and answers pings", async () => {
  const frames = fc.array(
    fc.record({ opcode: fc.constantFrom(0, 2, 9, 10), content: fc.uint8Array({ maxLength: 300 }) }),
    { maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(frames, fc.integer({ min: 1, max: 200 }), async (sent, cut) => {
      const replies: Buffer[] = [];
      const wire = await openWire(replies);
      expect(wire.isOpen).toBe(true);
      const bytes = Buffer.concat(sent.map(({ opcode, content }) => frame(opcode, content)));
      const got: Buffer[] = [];
      for (let index = 0; index < bytes.length; index += cut)
        got.push(...wire.readAll(bytes.subarray(index, index + cut)));
      const carried = sent.filter(({ opcode }) => opcode === 0 || opcode === 2).map(({ content }) => content);
      expect(Buffer.concat(got)).toEqual(Buffer.concat(carried));
      expect(replies).toHaveLength(sent.filter(({ opcode }) => opcode === 9).length);
    }),
  );
});

test("frames that are no server's, too large or text end the connection", async () => {
  const wire = () => openWire([]);
  const masked = frame(2, Buffer.from("x"));
  masked[1] = 0x81;
  expect((await wire()).readAll.bind(undefined, masked)).toThrow("masked");
  expect((await wire()).readAll.bind(undefined, frame(1, Buffer.from("hello")))).toThrow("text");
  const huge = Buffer.from([0x82, 127, 0, 0, 0, 1, 0, 0, 0, 0]);
  expect((await wire()).readAll.bind(undefined, huge)).toThrow("4294967296 bytes");
  const other = createWire();
  const response = "HTTP/1.1 101 Switching\r\nSec-WebSocket-Accept: of another key\r\n\r\n";
  expect(() => other.readAll(Buffer.from(response))).toThrow("does not offer WebSocket");
  const endless = createWire();
  expect(() => endless.readAll(Buffer.alloc(20_000, "a"))).toThrow("does not end");
});

test("frames without content are read in parts", async () => {
  const replies: Buffer[] = [];
  const wire = await openWire(replies);
  wire.add(Buffer.alloc(200 * 2, Buffer.from([0x89, 0])));
  wire.add(frame(2, Buffer.from("last")));
  const counts: number[] = [];
  let last: Buffer | undefined;
  for (let content = wire.read(); content !== undefined; content = wire.read()) {
    counts.push(replies.length);
    last = content;
  }
  expect(counts).toEqual([64, 128, 192, 200]);
  expect(last?.toString()).toBe("last");
});
