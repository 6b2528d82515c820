import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  COLUMNS,
  type GridArea,
  move,
  nudge,
  resize,
  roomFor,
  rowsOf,
  settle,
} from "../../../../../src/web/features/dashboards/board/grid.ts";

const place = (i: string, x: number, y: number, w: number, h: number): GridArea => ({ i, x, y, w, h });
const isOver = (a: GridArea, b: GridArea) =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

const places = fc
  .array(
    fc.record({
      x: fc.integer({ min: -3, max: 15 }),
      y: fc.integer({ min: -3, max: 30 }),
      w: fc.integer({ min: -1, max: 15 }),
      h: fc.integer({ min: 0, max: 9 }),
    }),
    { maxLength: 12 },
  )
  .map((all) => all.map((candidate, index) => ({ i: `w${index}`, ...candidate })));

function ensureGood(settled: readonly GridArea[]): void {
  for (const [index, item] of settled.entries()) {
    expect(item.x >= 0 && item.w >= 1 && item.h >= 1 && item.y >= 0 && item.x + item.w <= COLUMNS).toBe(true);
    for (const other of settled.slice(index + 1)) expect(isOver(item, other)).toBe(false);
    const raised = { ...item, y: item.y - 1 };
    const isHeld = item.y === 0 || settled.some((other) => other.i !== item.i && isOver(raised, other));
    expect(isHeld).toBe(true);
  }
}

test("whatever is done, nothing lies over anything else, leaves the grid or floats, and nothing is lost", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("move" as const), n: fc.nat(12), a: fc.integer(), b: fc.integer() }),
    fc.record({ kind: fc.constant("resize" as const), n: fc.nat(12), a: fc.integer(), b: fc.integer() }),
  );
  fc.assert(
    fc.property(places, fc.array(step, { maxLength: 8 }), (input, steps) => {
      let now = settle(input);
      ensureGood(now);
      for (const { kind, n, a, b } of steps) {
        const [x, y] = [a % 20, b % 40];
        now = kind === "move" ? move(now, `w${n}`, { x, y }) : resize(now, `w${n}`, { w: x, h: y });
        ensureGood(now);
        expect(now.map(({ i }) => i)).toEqual(input.map(({ i }) => i));
      }
    }),
    { numRuns: 300 },
  );
});

test("a widget that is moved onto another takes its place, and the other goes below", () => {
  const board = [place("a", 0, 0, 6, 2), place("b", 6, 0, 6, 2)];
  expect(move(board, "a", { x: 6, y: 0 })).toEqual([place("a", 6, 0, 6, 2), place("b", 6, 2, 6, 2)]);
});

test("it grows as far as there is room, and what is in the way goes below", () => {
  const board = [place("a", 4, 0, 4, 2), place("b", 8, 0, 4, 2)];
  expect(resize(board, "a", { w: 12, h: 3 })).toEqual([place("a", 4, 0, 8, 3), place("b", 8, 3, 4, 2)]);
});

test("with the keyboard a widget goes below the next one, and up again", () => {
  const board = [place("a", 0, 0, 6, 2), place("b", 0, 2, 6, 3)];
  const below = nudge(board, "a", { x: 0, y: 1 });
  expect(below).toEqual([place("a", 0, 3, 6, 2), place("b", 0, 0, 6, 3)]);
  expect(nudge(below, "a", { x: 0, y: 1 })).toEqual(below);
  expect(nudge(below, "a", { x: 1, y: 0 })[0]).toEqual(place("a", 1, 3, 6, 2));
});

test("a new one comes where there is room first, and what is left closes the gap of one that goes", () => {
  expect(roomFor([place("a", 0, 0, 8, 3)], { i: "b", w: 4, h: 4 })).toEqual(place("b", 8, 0, 4, 4));
  expect(roomFor([place("a", 0, 0, 12, 3)], { i: "b", w: 6, h: 4 })).toEqual(place("b", 0, 3, 6, 4));
  const left = [place("a", 0, 0, 12, 3), place("b", 0, 3, 6, 4)].filter(({ i }) => i !== "a");
  expect([settle(left), rowsOf(settle(left))]).toEqual([[place("b", 0, 0, 6, 4)], 4]);
});
