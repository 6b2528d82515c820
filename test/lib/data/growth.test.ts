import { expect, test } from "bun:test";
import fc from "fast-check";
import { Growth } from "../../../src/lib/data/growth.ts";

test("it is time at the first addition of a key, and before more than the maximum was added since", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.nat(20))), (additions) => {
      const growth = new Growth<string>(50);
      const since = new Map<string, number>();
      for (const [key, amount] of additions) {
        const sum = (since.get(key) ?? 50) + amount;
        expect(growth.add(key, amount)).toBe(sum >= 50);
        since.set(key, sum >= 50 ? 0 : sum);
      }
    }),
  );
});

test("a forgotten key is new again", () => {
  const growth = new Growth<string>(50);
  const times = [growth.add("a", 1), growth.add("a", 1), growth.forget("a"), growth.add("a", 1)];
  expect(times).toEqual([true, false, undefined, true]);
});
