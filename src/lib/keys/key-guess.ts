/** Suggests metadata for well-known names of telemetry keys. A suggestion is only offered: a person confirms it. */
import type { KeyKind, KeyMetadata } from "./key-metadata.ts";

type Guess = Omit<KeyMetadata, "key">;

const gauge = (unit: string, decimals: number): Guess => ({ unit, decimals, kind: "gauge" });
const counter = (unit: string, decimals: number): Guess => ({ unit, decimals, kind: "counter" });

/** Units at the end of a key, such as `temperature_c`. They take precedence over the usual unit of the quantity. */
const suffixes: ReadonlyMap<string, Guess> = new Map([
  ["celsius", gauge("°C", 1)],
  ["degc", gauge("°C", 1)],
  ["fahrenheit", gauge("°F", 1)],
  ["degf", gauge("°F", 1)],
  ["kelvin", gauge("K", 1)],
  ["percent", gauge("%", 0)],
  ["pct", gauge("%", 0)],
  ["ppm", gauge("ppm", 0)],
  ["ppb", gauge("ppb", 0)],
  ["dbm", gauge("dBm", 0)],
  ["hpa", gauge("hPa", 1)],
  ["kpa", gauge("kPa", 1)],
  ["mbar", gauge("mbar", 0)],
  ["bar", gauge("bar", 2)],
  ["psi", gauge("psi", 1)],
  ["mv", gauge("mV", 0)],
  ["kw", gauge("kW", 2)],
  ["mw", gauge("MW", 2)],
  ["kva", gauge("kVA", 2)],
  ["kwh", counter("kWh", 1)],
  ["mwh", counter("MWh", 2)],
  ["wh", counter("Wh", 0)],
  ["hz", gauge("Hz", 2)],
  ["rpm", gauge("rpm", 0)],
  ["lux", gauge("lx", 0)],
  ["mms", gauge("mm/s", 2)],
  ["ms", gauge("ms", 0)],
  ["mm", gauge("mm", 1)],
  ["cm", gauge("cm", 1)],
  ["kg", gauge("kg", 1)],
  ["m3", counter("m³", 2)],
  ["litres", counter("l", 0)],
  ["liters", counter("l", 0)],
]);

/** Quantities by word of the key. */
const quantities: ReadonlyArray<readonly [words: readonly string[], guess: Guess]> = [
  [["humidity", "hum", "rh", "feuchte", "moisture"], gauge("%", 0)],
  [["temperature", "temp", "temperatur", "dewpoint", "setpoint"], gauge("°C", 1)],
  [["battery", "batt", "batterie", "soc"], gauge("%", 0)],
  [["rssi"], gauge("dBm", 0)],
  [["snr"], gauge("dB", 1)],
  [["co2"], gauge("ppm", 0)],
  [["tvoc", "voc"], gauge("ppb", 0)],
  [["pm1", "pm25", "pm10"], gauge("µg/m³", 0)],
  [["energy", "energie"], counter("kWh", 1)],
  [["power", "leistung"], gauge("kW", 1)],
  [["voltage", "volt", "spannung"], gauge("V", 1)],
  [["current", "ampere", "strom"], gauge("A", 2)],
  [["frequency"], gauge("Hz", 2)],
  [["pressure", "druck"], gauge("bar", 2)],
  [["illuminance", "lux", "brightness"], gauge("lx", 0)],
  [["vibration"], gauge("mm/s", 2)],
  [["rpm"], gauge("rpm", 0)],
];

/** Upper bound of battery voltages. Charge levels are mostly above it. */
const BATTERY_VOLTS_MAX = 5;
/** Lower bound of air pressures in hPa. Machine pressures in bar are below it. */
const AIR_HPA_MIN = 300;
/** Lower bound of powers in watts. */
const KILOWATTS_MAX = 1_000;

/** Returns the lower-case words of a key, which are equal for `oilTemp_C`, `oil-temp.c` and `oil temp c`. */
const wordsOf = (key: string): string[] =>
  key
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== "");

/** Returns the guess, corrected by a value of the key. */
function fitted(guess: Guess, words: readonly string[], value: number): Guess {
  const size = Math.abs(value);
  const has = (...candidates: string[]) => candidates.some((word) => words.includes(word));
  if (
    (guess.unit === "%" || guess.unit === "V") &&
    has("battery", "batt") &&
    (has("voltage", "v") || (size < BATTERY_VOLTS_MAX && !Number.isInteger(value)))
  )
    return gauge("V", 2);
  if (guess.unit === "bar" && !has("bar") && size >= AIR_HPA_MIN) return gauge("hPa", 1);
  // Tasmota measures the power of its group ENERGY in watts.
  if (guess.unit === "kW" && !has("kw") && (size >= KILOWATTS_MAX || has("energy"))) return gauge("W", 0);
  return guess;
}

const kindOf = (value: unknown): KeyKind | undefined =>
  typeof value === "boolean" ? "state" : typeof value === "string" ? "text" : undefined;

/** Max. characters of states such as `running`. Longer texts are messages. */
const STATE_CHARACTERS_MAX = 20;
const STATE_WORDS = ["state", "status", "mode", "zustand", "betriebsart"];

/** Returns the suggested metadata of a key with the newest value `value`; undefined if there is none. */
export function guessKeyMetadata(key: string, value: unknown): Guess | undefined {
  const words = wordsOf(key);
  const kind = kindOf(value);
  if (
    kind === "text" &&
    String(value).length <= STATE_CHARACTERS_MAX &&
    STATE_WORDS.includes(words.at(-1) ?? "")
  )
    return { kind: "state" };
  if (kind !== undefined) return { kind };
  if (typeof value !== "number") return undefined;
  if (words.at(-1) === "factor") return undefined; // a factor, such as `power_factor`, has no unit
  const suffix = words.length > 1 ? suffixes.get(words.at(-1) ?? "") : undefined;
  if (suffix !== undefined) return suffix;
  // The last word that names a quantity says what it is: `ENERGY_Voltage` is a voltage.
  const quantity = words
    .toReversed()
    .map((word) => quantities.find(([names]) => names.includes(word)))
    .find((found) => found !== undefined);
  return quantity && fitted(quantity[1], words, value);
}
