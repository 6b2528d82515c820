import { expect, test } from "bun:test";
import fc from "fast-check";
import { guessKeyMetadata } from "../../../src/lib/keys/key-guess.ts";
import { parseKeyMetadata } from "../../../src/modules/profiles/parse-key-metadata.ts";

const unitOf = (key: string, value: unknown = 20) => guessKeyMetadata(key, value)?.unit;

test("recognizes the usual names in any spelling", () => {
  for (const key of ["temperature", "oilTemp", "oil_temperature", "Temp 1", "zone-temp"])
    expect([key, guessKeyMetadata(key, 21.5)]).toEqual([key, { unit: "°C", decimals: 1, kind: "gauge" }]);
  expect(unitOf("humidity")).toBe("%");
  expect(unitOf("relHumidity")).toBe("%");
  expect(unitOf("rssi", -90)).toBe("dBm");
  expect(unitOf("co2", 400)).toBe("ppm");
  expect(guessKeyMetadata("energy", 1200.5)).toEqual({ unit: "kWh", decimals: 1, kind: "counter" });
});

test("takes the unit that a key names, and looks at the value where a quantity has two usual units", () => {
  expect(unitOf("temperature_fahrenheit")).toBe("°F");
  expect(unitOf("power_kw", 5_000)).toBe("kW");
  expect(unitOf("power", 22.4)).toBe("kW");
  expect(unitOf("power", 2_200)).toBe("W");
  expect(unitOf("pressure", 6.9)).toBe("bar");
  expect(unitOf("pressure", 1_013)).toBe("hPa");
  expect(unitOf("battery", 87)).toBe("%");
  expect(unitOf("battery", 3.61)).toBe("V");
  expect(unitOf("battery_voltage", 3)).toBe("V");
  expect(unitOf("battery_temperature", 4.5)).toBe("°C");
});

test("the last word that names a quantity counts, as in the groups of Tasmota", () => {
  const group = { ENERGY_Power: 42.5, ENERGY_Voltage: 230, ENERGY_Current: 0.18, ENERGY_Today: 1.2 };
  const units = Object.entries(group).map(([key, value]) => unitOf(key, value));
  expect(units).toEqual(["W", "V", "A", "kWh"]);
  expect(unitOf("AM2301_Humidity", 40)).toBe("%");
});

test("booleans are states, short texts of a state key are states, other texts are texts", () => {
  expect(guessKeyMetadata("door_open", false)).toEqual({ kind: "state" });
  expect(guessKeyMetadata("machine_state", "running")).toEqual({ kind: "state" });
  expect(guessKeyMetadata("message", "running")).toEqual({ kind: "text" });
});

test("suggests nothing for names that it does not know", () => {
  for (const key of ["a", "constructor", "__proto__", "count", "bar", "x_1", "", "power_factor"])
    expect([key, guessKeyMetadata(key, 1)]).toEqual([key, undefined]);
  expect(guessKeyMetadata("temperature", null)).toBeUndefined();
});

test("whatever it suggests can be stored", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 60 }), fc.jsonValue(), (key, value) => {
      const guess = guessKeyMetadata(key, value);
      if (guess !== undefined) expect(parseKeyMetadata([{ key, ...guess }])).toEqual([{ key, ...guess }]);
    }),
  );
});
