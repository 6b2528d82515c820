import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { commandPayload } from "../../../src/lib/sparkplug/sparkplug-command.ts";
import { readPayload } from "../../../src/lib/sparkplug/sparkplug-payload.ts";
import { jsonOf } from "../../../src/modules/integrations/adapters/sparkplug/sparkplug-values.ts";

const NOW = Date.UTC(2026, 10, 27);
const sent = (value: number | boolean | string, bornType?: number) => {
  const { timestamp, metrics } = readPayload(commandPayload(NOW, { name: "Speed", value, bornType }));
  const [metric] = metrics;
  return {
    timestamp,
    name: metric?.name,
    dataType: metric?.dataType,
    value: jsonOf(metric?.value ?? "", metric?.dataType),
  };
};

const ranges: Record<number, [low: number, high: number]> = {
  1: [-128, 127],
  2: [-32_768, 32_767],
  3: [-2_147_483_648, 2_147_483_647],
  4: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  5: [0, 255],
  6: [0, 65_535],
  7: [0, 4_294_967_295],
  8: [0, Number.MAX_SAFE_INTEGER],
};

describe("a Sparkplug command", () => {
  test.each(Object.entries(ranges))(
    "carries integers in the born type %s, and refuses others",
    (type, [low, high]) => {
      const bornType = Number(type);
      fc.assert(
        fc.property(fc.oneof(fc.constantFrom(low, high), fc.integer({ min: low, max: high })), (value) => {
          expect(sent(value, bornType)).toEqual({ timestamp: NOW, name: "Speed", dataType: bornType, value });
        }),
        { numRuns: 200 },
      );
      for (const value of [
        1.5,
        bornType % 4 === 0 ? 2 ** 64 : high + 1,
        low === 0 ? -1 : -(2 ** 64),
        "5",
        true,
      ])
        expect(() => sent(value, bornType)).toThrow("the metric is of type");
    },
  );

  test.each([
    [0.1, 9, 0.1],
    [5, 9, 5],
    [0.1, 10, 0.1],
    [true, 11, true],
    ["on", 12, "on"],
    ["on", 14, "on"],
    [1_795_000_000_000, 13, 1_795_000_000_000],
  ])("carries %p as type %i", (value, bornType, read) => {
    expect(sent(value, bornType)).toMatchObject({ dataType: bornType, value: read });
  });

  test.each([
    [5, 10],
    [true, 11],
    ["on", 12],
  ])("without a birth carries %p as type %i", (value, dataType) => {
    expect(sent(value)).toMatchObject({ dataType, value });
  });

  test.each([
    ["5", 9, "Float"],
    [5, 11, "Boolean"],
    [5, 12, "String"],
    [5, 19, "Template"],
    ["x", 17, "Bytes"],
    [5, 22, "22"],
  ])("is refused for %p as type %i", (value, bornType, type) => {
    expect(() => sent(value, bornType)).toThrow(`the metric is of type ${type}`);
  });
});
