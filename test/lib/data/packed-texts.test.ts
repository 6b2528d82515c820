import { expect, test } from "bun:test";
import { packedTextReader, packTexts, unpackTexts } from "../../../src/lib/data/packed-texts.ts";

const texts = ["", "a", "é€", "\u{1F600}", "\ud800", "\udc00x", "\ud800", "last\0"];

test("texts come back exactly, whatever characters they have", () => {
  const packed = packTexts(texts);
  expect(unpackTexts(packed)).toEqual(texts);
  const textAt = packedTextReader(packed);
  expect(texts.map((_, index) => textAt(index))).toEqual(texts);
});

test("absent texts are empty, and there may be none", () => {
  expect(unpackTexts(packTexts([undefined, "a", undefined]))).toEqual(["", "a", ""]);
  expect(unpackTexts(packTexts([]))).toEqual([]);
});

test("packed texts move to another thread, and cost it two objects however many they are", () => {
  const packed = packTexts(Array.from({ length: 10_000 }, (_, index) => `text ${index}`));
  const { utf16, bounds } = packed;
  const moved = structuredClone(packed, { transfer: [utf16.buffer, bounds.buffer] });
  expect([utf16.length, bounds.length]).toEqual([0, 0]);
  expect(packedTextReader(moved)(9_999)).toBe("text 9999");
});
