// A device made of raw bytes: whatever arrives, nothing of it becomes a value that the device did not send.
import { afterEach, expect, test } from "bun:test";
import { createSocket, type Socket } from "node:dgram";
import fc from "fast-check";
import { type BacnetRef, parseBacnetAddress } from "../../../src/lib/bacnet/bacnet-objects.ts";
import { BacnetFormatError } from "../../../src/lib/bacnet/bacnet-pdu.ts";
import { BacnetConnection, BacnetRefusal } from "../../../src/platform/bacnet/bacnet-connection.ts";
import { systemClock } from "../../../src/platform/time/clock.ts";
import { until } from "../../support/until.ts";

const ref = (address: string) => parseBacnetAddress(address) as BacnetRef;
const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
const frame = (apdu: Buffer, npdu = "0100") => {
  const content = Buffer.concat([hex(npdu), apdu]);
  const head = Buffer.from([0x81, 0x0a, 0, 0]);
  head.writeUInt16BE(content.length + 4, 2);
  return Buffer.concat([head, content]);
};
/** Answer to a read of one property: its object, property and value. */
const ack = (id: number, body: string) => frame(Buffer.concat([Buffer.from([0x30, id, 0x0c]), hex(body)]));
const WHO = "0c02000001 194b 3e c402000001 3f";
const WHO_ASKED = hex("0c02000001194b");
/** Reads of the longest message that the device takes. */
const LENGTH_ASKED = hex("0c02000001193e");

interface Request {
  readonly id: number;
  readonly service: number;
  readonly body: Buffer;
}
type Send = (...messages: Buffer[]) => void;

const open: (Socket | BacnetConnection)[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

/** A device with number 1 that says who it is and how long its messages are; `answer` is for all other requests. */
async function deviceWith(response: (request: Request, send: Send) => void, length = "05c4") {
  const socket = createSocket("udp4");
  open.push(socket);
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.bind(0, "127.0.0.1", resolve);
  await promise;
  socket.on("error", () => undefined); // a connection that has ended
  socket.on("message", (bytes, { port }) => {
    const apdu = bytes.subarray(6);
    const send: Send = (...messages) => {
      for (const message of messages) socket.send(message, port, "127.0.0.1");
    };
    const request = { id: apdu[2] ?? 0, service: apdu[3] ?? 0, body: apdu.subarray(4) };
    if (apdu[0] !== 0x40 && apdu.includes(WHO_ASKED)) send(ack(request.id, WHO));
    else if (apdu[0] !== 0x40 && apdu.includes(LENGTH_ASKED))
      send(ack(request.id, `0c02000001 193e 3e 22${length} 3f`));
    else response(request, send);
  });
  return socket;
}

async function connect(
  socket: Socket,
  timeoutMs = 300,
  route = { network: null as number | null, mac: null as string | null },
) {
  const connection = await BacnetConnection.open({
    host: "127.0.0.1",
    port: socket.address().port,
    deviceInstance: 1,
    ...route,
    timeoutMs,
    addresses: { resolve: async (host) => [host] },
    clock: systemClock,
    signal: new AbortController().signal,
  });
  open.push(connection);
  return connection;
}

const VALUE = "0c00000001 1955 3e 44 41ac0000 3f";

test("an answer from another address, to another request or to all is not taken", async () => {
  const stranger = createSocket("udp4");
  open.push(stranger);
  const socket = await deviceWith(({ id }, send) => {
    const { port } = connection.localAddress;
    stranger.send(ack(id, "0c00000001 1955 3e 44 42c80000 3f"), port, "127.0.0.1", () => {
      const other = ack((id + 1) % 256, "0c00000001 1955 3e 44 42c80000 3f");
      const toAll = Buffer.from(other);
      toAll[1] = 0x0b;
      send(other, toAll, ack(id, VALUE));
    });
  });
  const connection = await connect(socket);
  expect(await connection.readOne(ref("AI:1"))).toEqual([{ tag: 4, value: 21.5 }]);
});

test.each([
  ["of another object", "0c00000002 1955 3e 44 41ac0000 3f"],
  ["with a number of three bytes", "0c00000001 1955 3e 43 41ac00 3f"],
  ["with a length beyond its end", "0c00000001 1955 3e 65 ff ffffffff 3f"],
  ["with an integer of no bytes", "0c00000001 1955 3e 20 3f"],
  ["without an end", "0c00000001 1955 3e 44 41ac0000"],
  ["with values in each other without end", `0c00000001 1955 3e ${"1e".repeat(500)}`],
  ["that is empty", ""],
])("an answer %s ends the connection and is no value", async (_, body) => {
  const connection = await connect(await deviceWith(({ id }, send) => send(ack(id, body))));
  await expect(connection.readOne(ref("AI:1"))).rejects.toBeInstanceOf(BacnetFormatError);
  expect(connection.isOpen).toBe(false);
});

test("whatever bytes arrive, a read ends with an error or with what the device sent", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 60 }), fc.nat(30), async (noise, offset) => {
      const socket = await deviceWith(({ id }, send) => {
        const good = ack(id, VALUE);
        const bad = Buffer.concat([good.subarray(0, 9 + offset), noise]);
        bad.writeUInt16BE(bad.length, 2);
        send(bad);
      });
      const connection = await connect(socket, 50);
      const read = await connection.readOne(ref("AI:1")).catch((error: unknown) => error);
      expect(read).toSatisfy((result) => result instanceof Error || Array.isArray(result));
    }),
    { numRuns: 60 },
  );
});

