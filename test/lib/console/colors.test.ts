import { expect, test } from "bun:test";
import fc from "fast-check";
import { contrast, inkOn, parseColor, readableOn } from "../../../src/lib/console/colors.ts";

const rgb = (text: string) => parseColor(text) ?? [0, 0, 0];

test("a color is six hexadecimal digits behind a hash, and nothing else", () => {
  expect(parseColor("#0e5A6b")).toEqual([14, 90, 107]);
  for (const text of ["", "0e5a6b", "#0e5", "#0e5a6b00", "#0e5a6g", "red", "#0e5a6b;}"])
    expect(parseColor(text)).toBeUndefined();
});

test("contrast is as WCAG has it", () => {
  expect(contrast(rgb("#000000"), rgb("#ffffff"))).toBeCloseTo(21);
  expect(contrast(rgb("#777777"), rgb("#ffffff"))).toBeCloseTo(4.48, 2);
  expect(contrast(rgb("#123456"), rgb("#123456"))).toBe(1);
});

test("a color that can be read stays as it is", () => {
  expect(readableOn(rgb("#0e5a6b"), [rgb("#ffffff")], 4.5)).toBe("#0e5a6b");
  expect(readableOn(rgb("#5cc4d8"), [rgb("#12171b")], 4.5)).toBe("#5cc4d8");
});

test("whatever color is chosen, it can be read on the grounds of both themes, and so can the ink on it", () => {
  const channel = fc.integer({ min: 0, max: 255 });
  const themes = [
    [rgb("#ffffff"), rgb("#f3f3f0")],
    [rgb("#1a2126"), rgb("#12171b")],
  ];
  fc.assert(
    fc.property(fc.tuple(channel, channel, channel), (color) => {
      for (const grounds of themes) {
        const shade = rgb(readableOn(color, grounds, 4.5));
        for (const ground of grounds) expect(contrast(shade, ground)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(rgb(inkOn(shade)), shade)).toBeGreaterThanOrEqual(4.5);
      }
    }),
  );
});
