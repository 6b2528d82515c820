import { expect, test } from "bun:test";
import type { KeyMetadata } from "../../../src/lib/keys/key-metadata.ts";
import { groupedKeys, mainKeys, numericKeys, sortedKeys } from "../../../src/web/lib/main-keys.ts";

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

const mapOf = (entries: readonly KeyMetadata[]) => new Map(entries.map((entry) => [entry.key, entry]));

test("keys are shown in their groups in the order of the profile, and others at the end", () => {
  const listed = mapOf([
    { key: "load", group: "Machine" },
    { key: "disk", group: "Disk" },
    { key: "free", group: "Disk" },
    { key: "unused", group: "Nothing" },
    { key: "heat", group: "Machine", limits: { high: 80 } },
  ]);
  expect(groupedKeys({ free: 1, disk: 2, extra: 3, heat: 4, load: 5 }, listed)).toEqual([
    { name: "Machine", keys: ["heat", "load"] },
    { name: "Disk", keys: ["disk", "free"] },
    { kind: "others", keys: ["extra"] },
  ]);
});

test("a few keys without groups have no headings", () => {
  expect(groupedKeys(values, mapOf(Object.values(metadata)))).toEqual([
    { keys: ["temperature", "power", "state", "note", "other", "cycles"] },
  ]);
  expect(groupedKeys({}, undefined)).toEqual([]);
});

test("many keys without groups are shown by kind", () => {
  const many = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`value_${index}`, index]));
  const groups = groupedKeys(
    { ...many, on: true, note: "text", total: 5 },
    mapOf([{ key: "total", kind: "counter" }]),
  );
  expect(groups.map(({ kind, keys }) => [kind, keys.length])).toEqual([
    ["measured", 8],
    ["states", 1],
    ["counters", 1],
    ["others", 1],
  ]);
  const numbers = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`value_${index}`, index]));
  expect(groupedKeys(numbers, undefined)).toHaveLength(1);
});
