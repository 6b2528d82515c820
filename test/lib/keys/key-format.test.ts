import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  columnName,
  decimalsOf,
  formatKeyValue,
  scaledData,
  unitSymbol,
  type ValueFormat,
  withoutNoise,
} from "../../../src/lib/keys/key-format.ts";
import type { KeyMetadata } from "../../../src/lib/keys/key-metadata.ts";

const en: ValueFormat = { language: "en", words: { true: "true", false: "false" } };
const de: ValueFormat = { language: "de", words: { true: "ja", false: "nein" } };
const SPACE = "\u202f";

describe("formatKeyValue", () => {
  const temperature: KeyMetadata = { key: "t", unit: "Cel", decimals: 1, kind: "gauge" };

  test("writes decimals and separators of the language, and the symbol of the unit", () => {
    expect(formatKeyValue(1234.567, temperature, en)).toBe(`1,234.6${SPACE}°C`);
    expect(formatKeyValue(1234.567, temperature, de)).toBe(`1.234,6${SPACE}°C`);
    expect(formatKeyValue(21, temperature, en)).toBe(`21.0${SPACE}°C`);
  });

  test("writes no sign before a number that is rounded to zero", () => {
    expect(formatKeyValue(-0.04, temperature, en)).toBe(`0.0${SPACE}°C`);
    expect(formatKeyValue(-0.06, temperature, en)).toBe(`-0.1${SPACE}°C`);
  });

  test("writes amounts of data in the unit that reads well", () => {
    const amount = (value: number, unit: string) =>
      formatKeyValue(value, { key: "d", unit, decimals: 0 }, en);
    expect(amount(79_648, "MiB")).toBe(`77.8${SPACE}GiB`);
    expect(amount(74_752, "MiB")).toBe(`73.0${SPACE}GiB`);
    expect(amount(-2_048, "KiB/s")).toBe(`-2.00${SPACE}MiB/s`);
    expect(amount(5_000_000, "By")).toBe(`4.77${SPACE}MiB`);
    expect(amount(74_759, "MB")).toBe(`74.8${SPACE}GB`);
    expect(amount(0.02, "MiB")).toBe(`20${SPACE}KiB`);
  });

  test("leaves amounts that fit their unit, and other units, as they are", () => {
    const amount = (value: number, unit: string) =>
      formatKeyValue(value, { key: "d", unit, decimals: 1 }, en);
    expect(amount(131.6, "MiB")).toBe(`131.6${SPACE}MiB`);
    expect(amount(0, "GiB")).toBe(`0.0${SPACE}GiB`);
    expect(amount(4_000, "Bar")).toBe(`4,000.0${SPACE}Bar`);
    expect(amount(4_000, "mm")).toBe(`4,000.0${SPACE}mm`);
  });

  test("writes any amount of data with the same size as before", () => {
    const steps = new Map([
      ["B", 0],
      ["KiB", 1],
      ["MiB", 2],
      ["GiB", 3],
      ["TiB", 4],
      ["PiB", 5],
    ]);
    fc.assert(
      fc.property(
        fc.double({ min: 1e-3, max: 1e12, noNaN: true }),
        fc.constantFrom(...steps.keys()),
        (value, unit) => {
          const scaled = scaledData(value, unit) ?? { n: value, unit };
          const bytesOf = (n: number, name: string) => n * 1024 ** (steps.get(name) ?? Number.NaN);
          expect(bytesOf(scaled.n, scaled.unit) / bytesOf(value, unit)).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  test("shows a text value of a gauge as it is, without a unit", () => {
    expect(formatKeyValue("sensor broken", temperature, en)).toBe("sensor broken");
    expect(formatKeyValue(undefined, temperature, en)).toBe("–");
    expect(formatKeyValue(Number.NaN, temperature, en)).toBe("–");
    expect(formatKeyValue({ a: 1 }, temperature, en)).toBe('{"a":1}');
  });

  test("names states, and shows values without a name as they are", () => {
    const mode: KeyMetadata = {
      key: "mode",
      kind: "state",
      unit: "x",
      states: [
        { value: 1, name: "Automatic" },
        { value: true, name: "On" },
        { value: "run", name: "Running" },
      ],
    };
    expect([1, true, "run", 2, false, "stop"].map((value) => formatKeyValue(value, mode, de))).toEqual([
      "Automatic",
      "On",
      "Running",
      "2",
      "nein",
      "stop",
    ]);
  });

  test("groups no digits of numbers that are texts", () => {
    expect(formatKeyValue(1234567, { key: "serial", kind: "text", unit: "x" }, en)).toBe("1234567");
  });

  test("writes huge and tiny numbers with a power of ten", () => {
    expect(formatKeyValue(1.23456e22, temperature, en)).toBe(`1.2E22${SPACE}°C`);
    expect(formatKeyValue(1.5e-9, undefined, en)).toBe("1.5E-9");
    expect(formatKeyValue(-1.7976931348623157e308, undefined, en)).toBe("-1.79769E308");
  });

  test("shows no noise of binary fractions", () => {
    expect(formatKeyValue(14.611479999999993, undefined, en)).toBe("14.6115");
    expect(formatKeyValue(0.1 + 0.2, undefined, en)).toBe("0.3");
  });

  test("gives averages no more decimals than their values have", () => {
    expect(formatKeyValue(20.333333, undefined, { ...en, decimalsMax: 1 })).toBe("20.3");
    expect(formatKeyValue(20.333333, undefined, { ...en, decimalsMax: 0 })).toBe("20");
  });

  test("never shows more decimals than were asked for", () => {
    fc.assert(
      fc.property(fc.double(), fc.integer({ min: 0, max: 9 }), (n, decimals) => {
        const text = formatKeyValue(n, { key: "k", decimals }, en);
        const [, fraction = ""] = /\.(\d+)/.exec(text) ?? [];
        expect(fraction.length).toBeLessThanOrEqual(decimals);
      }),
      { numRuns: 2_000 },
    );
  });

  test("shows at most six significant digits behind the point without metadata", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (n) => {
        const [, fraction = ""] = /\.(\d+)/.exec(formatKeyValue(n, undefined, en)) ?? [];
        expect(fraction.replace(/^0+/, "").length).toBeLessThanOrEqual(6);
      }),
    );
  });
});

test("a value, a column and an axis never show a UCUM code that has a symbol", () => {
  const codes = [
    "Cel",
    "[degF]",
    "Ohm",
    "kW.h",
    "MW.h",
    "A.h",
    "kV.A",
    "m3",
    "m3/h",
    "m/s2",
    "ug/m3",
    "W/m2",
    "us",
  ];
  fc.assert(
    fc.property(fc.constantFrom(...codes), fc.double({ noNaN: true, min: -1e6, max: 1e6 }), (unit, value) => {
      const metadata: KeyMetadata = { key: "t", unit };
      for (const format of [en, de])
        expect(formatKeyValue(value, metadata, format).endsWith(`${SPACE}${unit}`)).toBe(false);
      expect(columnName("t", unit)).toBe(`t (${unitSymbol(unit)})`);
      expect(unitSymbol(unit)).not.toBe(unit);
      // A field shows the symbol of what was typed, so the symbol of a symbol must be the same.
      expect(unitSymbol(unitSymbol(unit))).toBe(unitSymbol(unit));
    }),
  );
});

test("unitSymbol knows common UCUM codes and leaves any other text", () => {
  expect(["Cel", "kW.h", "m3/h", "{parts}", "°C", "%", "", "__proto__"].map(unitSymbol)).toEqual([
    "°C",
    "kWh",
    "m³/h",
    "parts",
    "°C",
    "%",
    "",
    "__proto__",
  ]);
});

test("decimalsOf counts the decimals that a person would write", () => {
  expect([1, 1.5, 0.1 + 0.2, 14.61148, 1e-7, 1.5e-7, 1e21, Number.NaN].map(decimalsOf)).toEqual([
    0, 1, 1, 5, 7, 8, 0, 0,
  ]);
});

test("withoutNoise cleans numbers at any depth and keeps keys such as __proto__", () => {
  const value = JSON.parse(
    '{"a":[14.611479999999993,9007199254740993],"__proto__":{"b":0.30000000000000004}}',
  );
  expect(JSON.stringify(withoutNoise(value))).toBe('{"a":[14.61148,9007199254740992],"__proto__":{"b":0.3}}');
});
