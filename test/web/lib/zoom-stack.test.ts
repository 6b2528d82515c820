import { expect, test } from "bun:test";
import fc from "fast-check";
import { ZoomStack } from "../../../src/web/lib/zoom-stack.ts";

test("zooms are left in the reverse order, whatever was panned between them", () => {
  const steps = fc.array(fc.record({ window: fc.integer(), isPan: fc.boolean() }), { maxLength: 20 });
  fc.assert(
    fc.property(fc.integer(), steps, (start, all) => {
      const stack = new ZoomStack<{ id: number; window: number }>();
      let current = { id: -1, window: start };
      const left: (typeof current)[] = [];
      for (const [id, { window, isPan }] of all.entries()) {
        const next = { id, window };
        stack.leave(current, next, { isPan });
        if (!isPan || left.length === 0) left.push(current);
        current = next;
      }
      for (const expected of left.reverse()) {
        const before = stack.back(structuredClone(current));
        expect(before).toEqual(expected);
        if (before !== undefined) current = before;
      }
      expect(stack.back(current)).toBeUndefined();
    }),
  );
});

test("the browser's Back leaves a zoom, and a window that was selected is a new beginning", () => {
  const stack = new ZoomStack<string>();
  stack.leave("hour", "a");
  stack.leave("a", "b");
  expect(stack.back("a")).toBe("hour");
  stack.leave("hour", "a");
  expect(stack.back("day")).toBeUndefined();
});

test("a window of one kind is found below the others", () => {
  const stack = new ZoomStack<string>();
  stack.leave("hour", "a");
  stack.leave("a", "b");
  expect(stack.back("b", (window) => window === "hour")).toBe("hour");
  expect(stack.back("hour")).toBeUndefined();
});
