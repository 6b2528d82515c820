import { describe, expect, test } from "bun:test";
import { itemsOf, meaningOf } from "../../../../src/web/features/opcua/node-selection.ts";

const variable = (nodeId: string, more: object = {}) => ({
  nodeId,
  type: "Double",
  writable: false,
  ...more,
});
const selected = (nodeId: string, name: string, parent = "") => ({ nodeId, name, parent });

describe("the items of selected variables", () => {
  test("have their names as keys, and the lengths of arrays", () => {
    const nodes = [selected("i=1", "pressure", "Press"), selected("i=2", "lanes", "Press")];
    expect(itemsOf(nodes, [variable("i=1"), variable("i=2", { length: 3 })])).toEqual([
      { key: "pressure", address: "i=1" },
      { key: "lanes", address: "i=2", length: 3 },
    ]);
  });

  test("of a method have its object, and are called by commands", () => {
    expect(itemsOf([{ ...selected("i=9", "reset", "Press"), object: "i=5" }], [])).toEqual([
      { key: "reset", address: "i=5", method: "i=9", writable: true },
    ]);
  });

  test("have the name of the node above where several have one name, and else their node", () => {
    const nodes = [
      selected("i=1", "speed", "Pump 1"),
      selected("i=2", "speed", "Pump 2"),
      selected("i=3", "speed", "Pump 2"),
      selected("i=4", ""),
    ];
    expect(itemsOf(nodes, []).map(({ key }) => key)).toEqual(["Pump 1.speed", "Pump 2.speed", "i=3", "i=4"]);
  });

  test("are added also where the server describes them no more, or an array is empty", () => {
    expect(itemsOf([selected("i=1", "a")], [variable("i=1", { length: 0 })])).toEqual([
      { key: "a", address: "i=1" },
    ]);
    expect(itemsOf([selected("i=1", "a")], [])).toEqual([{ key: "a", address: "i=1" }]);
  });
});

describe("the meaning of a variable", () => {
  test("is its unit, by UCUM where that has another code", () => {
    expect(meaningOf({ unit: "bar" })).toEqual({ unit: "bar" });
    expect(meaningOf({ unit: "°C" })).toEqual({ unit: "Cel" });
    expect(meaningOf({ unit: "x".repeat(50) })).toEqual({ unit: "x".repeat(32) });
  });

  test("has the range in which the server expects values", () => {
    expect(meaningOf({ unit: "bar", min: 0, max: 16 })).toEqual({ unit: "bar", min: 0, max: 16 });
    expect(meaningOf({ min: 0, max: 16 })).toEqual({ min: 0, max: 16 });
    expect(meaningOf({ unit: "bar", min: 0, max: 0 })).toEqual({ unit: "bar" });
    expect(meaningOf({ max: -5 })).toBeUndefined();
  });

  test("is its states, those without a name left out", () => {
    expect(meaningOf({ unit: "1", states: { "0": "Off", "1": "", "2": "On" } })).toEqual({
      kind: "state",
      states: [
        { value: 0, name: "Off" },
        { value: 2, name: "On" },
      ],
    });
  });

  test("is none without any", () => expect(meaningOf({})).toBeUndefined());
});
