import { DAY_MS } from "../core/units.ts";

/** Returns the default interval of consumption bars for a time window of this length. */
export function consumptionInterval(windowMs: number): "1h" | "1d" | "1mo" {
  if (windowMs <= 3 * DAY_MS) return "1h";
  return windowMs <= 62 * DAY_MS ? "1d" : "1mo";
}