test("segments are put together in their order, each acknowledged, and a repeated one counts once", async () => {
  const body = hex(VALUE);
  const parts = [body.subarray(0, 4), body.subarray(4, 9), body.subarray(9)];
  let invokeId = 0;
  const segment = (sequence: number) =>
    frame(
      Buffer.concat([
        Buffer.from([sequence === 2 ? 0x38 : 0x3c, invokeId, sequence, 4, 0x0c]),
        parts[sequence] ?? Buffer.alloc(0),
      ]),
    );
  const acknowledged: number[] = [];
  const socket = await deviceWith(({ id, service }, send) => {
    // The message is an acknowledgement: kind, id, number of the segment, window.
    if (invokeId === 0) {
      invokeId = id;
      send(segment(1), segment(0));
      return;
    }
    acknowledged.push(id);
    expect(service).toBe(1);
    if (acknowledged.length === 1) send(segment(0));
    else if (acknowledged.length === 2) send(segment(1));
    else if (acknowledged.length === 3) send(segment(2));
  });
  const connection = await connect(socket);
  expect(await connection.readOne(ref("AI:1"))).toEqual([{ tag: 4, value: 21.5 }]);
  await Bun.sleep(0);
  expect(acknowledged.slice(0, 3)).toEqual([0, 0, 1]);
});

test("segments and messages without end end the connection", async () => {
  let invokeId = 0;
  let next = 0;
  const socket = await deviceWith(({ id }, send) => {
    invokeId ||= id;
    send(frame(Buffer.concat([Buffer.from([0x3c, invokeId, next++, 1, 0x0c]), Buffer.alloc(1_000)])));
  });
  const connection = await connect(socket);
  await expect(connection.readOne(ref("AI:1"))).rejects.toBeInstanceOf(BacnetFormatError);
  const flood = await connect(
    await deviceWith((_, send) => send(...Array.from({ length: 1_100 }, () => Buffer.alloc(8)))),
  );
  await expect(flood.readOne(ref("AI:1"))).rejects.toThrow();
  expect([connection.isOpen, flood.isOpen]).toEqual([false, false]);
});

test("a response of very many values, and one in segments longer than agreed, end the connection", async () => {
  const values = await connect(
    await deviceWith(({ id }, send) => send(ack(id, `0c00000001 1955 3e ${"00".repeat(40_000)} 3f`))),
  );
  await expect(values.readOne(ref("AI:1"))).rejects.toBeInstanceOf(BacnetFormatError);
  const segments = await connect(
    await deviceWith(({ id }, send) => {
      const text = hex(`0c00000001 1955 3e 7503${"00".repeat(3)} ${"00".repeat(2_000)} 3f`);
      send(frame(Buffer.concat([Buffer.from([0x38, id, 0, 1, 0x0c]), text])));
    }),
  );
  await expect(segments.readOne(ref("AI:1"))).rejects.toBeInstanceOf(BacnetFormatError);
  expect([values.isOpen, segments.isOpen]).toEqual([false, false]);
});

test("a device that reads one property at a time is asked for one at a time, from then on", async () => {
  const services: number[] = [];
  const socket = await deviceWith(({ id, service, body }, send) => {
    services.push(service);
    if (service === 14) return send(frame(Buffer.from([0x60, id, 9])));
    send(ack(id, `0c${body.subarray(1, 5).toString("hex")} 1955 3e 44 41ac0000 3f`));
  });
  const connection = await connect(socket);
  const refs = ["AI:1", "AI:2", "AI:3"].map(ref);
  const expected = refs.map(() => [{ tag: 4, value: 21.5 }]);
  expect(await connection.read(refs)).toEqual(expected);
  expect(await connection.read(refs)).toEqual(expected);
  expect(services).toEqual([14, 12, 12, 12, 12, 12, 12]);
});

/** Answer to a read of several present values, each of which is 21.5. */
const ackMany = (id: number, refs: readonly BacnetRef[]) => {
  const results = refs.map(
    ({ instance }) => `0c${instance.toString(16).padStart(8, "0")} 1e 2955 4e 4441ac0000 4f 1f`,
  );
  return frame(Buffer.concat([Buffer.from([0x30, id, 0x0e]), hex(results.join(""))]));
};
const instancesIn = (body: Buffer) =>
  Array.from({ length: body.length / 9 }, (_, index) => ref(`AI:${body.readUInt32BE(9 * index + 1)}`));

