import type { Aggregation } from "./api-types.ts";

/** Aggregations in the order in which the console offers them. */
export const AGGREGATIONS = [
  "none",
  "avg",
  "min",
  "max",
  "sum",
  "count",
  "first",
  "last",
  "delta",
  "timeIn",
] as const satisfies readonly Aggregation[];
