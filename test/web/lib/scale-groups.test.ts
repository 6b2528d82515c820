import { expect, test } from "bun:test";
import { paneCount, paneOf, scaleGroups } from "../../../src/web/lib/scale-groups.ts";

test("lines of like size share an axis, others get their own", () => {
  const temperature = { min: 20, max: 24 };
  const other = { min: 18, max: 26 };
  const pressure = { min: 1008, max: 1016 };
  expect(scaleGroups([temperature, pressure, other])).toEqual([0, 1, 0]);
});

test("a wide line does not swallow a narrow one, whichever comes first", () => {
  expect(
    scaleGroups([
      { min: 0, max: 1 },
      { min: 0, max: 1500 },
    ]),
  ).toEqual([0, 1]);
  expect(
    scaleGroups([
      { min: 0, max: 1500 },
      { min: 0, max: 1 },
    ]),
  ).toEqual([0, 1]);
});

test("constant lines, and lines without data, need no axis of their own beside their like", () => {
  expect(scaleGroups([{ min: 50, max: 50 }, { min: 51, max: 51 }, undefined])).toEqual([0, 0, 0]);
});

test("lines of different units share no axis, however alike their numbers are", () => {
  const extent = { min: 20, max: 24 };
  expect(scaleGroups([extent, extent, extent, extent], ["°C", "%", "°C", undefined])).toEqual([0, 1, 0, 2]);
});

test("a chart has two axes, and lines of further scales go to charts below", () => {
  expect([[], [0], [0, 1], [0, 1, 2], [0, 4]].map(paneCount)).toEqual([1, 1, 1, 2, 3]);
  expect([0, 1, 2, 3, 4].map(paneOf)).toEqual([
    { pane: 0, scale: 0 },
    { pane: 0, scale: 1 },
    { pane: 1, scale: 0 },
    { pane: 1, scale: 1 },
    { pane: 2, scale: 0 },
  ]);
});
