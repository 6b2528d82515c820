import { describe, expect, test } from "bun:test";
import { encode } from "cbor-x";
import fc from "fast-check";
import { DomainError } from "../../../src/lib/core/domain-error.ts";
import { decodeBody } from "../../../src/lib/json/body.ts";
import { parseTimestamp } from "../../../src/lib/time/timestamp.ts";
import { toReadings } from "../../../src/modules/ingest/readings.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const bytes = (text: string) => new TextEncoder().encode(text);
const codeOf = (work: () => unknown): string => {
  try {
    work();
    return "nothing was thrown";
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
};

describe("bodies become readings", () => {
  const forms: Array<[string, unknown, unknown]> = [
    ["flat keys", { a: 1, b: "x" }, [{ ts: NOW, values: { a: 1, b: "x" } }]],
    ["flat keys with ts", { ts: 1767225600000, a: 1 }, [{ ts: 1767225600000, values: { a: 1 } }]],
    ["ts and values", { ts: 1767225600000, values: { a: 1 } }, [{ ts: 1767225600000, values: { a: 1 } }]],
    [
      "ts and telemetry",
      { ts: 1767225600000, telemetry: { a: 1 } },
      [{ ts: 1767225600000, values: { a: 1 } }],
    ],
    ["values alone", { values: { a: 1 } }, [{ ts: NOW, values: { a: 1 } }]],
    [
      "payload with ts inside",
      { payload: { a: 1, ts: "2026-01-01T00:00:00Z" } },
      [{ ts: 1767225600000, values: { a: 1 } }],
    ],
    [
      "payload around ts and values",
      { payload: { ts: 1767225600, values: { a: 1 } } },
      [{ ts: 1767225600000, values: { a: 1 } }],
    ],
    [
      "an array of forms",
      [{ a: 1 }, { ts: 1767225600000, values: { a: 2 } }],
      [
        { ts: NOW, values: { a: 1 } },
        { ts: 1767225600000, values: { a: 2 } },
      ],
    ],
    ["null is skipped", { a: null, b: false }, [{ ts: NOW, values: { b: false } }]],
    ["a numeric text stays a text", { a: "5" }, [{ ts: NOW, values: { a: "5" } }]],
    [
      "JSON values",
      { a: { b: [1, null, { c: "d" }] } },
      [{ ts: NOW, values: { a: { b: [1, null, { c: "d" }] } } }],
    ],
    [
      "a key named values beside others",
      { values: 3, other: 4 },
      [{ ts: NOW, values: { values: 3, other: 4 } }],
    ],
  ];
  for (const [name, body, readings] of forms)
    test(name, () => expect(toReadings(body, NOW)).toEqual(readings as never));

  const refused: Array<[string, unknown, string]> = [
    ["a number", 5, "telemetry.body_invalid"],
    ["null", null, "telemetry.body_invalid"],
    ["an empty object", {}, "telemetry.empty"],
    ["an empty array", [], "telemetry.empty"],
    ["NaN", { a: Number.NaN }, "telemetry.value_not_finite"],
    ["an infinity", { a: Number.POSITIVE_INFINITY }, "telemetry.value_not_finite"],
    ["NaN within JSON", { a: { b: Number.NaN } }, "telemetry.value_not_finite"],
    ["bytes", { a: new Uint8Array(2) }, "telemetry.value_type"],
    ["an empty key", { "": 1 }, "telemetry.key_empty"],
    ["a key of 257 bytes in 86 characters", { ["€".repeat(86)]: 1 }, "telemetry.key_too_long"],
    [
      "513 keys",
      Object.fromEntries(Array.from({ length: 513 }, (_, index) => [`k${index}`, 1])),
      "telemetry.too_many_keys",
    ],
    ["arrays in arrays in arrays in arrays", [[[[[{ a: 1 }]]]]], "telemetry.too_deep"],
    [
      "more than ten years ahead",
      { ts: NOW + 11 * 366 * 86_400_000, values: { a: 1 } },
      "telemetry.ts_future",
    ],
    ["one bad among good", [{ a: 1 }, { ts: "never", values: { a: 1 } }], "telemetry.ts_invalid"],
  ];
  for (const [name, body, code] of refused)
    test(`${name} is refused`, () => expect(codeOf(() => toReadings(body, NOW))).toBe(code));
});

describe("timestamps", () => {
  const same: Array<[string, unknown]> = [
    ["ms", 1767225600000],
    ["seconds", 1767225600],
    ["ISO 8601", "2026-01-01T00:00:00Z"],
    ["ISO 8601 with an offset", "2026-01-01T02:00:00+02:00"],
    ["without a zone it is UTC", "2026-01-01T00:00:00"],
    ["with a space", "2026-01-01 00:00:00"],
    ["a date", "2026-01-01"],
    ["digits in a text", "1767225600000"],
    ["a big integer", 1767225600000n],
  ];
  for (const [name, value] of same) test(name, () => expect(parseTimestamp(value, NOW)).toBe(1767225600000));
  for (const value of ["", "noon", "01-2026", true, {}, [], Number.NaN])
    test(`${JSON.stringify(value)} is none`, () =>
      expect(codeOf(() => parseTimestamp(value, NOW))).toBe("telemetry.ts_invalid"));
});

describe("encodings", () => {
  test("AUTO tells CBOR from JSON by the first byte", () => {
    const value = { a: 1.5, b: [true, "x"] };
    expect(decodeBody(bytes(` ${JSON.stringify(value)}`), "AUTO")).toEqual(value);
    expect(decodeBody(encode(value), "AUTO")).toEqual(value);
    expect(decodeBody(encode(value), "CBOR")).toEqual(value);
  });

  test("what is not well-formed is refused, whatever it is", () => {
    for (const body of [
      bytes(""),
      bytes("{"),
      bytes("nope"),
      new Uint8Array([0x7b, 0xff, 0x7d]),
      new Uint8Array([0xa1]),
      new Uint8Array([0xbf, 0x61]),
    ])
      expect(codeOf(() => decodeBody(body, "AUTO"))).toMatch(/^body\.(malformed|empty|not_utf8)$/);
  });

  test("any JSON either becomes readings or is refused by name, and never throws anything else", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom("AUTO" as const, "JSON" as const), (value, encoding) => {
        const outcome = codeOf(() => toReadings(decodeBody(bytes(JSON.stringify(value)), encoding), NOW));
        expect(outcome === "nothing was thrown" || /^(telemetry|body)\./.test(outcome)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test("any bytes either become readings or are refused by name", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (body) => {
        const outcome = codeOf(() => toReadings(decodeBody(body, "AUTO"), NOW));
        expect(outcome === "nothing was thrown" || /^(telemetry|body)\./.test(outcome)).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});
