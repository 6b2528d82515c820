import { expect, test } from "bun:test";
import fc from "fast-check";
import { FrameReader, fromClient, fromForeignBroker } from "../../../src/lib/mqtt/frame-reader.ts";

function frame(body: Uint8Array): Buffer {
  const length: number[] = [];
  for (let rest = body.length; length.length === 0 || rest > 0; rest = Math.floor(rest / 128))
    length.push((rest % 128) | (rest > 127 ? 128 : 0));
  return Buffer.from([0x30, ...length, ...body]);
}

test("packets come out as they went in, however the stream is cut", () => {
  const bodies = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 12 });
  const cuts = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(bodies, cuts, fc.boolean(), (sent, sizes, settles) => {
      const stream = Buffer.concat(sent.map(frame));
      const reader = new FrameReader(fromClient, 1_000);
      const views: Uint8Array[] = [];
      for (let index = 0, turn = 0; index < stream.length; turn++) {
        const size = sizes[turn % sizes.length]!;
        reader.push(Uint8Array.from(stream.subarray(index, index + size)));
        index += size;
        while (reader.next()) views.push(reader.buffer.subarray(reader.start, reader.end));
        if (settles) reader.settle();
      }
      // Compared at the end: a view must stay what it was while later bytes arrive.
      expect(views.map((view) => [...view])).toEqual(sent.map((body) => [...body]));
      expect(reader.pendingBytes).toBe(0);
    }),
  );
});

test("a chunk that holds a whole packet is not copied", () => {
  const reader = new FrameReader(fromClient, 1_000);
  const chunk = Uint8Array.from(frame(new Uint8Array(100)));
  reader.push(chunk);
  expect(reader.next()).toBe(true);
  expect(reader.buffer).toBe(chunk);
});

test("an announced length costs no memory before its bytes come", () => {
  const reader = new FrameReader(fromClient, 65_536);
  reader.push(Uint8Array.of(0x30, 0xff, 0xff, 0x03, 1, 2, 3));
  expect(reader.next()).toBe(false);
  reader.settle();
  expect(reader.buffer.length).toBeLessThan(100);
});

test("a large chunk behind the beginning of a packet takes no more memory than its bytes", () => {
  const reader = new FrameReader(fromClient, 1_000_000);
  const packets = Buffer.concat(Array.from({ length: 100 }, () => frame(new Uint8Array(1_000))));
  reader.push(packets.subarray(0, 500));
  expect(reader.next()).toBe(false);
  reader.push(packets.subarray(500));
  expect(reader.next()).toBe(true);
  expect(reader.buffer.length).toBe(packets.length);
});

test("many packets that wait for their reader are not copied anew with each chunk", () => {
  const reader = new FrameReader(fromClient, 1_000);
  const chunk = Uint8Array.from(frame(new Uint8Array(500)));
  const buffers = new Set<Uint8Array>();
  for (let count = 0; count < 1_000; count++) {
    reader.push(chunk);
    buffers.add(reader.buffer);
  }
  expect(buffers.size).toBeLessThan(15);
  let packets = 0;
  while (reader.next()) packets++;
  expect(packets).toBe(1_000);
});

test("a message that is too large comes out truncated, and its rest costs no memory", () => {
  const reader = new FrameReader(fromForeignBroker, 1_000, { truncatedBytes: 50 });
  const large = frame(Uint8Array.from({ length: 100_000 }, (_, index) => index));
  const stream = Buffer.concat([large, frame(Uint8Array.of(1, 2, 3))]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1, maxLength: 20 }), (sizes) => {
      const seen: [isTruncated: boolean, body: number[]][] = [];
      let largestBuffer = 0;
      for (let position = 0, turn = 0; position < stream.length; turn++) {
        const size = sizes[turn % sizes.length]!;
        reader.push(Uint8Array.from(stream.subarray(position, position + size)));
        position += size;
        while (reader.next())
          seen.push([reader.isTruncated, [...reader.buffer.subarray(reader.start, reader.end)]]);
        reader.settle();
        largestBuffer = Math.max(largestBuffer, reader.buffer.length);
      }
      expect(seen).toEqual([
        [true, Array.from({ length: 50 }, (_, index) => index)],
        [false, [1, 2, 3]],
      ]);
      expect(largestBuffer).toBeLessThan(1_100);
    }),
    { numRuns: 30 },
  );
});

test("a packet that is too large is an error unless it is a message that may be truncated", () => {
  const tooLarge = (reader: FrameReader, header: number) => {
    reader.push(Uint8Array.of(header, 0xff, 0x7f, 0));
    return () => reader.next();
  };
  expect(tooLarge(new FrameReader(fromClient, 1_000), 0x30)).toThrow("packet is too large");
  expect(tooLarge(new FrameReader(fromForeignBroker, 1_000, { truncatedBytes: 50 }), 0x90)).toThrow(
    "packet is too large",
  );
  const small = { truncatedBytes: 50, otherBytesMax: 1_000 };
  expect(tooLarge(new FrameReader(fromForeignBroker, 20_000, small), 0x90)).toThrow("packet is too large");
  expect(tooLarge(new FrameReader(fromForeignBroker, 20_000, small), 0x30)()).toBe(false);
  expect(tooLarge(new FrameReader(fromForeignBroker, 1_000, { truncatedBytes: 50 }), 0x36)).toThrow(
    "reserved",
  );
});
