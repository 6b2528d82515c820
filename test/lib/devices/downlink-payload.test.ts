import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DomainError } from "../../../src/lib/core/domain-error.ts";
import { payloadOf } from "../../../src/lib/devices/downlink-payload.ts";

const ruleOf = (payload: Parameters<typeof payloadOf>[0]): unknown => {
  try {
    return payloadOf(payload);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return (error.params.rule as { code: string }).code;
  }
};

describe("bytes of a downlink are not guessed", () => {
  test.each([
    ["0367d20004685a01", "rule.base64_not_hex"],
    ["0367D20004685A01", "rule.base64_not_hex"],
    ["0367D20004685A", "rule.base64_not_hex"],
    ["01ff", { data: "01ff" }],
    ["AAAAAAAAAAAAAAAA", { data: "AAAAAAAAAAAAAAAA" }],
    ["AQID", { data: "AQID" }],
    ["!", "rule.base64"],
  ])("data %s", (data, expected) => expect(ruleOf({ data })).toEqual(expected));

  test("any bytes can be sent, as base64 or as hexadecimal digits", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.boolean(), (bytes, isUpper) => {
        const data = Buffer.from(bytes).toString("base64");
        const digits = Buffer.from(bytes).toString("hex");
        const hex = isUpper ? digits.toUpperCase() : digits;
        expect(ruleOf({ hex })).toEqual({ data });
        expect([{ data }, "rule.base64_not_hex"]).toContainEqual(ruleOf({ data }) as string);
        // Digits that are long enough never go out as other bytes.
        if (hex.length >= 12 && !/^A+$/.test(hex)) expect(ruleOf({ data: hex })).toBe("rule.base64_not_hex");
      }),
      { numRuns: 1_000 },
    );
  });
});
