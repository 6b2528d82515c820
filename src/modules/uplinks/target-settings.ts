import { Value } from "@sinclair/typebox/value";
import { invalid } from "../../lib/domain-error.ts";
import { excerpt, pathExcerpt } from "../../lib/excerpt.ts";
import { isJsonObject } from "../../lib/json.ts";
import { ruleOf } from "../../lib/schema-rule.ts";
import { type TargetSettings, targetSchemas } from "./targets/targets.schemas.ts";

export type { TargetSettings };

/**
 * Checks the settings of a target, and fills in what they leave out.
 * @throws DomainError `invalid` that names the field
 */
export function checkTarget(input: unknown): TargetSettings {
  const type = isJsonObject(input) ? String(input.type) : "";
  const schema = Object.entries(targetSchemas).find(([name]) => name === type)?.[1];
  if (schema === undefined)
    throw invalid("uplink.type_unknown", {
      type: excerpt(type),
      known: Object.keys(targetSchemas).join(", "),
    });
  const filled = Value.Default(schema, structuredClone(input));
  const wrong = Value.Errors(schema, filled).First();
  if (wrong !== undefined)
    throw invalid("uplink.target_invalid", { field: pathExcerpt(wrong.path, "target"), rule: ruleOf(wrong) });
  return filled as TargetSettings; // fits its schema
}
