import { expect, test } from "bun:test";
import { decodeBody } from "../../../src/lib/json/body.ts";
import {
  ensureLineShape,
  JSON_NAMES_MAX,
  JSON_OBJECTS_MAX,
  LINE_OBJECTS_MAX,
} from "../../../src/lib/json/json-shape.ts";
import { NESTED_VALUES_MAX, NestedValues } from "../../../src/lib/json/plain-json.ts";

/** Bodies of JSON that would take long to parse or to take in are refused before. */

const refusalOf = (text: string): unknown => {
  try {
    return decodeBody(Buffer.from(text), "JSON");
  } catch (error) {
    return error;
  }
};
const objectOf = (count: number, nameOf: (index: number) => string) =>
  `{${Array.from({ length: count }, (_, index) => `${JSON.stringify(nameOf(index))} : 1`).join(",")}}`;

test("a body has at most 50,000 different names", () => {
  expect(refusalOf(objectOf(JSON_NAMES_MAX, (index) => `name ${index}`))).not.toBeInstanceOf(Error);
  // Some different names count as the same.
  expect(refusalOf(objectOf(1.1 * JSON_NAMES_MAX, (index) => `name ${index}`))).toMatchObject({
    code: "body.too_many_names",
    kind: "too_large",
  });
});

test("a body has at most 250,000 objects and lists, of which 100,000 readings need fewer", () => {
  const refused = { code: "body.too_many_objects", kind: "too_large", params: { max: JSON_OBJECTS_MAX } };
  for (const item of ["{}", "[]", '{"a":1}', "[{}]"])
    expect(refusalOf(`[${`${item},`.repeat(JSON_OBJECTS_MAX)}1]`)).toMatchObject(refused);
  const readings = Array.from({ length: 100_000 }, (_, ts) => ({ ts, values: { a: 1 } }));
  expect(refusalOf(JSON.stringify(readings))).toEqual(readings);
  expect(refusalOf(`["${"{[".repeat(JSON_OBJECTS_MAX)}"]`)).not.toBeInstanceOf(Error);
});

test("repeated names, strings and escapes do not count", () => {
  const readings = Array.from({ length: 60_000 }, (_, index) => ({
    ts: index,
    values: { [`a${index % 500}`]: 1 },
  }));
  expect(refusalOf(JSON.stringify(readings))).toEqual(readings);
  const texts = Array.from({ length: 60_000 }, (_, index) => `"${index}":{[`);
  expect(refusalOf(JSON.stringify(texts))).toEqual(texts);
});

test("a long body that is nested too deeply is refused before it is parsed", () => {
  expect(refusalOf("[".repeat(300_000) + "]".repeat(300_000))).toMatchObject({ code: "body.too_deep" });
});

test("a message has at most 100,000 values within its values", () => {
  const nested = new NestedValues();
  nested.add(5);
  nested.add("text");
  nested.add({ a: Array.from({ length: NESTED_VALUES_MAX - 1 }, () => 1) });
  expect(() => nested.add([1])).toThrow(expect.objectContaining({ code: "body.too_many_items" }));
});

test("names that differ in a backslash alone are counted apart", () => {
  const spellings = ["n", "\\n"];
  const nameOf = (index: number) =>
    Array.from({ length: 17 }, (_, place) => spellings[(index >> place) & 1] ?? "").join("");
  const names = Array.from({ length: 2 * JSON_NAMES_MAX }, (_, index) => `"${nameOf(index)}":1`);
  expect(refusalOf(`{${names.join(",")}}`)).toMatchObject({ code: "body.too_many_names" });
});

test("a line of a file has at most 20,000 objects and lists", () => {
  const line = (objects: number) => `[${"{},".repeat(objects - 2)}{}]`;
  expect(() => ensureLineShape(line(LINE_OBJECTS_MAX))).not.toThrow();
  expect(() => ensureLineShape(line(LINE_OBJECTS_MAX + 1))).toThrow(
    expect.objectContaining({ code: "body.too_many_objects", params: { max: LINE_OBJECTS_MAX } }),
  );
});
