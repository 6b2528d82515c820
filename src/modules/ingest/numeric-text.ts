import type { Reading, TelemetryValue } from "../telemetry/telemetry.types.ts";

/** A number as JSON writes it, without an exponent: "007" and "+1" are identifiers or telephone numbers. */
const plainDecimal = /^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,20})?$/;

/** Returns the number of a text that is a plain decimal number, and any other value as it is. */
function toNumber(value: TelemetryValue): TelemetryValue {
  if (typeof value !== "string" || !plainDecimal.test(value)) return value;
  const number = Number(value);
  // Beyond 2^53 not every whole number has a value of its own: the text stays.
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : value;
}

/** Returns readings in which texts of plain decimal numbers are numbers. Objects and lists stay as they are. */
export const withNumbers = (readings: readonly Reading[]): Reading[] =>
  readings.map(({ ts, values }) => {
    const converted: Record<string, TelemetryValue> = Object.create(null); // `__proto__` is only a name
    for (const key of Object.keys(values)) converted[key] = toNumber(values[key] as TelemetryValue); // one of its keys
    return { ts, values: converted };
  });
