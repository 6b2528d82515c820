import { expect, test } from "bun:test";
import fc from "fast-check";
import type { DomainError } from "../../../src/lib/core/domain-error.ts";
import type { S7Range } from "../../../src/lib/s7/s7-plan.ts";
import { s7Protocol } from "../../../src/modules/s7/s7.protocol.ts";
import type { S7Unit } from "../../../src/modules/s7/s7.types.ts";
import { type S7Connection, S7Refusal } from "../../../src/platform/s7/s7-connection.ts";

type Line = Pick<S7Connection, "read" | "writeBytes">;

/** A controller with memory. */
const lineOf = (memory: Buffer): Line => ({
  read: async (ranges: readonly S7Range[]) =>
    ranges.map(({ byte, count }) => Uint8Array.from(memory.subarray(byte, byte + count))),
  writeBytes: async ({ byte }: S7Range, bytes: Uint8Array) => void memory.set(bytes, byte),
});

const write = (line: Line, address: string, value: unknown) =>
  s7Protocol.writing(
    {} as S7Unit,
    { key: "a", address },
    { name: "a", value: value as string },
  )(line as S7Connection);

const START = 44;

test("a text never goes beyond its STRING, whatever length the tag says", async () => {
  const length = fc.integer({ min: 1, max: 254 });
  await fc.assert(
    fc.asyncProperty(length, length, fc.nat(254), async (max, ofTag, count) => {
      const memory = Buffer.alloc(400, 0xaa);
      memory.writeUInt8(max, START);
      const before = Buffer.from(memory);
      const text = "x".repeat(Math.min(count, ofTag));
      const written = write(lineOf(memory), `DB1,S${START}.${ofTag}`, text).catch(
        ({ code }: DomainError) => code,
      );
      expect(await written).toEqual(text.length <= max ? { a: text } : "s7.tag_invalid");
      for (const [from, to] of [
        [0, START + 1],
        [START + 2 + max, 400],
      ] as const)
        expect(memory.subarray(from, to).equals(before.subarray(from, to))).toBe(true);
    }),
  );
});

test("a STRING whose length cannot be read is not written", async () => {
  const memory = Buffer.alloc(100);
  const line = { ...lineOf(memory), read: async () => [new S7Refusal(5)] };
  expect(await write(line, "DB1,S0.10", "x").catch((error: unknown) => error)).toEqual(new S7Refusal(5));
  expect(memory.equals(Buffer.alloc(100))).toBe(true);
});

test.each([
  ["is refused", async () => [new S7Refusal(3)]],
  ["fails", () => Promise.reject(new Error("no answer"))],
])("a value is written though reading it back %s", async (_, read) => {
  const memory = Buffer.alloc(4);
  expect(await write({ ...lineOf(memory), read }, "DB1,INT2", 258)).toEqual({ a: null });
  expect([...memory]).toEqual([0, 0, 1, 2]);
});