test("a request is never longer than the device takes, and reads all that was asked for", async () => {
  const lengths: number[] = [];
  const socket = await deviceWith(({ id, service, body }, send) => {
    lengths.push(body.length + 4);
    expect(service).toBe(14);
    send(ackMany(id, instancesIn(body)));
  }, "0032");
  const connection = await connect(socket);
  const refs = Array.from({ length: 20 }, (_, index) => ref(`AI:${index}`));
  expect(await connection.read(refs)).toEqual(refs.map(() => [{ tag: 4, value: 21.5 }]));
  expect(lengths).toEqual([49, 49, 49, 49]);
});

test("a device whose answer would be too long is asked for less at once, from then on", async () => {
  const counts: number[] = [];
  const socket = await deviceWith(({ id, body }, send) => {
    const refs = instancesIn(body);
    counts.push(refs.length);
    send(refs.length > 4 ? frame(Buffer.from([0x71, id, 4])) : ackMany(id, refs));
  });
  const connection = await connect(socket);
  const refs = Array.from({ length: 16 }, (_, index) => ref(`AI:${index}`));
  for (let round = 0; round < 2; round++)
    expect(await connection.read(refs)).toEqual(refs.map(() => [{ tag: 4, value: 21.5 }]));
  expect(counts).toEqual([16, 8, 4, 4, 4, 4, 4, 4, 4, 4]);
});

test("a refusal leaves the connection open, and silence ends it", async () => {
  let isSilent = false;
  const socket = await deviceWith(({ id }, send) => {
    if (!isSilent) send(frame(Buffer.concat([Buffer.from([0x50, id, 0x0c]), hex("9101 911f")])));
  });
  const connection = await connect(socket, 100);
  await expect(connection.readOne(ref("AI:1"))).rejects.toEqual(new BacnetRefusal(31));
  expect(connection.isOpen).toBe(true);
  isSilent = true;
  await expect(connection.readOne(ref("AI:1"))).rejects.toMatchObject({ code: "bacnet.no_response" });
  expect(connection.isOpen).toBe(false);
});

test("a device behind a router is asked by its network, and only its own answers are taken", async () => {
  const route = { network: 5, mac: "0a" };
  const asked: string[] = [];
  const socket = createSocket("udp4");
  open.push(socket);
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.bind(0, "127.0.0.1", resolve);
  await promise;
  socket.on("message", (bytes, { port }) => {
    asked.push(bytes.subarray(4, 11).toString("hex"));
    const apdu = bytes.subarray(11);
    const response = apdu.includes(WHO_ASKED)
      ? WHO
      : apdu.includes(LENGTH_ASKED)
        ? "0c02000001 193e 3e 2205c4 3f"
        : VALUE;
    const body = Buffer.concat([Buffer.from([0x30, apdu[2] ?? 0, 0x0c]), hex(response)]);
    const other = Buffer.concat([
      Buffer.from([0x30, apdu[2] ?? 0, 0x0c]),
      hex(VALUE.replace("41ac", "42c8")),
    ]);
    for (const message of [frame(other), frame(other, "0108 0005 01 0b"), frame(body, "0108 0005 01 0a")])
      socket.send(message, port, "127.0.0.1");
  });
  const connection = await connect(socket, 300, route);
  expect(await connection.readOne(ref("AI:1"))).toEqual([{ tag: 4, value: 21.5 }]);
  expect(new Set(asked)).toEqual(new Set(["01240005010aff"]));
});

test("a router without a way to the network says so, and only for the network that was asked", async () => {
  const socket = createSocket("udp4");
  open.push(socket);
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.bind(0, "127.0.0.1", resolve);
  await promise;
  socket.on("message", (_, { port }) => {
    for (const reason of ["02 0005", "01 0006", "01 0005"])
      socket.send(frame(hex(`03 ${reason}`), "0180"), port, "127.0.0.1");
  });
  await expect(connect(socket, 300, { network: 5, mac: "0a" })).rejects.toMatchObject({
    code: "bacnet.no_way",
    params: { network: 5 },
  });
});

test("a change that the device reports is passed on, and one of a stranger or another subscriber is not", async () => {
  const changes: string[] = [];
  const subscriptions: string[] = [];
  const notification = (process: string, object: string) =>
    frame(hex(`1002 09${process} 1c02000001 2c${object} 3a0258 4e 0955 2e 4441ac0000 2f 4f`));
  const socket = await deviceWith(({ id, service, body }, send) => {
    subscriptions.push(`${service} ${body.toString("hex")}`);
    send(notification("02", "00000009"), frame(Buffer.from([0x20, id, 5])), notification("01", "00000001"));
  });
  const connection = await connect(socket);
  connection.onChange = (change) => changes.push(change);
  expect(await connection.subscribe({ type: 0, instance: 1 }, 1_000)).toBe(true);
  expect(await connection.subscribe({ type: 0, instance: 1 }, 1_000)).toBe(true);
  await until(() => changes.length > 0);
  expect(changes).toEqual(["analog-input:1"]);
  expect(subscriptions).toEqual(["5 09011c0000000129003a0258"]);
});
