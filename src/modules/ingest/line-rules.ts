import { invalid } from "../../lib/core/domain-error.ts";
import type { Line } from "../../lib/json/line-protocol.ts";
import type { TelemetryValue } from "../telemetry/telemetry.types.ts";

/** Tags that may name the device of a line; the first one present is used. */
const DEVICE_TAGS = ["host", "device", "name"];

/** Rules for converting a line to keys and values of a device. */
export interface LineRules {
  readonly deviceTags: readonly string[];
  /** True if the measurement is part of the keys. */
  readonly hasMeasurement: boolean;
  /** Tags whose values are part of the keys; undefined for all tags except the device's. */
  readonly keyTags: ReadonlySet<string> | undefined;
}

export interface RuleInput {
  readonly device_tag?: string | undefined;
  readonly keys?: string | undefined;
  readonly tags?: string | undefined;
}

/**
 * Reads the rules of a request. Programs that build the query themselves only let users choose a database or bucket, whose name may contain the
 * rules in the form of a query.
 * @throws DomainError `line_protocol.keys_invalid`
 */
export function rulesOf(query: RuleInput, database = ""): LineRules {
  const named = new URLSearchParams(database.includes("=") ? database : "");
  const ruleOf = (name: keyof RuleInput) => query[name] ?? named.get(name) ?? undefined;
  const keys = ruleOf("keys") ?? "measurement";
  if (keys !== "measurement" && keys !== "field") throw invalid("line_protocol.keys_invalid");
  const deviceTag = ruleOf("device_tag");
  const tags = ruleOf("tags");
  return {
    deviceTags: deviceTag === undefined ? DEVICE_TAGS : [deviceTag],
    hasMeasurement: keys === "measurement",
    keyTags: tags === undefined ? undefined : new Set(tags.split(",").filter((name) => name !== "")),
  };
}

/** Returns the tag that names the device of a line. */
export function deviceTagOf(
  { tags }: Line,
  { deviceTags }: LineRules,
): readonly [string, string] | undefined {
  for (const wanted of deviceTags) {
    const tag = tags.find(([name]) => name === wanted);
    if (tag !== undefined) return tag;
  }
  return undefined;
}

/** Returns the values of a line by key: measurement, tag values and field, separated by points. */
export function valuesOf(
  { measurement, tags, fields }: Line,
  { hasMeasurement, keyTags }: LineRules,
  deviceTag: string | undefined,
): Record<string, TelemetryValue> {
  let prefix = hasMeasurement ? `${measurement}.` : "";
  for (const [name, value] of tags)
    if (keyTags === undefined ? name !== deviceTag : keyTags.has(name)) prefix += `${value}.`;
  if (prefix === "") return fields;
  const values: Record<string, TelemetryValue> = Object.create(null); // `__proto__` is only a name
  for (const field in fields) values[`${prefix}${field}`] = fields[field] ?? 0;
  return values;
}
