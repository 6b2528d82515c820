import { expect, test } from "bun:test";
import fc from "fast-check";
import { REGISTER_AREAS, sizeOf } from "../../../src/lib/modbus/modbus-lists.ts";
import { planReads, wordsIn } from "../../../src/lib/modbus/read-plan.ts";
import type { RegisterSpec } from "../../../src/lib/modbus/register-values.ts";

const register = fc.record({
  area: fc.constantFrom(...REGISTER_AREAS),
  address: fc.nat(400),
  type: fc.constantFrom("INT16", "FLOAT32", "UINT64"),
}) as fc.Arbitrary<RegisterSpec>;

test("every register is read once, by requests within the limits", () => {
  fc.assert(
    fc.property(
      fc.array(register, { maxLength: 60 }),
      fc.integer({ min: 4, max: 125 }),
      fc.nat(20),
      (registers, wordsMax, gapMax) => {
        const blocks = planReads(registers, { wordsMax, gapMax });
        expect(blocks.flatMap((block) => block.registers)).toHaveLength(registers.length);
        for (const block of blocks) {
          const { area, address, count } = block.range;
          if (area === "HOLDING_REGISTER" || area === "INPUT_REGISTER")
            expect(count).toBeLessThanOrEqual(wordsMax);
          const words = Array.from({ length: count }, (_, index) => address + index);
          for (const item of block.registers) {
            expect(item.area).toBe(area);
            // Each "word" is its own address.
            expect(wordsIn(block, item, words)).toEqual(
              Array.from({ length: sizeOf(item) }, (_, index) => item.address + index),
            );
          }
        }
      },
    ),
  );
});

test("neighbours share a request, and distant registers do not", () => {
  const registerAt = (address: number): RegisterSpec => ({
    area: "HOLDING_REGISTER",
    address,
    type: "UINT16",
  });
  expect(planReads([0, 1, 9, 30].map(registerAt)).map(({ range }) => [range.address, range.count])).toEqual([
    [0, 10],
    [30, 1],
  ]);
  expect(planReads([0, 1, 9].map(registerAt), { gapMax: 0 })).toHaveLength(2);
});
