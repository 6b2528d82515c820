import { expect, test } from "bun:test";
import type { KeyMetadata } from "../../src/lib/key-metadata.ts";
import { mainKeys, numericKeys, sortedKeys } from "../../src/web/lib/main-keys.ts";

const metadata: Readonly<Record<string, KeyMetadata>> = {
  cycles: { key: "cycles", kind: "counter" },
  power: { key: "power", kind: "gauge" },
  state: { key: "state", kind: "state", states: [{ value: "heat", name: "Heats" }] },
  temperature: { key: "temperature", kind: "gauge", limits: { high: 60 } },
};
const metadataOf = (key: string) => metadata[key];
const values = { cycles: 1, state: "heat", note: "text", other: 2, power: 3, temperature: 4 };

test("values with limits come first and counters last", () => {
  expect(numericKeys(values, metadataOf, 4)).toEqual(["temperature", "power", "other", "cycles"]);
  expect(numericKeys({ c: 1, b: 1, a: 1 }, () => undefined, 2)).toEqual(["a", "b"]);
});

test("states with names are shown before numbers, and other texts are not shown", () => {
  expect(mainKeys(values, metadataOf, 3)).toEqual(["state", "temperature", "power"]);
  expect(mainKeys({ note: "text" }, metadataOf, 3)).toEqual([]);
});

test("all keys are sorted by how much they say, and equal ones by name", () => {
  expect(sortedKeys(Object.keys(values).sort(), metadataOf)).toEqual([
    "temperature",
    "power",
    "note",
    "other",
    "state",
    "cycles",
  ]);
});
