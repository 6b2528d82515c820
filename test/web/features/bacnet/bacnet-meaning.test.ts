import { expect, test } from "bun:test";
import { meaningOf } from "../../../../src/web/features/bacnet/object-meaning.ts";

const object = { address: "AI:1", name: "a", description: "", value: 1, unit: null, states: [] };

test.each([
  ["a unit", { unit: "Cel" }, { unit: "Cel" }],
  ["nothing", {}, undefined],
  [
    "the states of a multi-state object, from 1 on, without those that have no name",
    { states: ["off", "", "on"] },
    {
      kind: "state",
      states: [
        { value: 1, name: "off" },
        { value: 3, name: "on" },
      ],
    },
  ],
  [
    "the states of a binary object",
    { value: false, states: ["closed", "open"] },
    {
      kind: "state",
      states: [
        { value: false, name: "closed" },
        { value: true, name: "open" },
      ],
    },
  ],
])("a key takes %s", (_, fields, expected) => {
  expect(meaningOf({ ...object, ...fields })).toEqual(expected as never);
});
