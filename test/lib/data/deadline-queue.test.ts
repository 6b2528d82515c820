import { expect, test } from "bun:test";
import fc from "fast-check";
import { DeadlineQueue } from "../../../src/lib/data/deadline-queue.ts";

test("gives back what is due, earliest first, equals in the order of adding, and nothing before its time", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 60 }),
      fc.integer({ min: 0, max: 100 }),
      (deadlines, now) => {
        const queue = new DeadlineQueue<number>();
        for (const [index, timeMs] of deadlines.entries()) queue.add(timeMs, index);
        const taken: number[] = [];
        for (let due = queue.takeDue(now); due !== undefined; due = queue.takeDue(now)) {
          expect(due.dueAt).toBe(deadlines[due.item] ?? -1);
          taken.push(due.item);
        }
        const expected = [...deadlines.entries()]
          .filter(([, atMs]) => atMs <= now)
          .sort(([, a], [, b]) => a - b) // keeps the order of equals
          .map(([index]) => index);
        expect(taken).toEqual(expected);
        expect(queue.size).toBe(deadlines.length - expected.length);
        const left = deadlines.filter((atMs) => atMs > now);
        expect(queue.nextAt()).toBe(left.length === 0 ? undefined : Math.min(...left));
      },
    ),
  );
});
